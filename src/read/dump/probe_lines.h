// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_PROBE_LINES_H
#define VERNIER_READ_DUMP_PROBE_LINES_H

#include "base/notice.h"
#include "read/dump/dump.h"

// A probe of one's own: JSON Lines without a header, a tensor a line with a name (stage, module,
// layer, op, name, …), shape or dtype, and statistics (min, max, mean, norm, max_abs, nan_count).
// Its order is that of execution.

bool probe_lines_is(const char *path, Str text);
bool probe_lines_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                      Notices *notices, Error *err);

#endif
