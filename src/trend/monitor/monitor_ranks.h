// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_MONITOR_RANKS_H
#define VERNIER_TREND_MONITOR_MONITOR_RANKS_H

#include "model/run/monitor_run.h"

// The ranks of one run compared with each other: replicas of a weight have one norm. Where all but
// one agree, that one is named; where several differ they may hold parts of their own (tensor
// parallelism), and nothing is.

typedef struct MonitorRankApart {
    int64_t rank, step;    // the step from which its first name is off
    size_t names, common;  // that are off on this rank; that at least three ranks have
    Str type, name;        // the first that is off
    double ratio;          // its norm relative to the median of the ranks, at the last step
} MonitorRankApart;

// False: no rank is off by itself. Of several ranks the one with most names.
bool monitor_rank_apart(const MonitorRun *run, MonitorRankApart *out);

#endif
