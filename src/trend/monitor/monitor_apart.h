// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_MONITOR_APART_H
#define VERNIER_TREND_MONITOR_MONITOR_APART_H

#include "trend/monitor/monitor_pair.h"

// Objects whose norm lies apart in two monitored runs from some step on, though neither run need
// leave its own history: a gradient that is twice golden's from the first step on. Where a type
// records no norm, its other magnitudes (max, min, std) take the place of it; next to a norm only
// another order of them counts. Thresholds are our own: the factor is that of the smaller jump of
// Drift (alarm_drift.h).

typedef struct MonitorApart {
    size_t objects;      // whose norms were compared, micro steps apart; without norms: magnitudes
    bool norms;          // that these are norms
    double middle;       // median of their ratios
    size_t apart;        // 0: none, and the next six do not count
    Str type, name, op;  // the one farthest apart
    int64_t stage;       // MONITOR_NONE: none
    // Of it: median of target / golden over the second half of its values, all ranks; may be inf.
    double ratio;
    int64_t step;      // from which nearly all are off
    size_t told;       // values of paired series at steps that both runs have, of either
    size_t one_sided;  // of these, in one run alone
} MonitorApart;

// Texts belong to the runs.
void monitor_apart(const MonitorPairing *pairing, MonitorApart *out);

#endif
