// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_ALARM_H
#define VERNIER_TREND_MONITOR_ALARM_H

#include "model/run/monitor_run.h"
#include "read/monitor/monitor_side.h"

// Alarms on the series of a monitored run: what they are, and their order.

typedef enum AlarmRule {
    ALARM_TURBULENCE,  // the monitor's own rules, replayed
    ALARM_NAN,
    ALARM_SIMILARITY,  // reading rule of the gradient probe
    ALARM_DRIFT        // the sound rule: both directions, robust scale
} AlarmRule;

const char *alarm_rule_name(AlarmRule rule);  // "AnomalyTurbulence", …

// How much an alarm weighs. Turbulence of a mean that no other rule confirms is noise more often
// than not: a value that scatters around zero fires in 23 % of all steps.
typedef enum AlarmLevel { ALARM_CERTAIN, ALARM_LIKELY, ALARM_WEAK } AlarmLevel;

enum { ALARM_OPS_MAX = 8 };

typedef struct Alarm {
    AlarmRule rule;
    AlarmLevel level;
    int64_t rank, step, stage, micro;  // stage, micro: MONITOR_NONE without one
    int64_t last_step;                 // of an event that lasts, else `step`
    Str type, name;
    Str ops[ALARM_OPS_MAX];
    size_t op_count;
    // Of the first op: the value, the history it is compared with, and their ratio; NaN where there
    // is none. For ALARM_SIMILARITY `value` is the similarity and `history` the one before.
    double ratio, value, history;
    double last_value, last_history;  // of the last op: the one that the monitor's own file keeps
    int64_t call;                     // place in the step, over all types; -1 unknown
    bool confirmed;                   // another rule has an alarm at the same place
    Str told;                         // the rule by which the run itself told it; else empty
} Alarm;

typedef struct Alarms {
    Alarm *items;
    size_t count, capacity;
    uint64_t left_out;  // weak alarms past the limit of one rank and type, counted only
} Alarms;

// Orders by step, phase, stage (backward: the last one first), call and micro step; marks what two
// rules agree on and sets the levels.
void alarms_rank(Alarms *alarms);

// The first alarm that is not weak, else the first one; where the sound rule fired at the same
// place, its alarm, because its history is a median. NULL without alarms.
const Alarm *alarms_first(const Alarms *alarms);

// Whether it tells of a NaN or an infinity.
bool alarm_is_broken(const Alarm *alarm);

// What a headline names: the first alarm of a NaN or an infinity, else alarms_first.
const Alarm *alarms_gravest(const Alarms *alarms);

// Places (rank, step, object) with an alarm that is not weak: the number in a verdict.
size_t alarms_places(const Alarms *alarms);

// "0:layers.1.mlp.w:1/rank2/pre_grad", the monitor's tag.
Str alarm_tag(const Alarm *alarm, Arena *arena);

// The monitor's message about the last op.
Str alarm_message(const Alarm *alarm, Arena *arena);

#endif
