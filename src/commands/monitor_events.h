// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MONITOR_EVENTS_H
#define VERNIER_COMMANDS_MONITOR_EVENTS_H

#include "commands/machinery/outputs.h"
#include "trend/monitor/monitor_scan.h"

// `--format tensorboard`: all statistics of a run as TensorBoard event files, tagged as the
// monitor's own conversion does, below FOLDER/tensorboard/rank0/grad_reduced/. The files are read
// again rank by rank, so that memory holds one of them.
typedef struct MonitorExport {
    const MonitorTree *tree;
    const MonitorSelect *select;
    const int64_t *ranks;
    size_t rank_count;
    Str run;  // folder of the run, or empty with a single one
} MonitorExport;

// One rank of it, below `target`.
void monitor_events_rank(const MonitorExport *export, int64_t rank, const char *target,
                         Outputs *outputs);

// Ends at the first file that cannot be written, with outputs->failed.
void monitor_events_write(const MonitorExport *export, Outputs *outputs);

// What --step, --rank and --type say.
#define TYPE_OPTION                                                                         \
    {                                                                                       \
        "type", 0, OPTION_TEXT, "LIST", TR("data types to take, e.g. grad_reduced,actv"), 0 \
    }
bool monitor_select_read(const Options *options, Arena *arena, MonitorSelect *out, Error *err);

#endif
