// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_ALARM_RECORDED_H
#define VERNIER_TREND_MONITOR_ALARM_RECORDED_H

#include "trend/monitor/monitor_view.h"

// What the files next to the series of a monitor add to its alarms.

// Makes a run of the alarms that the monitor wrote itself, where no series was kept.
void alarms_of_recorded(MonitorView *view, Arena *arena);

// Alarms of modules get their place in the step from `order`, the modules as they run:
// "0:embedding".
void alarms_take_order(Alarms *alarms, const MonitorStacks *order);

// The stack of the module that an alarm is about; NULL: none is known.
const MonitorStack *alarm_stack(const MonitorStacks *stacks, const Alarm *alarm);

// The innermost frame of a stack, "megatron/core/transformer/mlp.py, line 231"; empty: none.
Str stack_frame(Str stack);

#endif
