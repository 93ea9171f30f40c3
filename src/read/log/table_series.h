// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_TABLE_SERIES_H
#define VERNIER_READ_LOG_TABLE_SERIES_H

#include "base/notice.h"
#include "read/log/log_part.h"

// Series in a table: plain CSV, TSV and blank-separated files, the exports of TensorBoard and W&B,
// DeepSpeed's CSV monitor (docs/spec/curves.md §3.3, §4.6).

// True if the first lines are rows of numbers of equal length.
bool table_series_recognise(Str text, Arena *arena);

// Adds one part, or one for each run of an export that holds several. Fails without any number.
bool table_series_read(const char *path, Str text, Arena *arena, Parts *out, Notices *notices,
                       Error *err);

#endif
