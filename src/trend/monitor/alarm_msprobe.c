// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/alarm_msprobe.h"

#include <math.h>

bool msprobe_alarm_step(const MonitorRules *rules, MsprobeAlarmState *state, double value,
                        bool judged, OriginalHit *hit)
{
    double size = fabs(value);
    double old = state->seen ? state->average : size;
    msprobe_alarm_learn(state, old, size);
    for (size_t i = 0; i < rules->count; i++) {
        const MonitorRule *rule = &rules->items[i];
        bool fires = rule->turbulence
                         ? size > old * (1 + rule->threshold)
                         : isnan(value) || (rule->has_threshold && size > rule->threshold);
        if (!fires)
            continue;
        *hit = (OriginalHit){rule->turbulence ? ALARM_TURBULENCE : ALARM_NAN, old};
        return !rule->turbulence || judged;  // the first rule that fires ends the search
    }
    return false;
}

// A product with a factor of 0 or more grows with the factor, so the smallest one stands for all.
MsprobeAlarmCalm msprobe_alarm_calm(const MonitorRules *rules)
{
    MsprobeAlarmCalm calm = {(double)INFINITY, (double)INFINITY};
    for (size_t i = 0; i < rules->count; i++) {
        const MonitorRule *rule = &rules->items[i];
        double factor = 1 + rule->threshold;
        if (rule->turbulence && !(factor >= 0))
            return (MsprobeAlarmCalm){0, -1};  // nothing is calm
        if (rule->turbulence)
            calm.factor = fmin(calm.factor, factor);
        else if (rule->has_threshold)
            calm.size = fmin(calm.size, rule->threshold);
    }
    return calm;
}

bool msprobe_alarm_quantised(const MsprobeAlarmState *state)
{
    return state->coarse > 0 && (double)state->coarse >= 0.05 * state->nonzero;
}
