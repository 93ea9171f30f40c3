// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_PRECHECK_COMPARISON_RESULT_H
#define VERNIER_READ_PRECHECK_COMPARISON_RESULT_H

#include "base/notice.h"
#include "read/precheck/precheck.h"

// What other comparators say of two runs whose dumps are gone, in the order of the file: tables of
// msProbe's compare (CSV, xlsx), of its PrecisionChecker, of msaccucmp; the console of Polygraphy;
// lines with a name and the largest difference of it, as scripts print them.

bool comparison_table_is(Str bytes);
bool comparison_lines_is(Str text);

// The rows are findings; of one API and direction the worst stands. Fails where a workbook breaks.
bool comparison_table_read(const char *path, Str bytes, Arena *arena, Precheck *out,
                           Notices *notices, Error *err);
void comparison_lines_read(const char *path, Str text, Arena *arena, Precheck *out,
                           Notices *notices);

#endif
