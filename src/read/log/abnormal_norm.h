// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_ABNORMAL_NORM_H
#define VERNIER_READ_LOG_ABNORMAL_NORM_H

#include "base/notice.h"
#include "read/log/log_part.h"

// abnormal_global_norm.json of MindFormers: {"1370": [88.25, 2.3125]}, the global norm of a step that
// stopped the training for its norm, and that of the same step after each recovery.

#define ABNORMAL_NORM_FORMAT "abnormal norms"
#define ABNORMAL_NORM_FIRST  "global_norm.before"  // the series of first norms
#define ABNORMAL_NORM_AFTER  "global_norm.after"   // those after the last recovery

bool abnormal_norm_recognise(Str text, Arena *arena);
bool abnormal_norm_read(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                        Notices *notices, Error *err);

#endif
