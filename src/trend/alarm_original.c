// SPDX-License-Identifier: Apache-2.0
#include "trend/alarm_original.h"

#include <math.h>

bool original_step(const MonitorRules *rules, OriginalState *state, double value, bool judged,
                   OriginalHit *hit)
{
    double size = fabs(value);
    double old = state->seen ? state->average : size;
    // As the original computes it: 1 - 0.99 is not the double nearest to 0.01.
    state->average = 0.99 * old + (1 - 0.99) * size;
    state->seen += state->seen < UINT32_MAX;
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

void original_count(OriginalState *state, double value, double unit)
{
    double size = fabs(value);
    if (!(size > 0) || state->nonzero == UINT32_MAX)
        return;
    state->nonzero++;
    state->coarse += size < 20 * unit;
}

bool original_quantised(const OriginalState *state)
{
    return state->coarse > 0 && (double)state->coarse >= 0.05 * state->nonzero;
}
