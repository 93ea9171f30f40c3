// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_MONITOR_MONITOR_SIDE_H
#define VERNIER_READ_MONITOR_MONITOR_SIDE_H

#include "read/monitor/monitor_files.h"

// The small files next to the series: the configuration with its alarm rules, the alarms that the
// monitor raised itself, and the stacks of modules.

typedef struct MonitorRule {
    bool turbulence;  // else the not-a-number rule
    bool has_threshold;
    double threshold;
} MonitorRule;

enum { MONITOR_RULES_MAX = 8 };
typedef struct MonitorRules {
    MonitorRule items[MONITOR_RULES_MAX];  // in the order in which they are asked
    size_t count;
    bool from_config;
    int decimals;  // `ndigits`, or -1 if it is not known
} MonitorRules;

// The rules that are used without a configuration: not-a-number, then turbulence at 0.5.
MonitorRules monitor_rules_default(void);

// Takes rules and digits from a configuration; what it does not name stays as it was. False if the
// file is not readable as one.
bool monitor_rules_read(const char *path, MonitorRules *rules, Error *err);

// One alarm of an anomaly.json.
typedef struct MonitorAnomaly {
    Str key, rule, tag, op, message;
    int64_t rank, step, pp_stage, vpp_stage, call;
    const int64_t *mates;  // ranks of the tensor and pipeline group
    size_t mate_count;
} MonitorAnomaly;
typedef struct MonitorAnomalies {
    MonitorAnomaly *items;
    size_t count, capacity;
} MonitorAnomalies;

// Whether a file holds such alarms: anomaly.json, anomaly_analyse.json under any name.
bool monitor_anomalies_are(const char *path);

bool monitor_anomalies_read(const char *path, Arena *arena, MonitorAnomalies *out, Notices *notices,
                            Error *err);

// The stack of each module as the monitor wrote it.
typedef struct MonitorStack {
    Str module, text;
} MonitorStack;
typedef struct MonitorStacks {
    MonitorStack *items;
    size_t count, capacity;
} MonitorStacks;

// Only the modules of a module_struct.json, "0:embedding", in its order; their texts are empty.
bool monitor_struct_read(const char *path, Arena *arena, MonitorStacks *out, Error *err);

bool monitor_stacks_read(const char *path, Arena *arena, MonitorStacks *out, Notices *notices,
                         Error *err);

#endif
