// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_MONITOR_GRAD_PROBE_H
#define VERNIER_READ_MONITOR_GRAD_PROBE_H

#include "read/monitor/monitor_files.h"

// The gradient probe, the monitor's older sibling: one summary a step and rank, and the similarity
// of gradient signs that its comparison of two runs gives.

typedef struct ProbeValue {
    Str name;
    int64_t rank, step;
    double value;
} ProbeValue;
typedef struct ProbeValues {
    ProbeValue *items;  // in the order of the file
    size_t count, capacity;
} ProbeValues;

// similarities.csv: one value a parameter and step; the weighted mean is named "summary". Absent
// cells are left out.
bool grad_probe_similarities(const MonitorSide *file, Arena *arena, ProbeValues *out,
                             Notices *notices, Error *err);

// grad_summary_N.csv: the norm of every parameter at that step, whatever its level has next to it.
bool grad_probe_norms(const MonitorSide *file, Arena *arena, ProbeValues *out, Notices *notices,
                      Error *err);

#endif
