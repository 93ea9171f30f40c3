// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_ALARM_MSPROBE_H
#define VERNIER_TREND_MONITOR_ALARM_MSPROBE_H

#include <math.h>

#include "trend/monitor/alarm.h"

// The monitor's own alarm rules, value by value, defects included (docs/monitor.md): a running mean
// that forgets one percent a value, upward only, silent for ever after a not-a-number.

// A value on fewer units of the last decimal is rounded by more than 2.5 %: jumps of such values
// are reported as quantised, not as alarms. Fewer units would raise alarms of rounding, more hide
// small gradients.
enum { COARSE_UNITS = 20 };

typedef struct MsprobeAlarmState {
    double average;
    uint32_t seen;      // values so far, saturates
    uint32_t nonzero;   // values that are not 0 …
    uint32_t coarse;    // … and those of them below COARSE_UNITS of the last decimal
    uint32_t left_out;  // weak alarms that are only counted
} MsprobeAlarmState;

typedef struct OriginalHit {
    AlarmRule rule;
    double history;
} OriginalHit;

// True if a rule fires on the next value. `judged` is false for statistics whose turbulence is not
// reported (all but norm and mean).
bool msprobe_alarm_step(const MonitorRules *rules, MsprobeAlarmState *state, double value,
                        bool judged, OriginalHit *hit);

// Magnitudes up to `size` that are also at most `factor` times the running mean fire no rule.
typedef struct MsprobeAlarmCalm {
    double factor, size;
} MsprobeAlarmCalm;
MsprobeAlarmCalm msprobe_alarm_calm(const MonitorRules *rules);

// Takes the value into the running mean, whose mean before was `old`. As the original computes it:
// 1 - 0.99 is not the double nearest to 0.01.
static inline void msprobe_alarm_learn(MsprobeAlarmState *state, double old, double size)
{
    state->average = 0.99 * old + (1 - 0.99) * size;
    state->seen += state->seen < UINT32_MAX;
}

// The short way for nearly all values: true if no rule can fire, and the value is taken. False
// leaves the value to msprobe_alarm_step, also where that fires nothing.
static inline bool msprobe_alarm_step_calm(const MsprobeAlarmCalm *calm, MsprobeAlarmState *state,
                                           double value)
{
    double size = fabs(value), old = state->seen ? state->average : size;
    if (size > old * calm->factor || !(size <= calm->size))
        return false;
    msprobe_alarm_learn(state, old, size);
    return true;
}

// Counts for msprobe_alarm_quantised; `unit` is one unit of the last decimal, 0 without rounding.
static inline void msprobe_alarm_count(MsprobeAlarmState *state, double value, double unit)
{
    double size = fabs(value);
    if (!(size > 0) || state->nonzero == UINT32_MAX)
        return;
    state->nonzero++;
    state->coarse += size < COARSE_UNITS * unit;
}

// True if at least 5 % of the values that are not zero stand on fewer than COARSE_UNITS (both
// chosen).
bool msprobe_alarm_quantised(const MsprobeAlarmState *state);

#endif
