// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_ALARM_ORIGINAL_H
#define VERNIER_TREND_ALARM_ORIGINAL_H

#include "trend/alarm.h"

// The monitor's own alarm rules, value by value, defects included (docs/monitor.md): a running mean
// that forgets one percent a value, upward only, silent for ever after a not-a-number.

typedef struct OriginalState {
    double average;
    uint32_t seen;      // values so far, saturates
    uint32_t nonzero;   // values that are not 0 …
    uint32_t coarse;    // … and those of them below 20 units of the last decimal
    uint32_t left_out;  // weak alarms that are only counted
} OriginalState;

typedef struct OriginalHit {
    AlarmRule rule;
    double history;
} OriginalHit;

// True if a rule fires on the next value. `judged` is false for statistics whose turbulence is not
// reported (all but norm and mean).
bool original_step(const MonitorRules *rules, OriginalState *state, double value, bool judged,
                   OriginalHit *hit);

// Counts for original_quantised; `unit` is one unit of the last decimal, 0 without rounding.
void original_count(OriginalState *state, double value, double unit);

// True if at least 5 % of the values that are not zero stand on fewer than 20 units.
bool original_quantised(const OriginalState *state);

#endif
