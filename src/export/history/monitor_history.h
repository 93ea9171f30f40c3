// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_HISTORY_MONITOR_HISTORY_H
#define VERNIER_EXPORT_HISTORY_MONITOR_HISTORY_H

#include "trend/history/history_state.h"
#include "verdict/monitor_verdict.h"

// What --history keeps of monitored runs: for every object of every data type the median of its
// norm and the largest departure from it, over all ranks, and its alarms. Weak alarms are no news.
// Runs go by their place on the command line, not by their name. The facts are sorted.
void monitor_history_facts(const MonitorViews *views, const Verdict *verdict, Arena *arena,
                           HistoryNight *out);

#endif
