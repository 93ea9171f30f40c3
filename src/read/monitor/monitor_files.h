// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_MONITOR_MONITOR_FILES_H
#define VERNIER_READ_MONITOR_MONITOR_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/str.h"

// Finding the files of a training monitor below a folder: the layouts of all its generations and of
// the older gradient probe (docs/monitor.md). Nothing is opened here but folders, and CSV files
// whose names no monitor gives.

#define QUANT_LOG_KIND "torchao"  // of a CSV of torchao's quant_logger, whatever its name

// One series file. `start` counts the starts (time tags) of its rank, from 0 in order of time.
typedef struct MonitorFile {
    const char *path;
    Str kind;  // "grad_reduced" of grad_reduced_0-9.csv, "module" of module_step0-4.csv
    int64_t rank;
    int64_t first, last;  // steps from the name; 0, 0 without any
    int64_t part;         // 0, or N of ..._part_N.csv
    size_t start;
    bool events;              // of an event file: the kind and the rank of its tags
    int64_t tag_rank;         // -1: no rank in them
    bool inspect;             // lines of a name, iteration and value (inspect_log.h)
    bool renamed;             // the kind is the name of the file, which is not the monitor's
    const char *header_path;  // file with the header of a part that has none of its own, or NULL
} MonitorFile;

typedef struct MonitorFiles {
    MonitorFile *items;  // by rank, kind, start, first step, part
    size_t count, capacity;
} MonitorFiles;

// A file that belongs to one rank and is no series.
typedef struct MonitorSide {
    const char *path;
    int64_t rank;
    int64_t step;  // of grad_summary_N.csv
} MonitorSide;
typedef struct MonitorSides {
    MonitorSide *items;
    size_t count, capacity;
} MonitorSides;

// All files of one run: what lies below one base folder.
typedef struct MonitorTree {
    const char *base;
    MonitorFiles series;
    MonitorSides summaries;     // grad_summary_N.csv of the gradient probe
    MonitorSides similarities;  // similarities.csv of its comparison
    MonitorSides stacks;        // stack_info.csv
    MonitorSides anomalies;     // anomaly.json
    MonitorSides structs;       // module_struct.json
    const char *config;         // config.json with alarm rules, next to or above the data, or NULL
} MonitorTree;

typedef struct MonitorTrees {
    MonitorTree *items;  // by path
    size_t count, capacity;
} MonitorTrees;

// Whether a file, packed by gzip or not, has the header of a series file: a name, a step, and a
// vpp_stage or two statistics. Its own name is no evidence.
bool monitor_table_is(const char *path);

// Whether such a file, or stack_info.csv, has a name or a folder that the monitor gave it: those of
// one folder belong together.
bool monitor_file_named(const char *path);

// The same of such files alone: those of one run, which is a folder or the one above ranks, are one
// tree. Their kinds, ranks and steps are those of their names and folders, else the name, 0, none.
void monitor_find_files(const char *const *paths, size_t count, Arena *arena, MonitorTrees *out,
                        Notices *notices);

// The trees at or below `path`, at most 4 folders deep; of a series file it alone. Fails if there
// is none. Symbolic links to folders are not entered.
bool monitor_find(const char *path, Arena *arena, MonitorTrees *out, Notices *notices, Error *err);

#endif
