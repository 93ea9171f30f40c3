// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_PRECHECK_PRECHECK_FILE_H
#define VERNIER_READ_PRECHECK_PRECHECK_FILE_H

#include "base/notice.h"
#include "read/precheck/precheck.h"

void precheck_init(Arena *arena, Precheck *out);

// Adds the rows of a file. Texts live in `arena`, cut at 512 bytes. A row without an API costs
// itself; a status that is no known word is reported. A second file of one kind is reported: which
// of two runs an API is of, the files do not say. Fails if the columns are those of no such file.
bool precheck_read(const char *path, Arena *arena, Precheck *out, Notices *notices, Error *err);
bool precheck_read_text(const char *path, Str text, Arena *arena, Precheck *out, Notices *notices,
                        Error *err);

// Where files say pass, warning and error of one API and direction: a notice with the first.
void precheck_tell_contradictions(const Precheck *precheck, Notices *notices);

// Counts and sorts: errors, warnings, passes, skipped ones; of one status the largest size, then
// the order of the files, which is that of execution.
void precheck_sort(Precheck *precheck);

#endif
