// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_HEALTH_FILE_H
#define VERNIER_READ_LOG_HEALTH_FILE_H

#include "base/notice.h"
#include "base/str.h"
#include "read/log/log_part.h"

// health_ckpts.json of MindFormers: what each checkpoint was judged when it was saved.

typedef struct Checkpoint {
    Str name;
    bool healthy;
    bool placed;          // epoch and step are in the name
    int64_t epoch, step;  // step within the epoch
} Checkpoint;

typedef struct Checkpoints {
    Checkpoint *items;  // in the order of the file: oldest first
    size_t count, capacity;
} Checkpoints;

// True if the text looks like such a file.
bool health_recognise(Str text);

// Entries of another shape are counted and passed over. Fails if none is left.
bool health_read(const char *path, Arena *arena, Checkpoints *out, Notices *notices, Error *err);

// abnormal_global_norm.json of MindFormers: {"1370": [88.25, 2.3125]}, the global norm of a step
// that stopped the training for its norm, and that of the same step after each recovery.

#define ABNORMAL_NORM_FORMAT "abnormal norms"
#define ABNORMAL_NORM_FIRST  "global_norm.before"  // the series of first norms
#define ABNORMAL_NORM_AFTER  "global_norm.after"   // those after the last recovery

bool abnormal_norm_recognise(Str text, Arena *arena);
bool abnormal_norm_read(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                        Notices *notices, Error *err);

#endif
