// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_MONITOR_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_MONITOR_SUMMARY_H

#include "base/sink.h"
#include "verdict/monitor_verdict.h"

// summary.json of `vernier monitor` (schema "vernier.monitor/1",
// docs/spec/output.md §2) and the alarms in the layout of the monitor's own anomaly_analyse.json.

void monitor_summary_write(const void *summary, Sink *out);

// anomaly_analyse.json of one run: one record an alarm, in ranked order. Stage and group of a rank
// come from the records of the monitor; -1 and the rank itself where there are none.
void monitor_analyse_write(const MonitorView *view, Sink *out);

enum { MONITOR_JSON_ALARMS_MAX = 20000 };

#endif
