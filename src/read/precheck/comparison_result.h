// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_PRECHECK_COMPARISON_RESULT_H
#define VERNIER_READ_PRECHECK_COMPARISON_RESULT_H

#include "base/notice.h"
#include "read/precheck/precheck.h"

// What other comparators say of two runs whose dumps are gone, in the order of the file: tables of
// msProbe's compare (CSV, xlsx), of its PrecisionChecker, of msaccucmp; the console of Polygraphy;
// lines with a name and the largest difference of it, as scripts print them; msProbe's check of
// checkpoints and its graph database; the scores of an evaluation, of which two files are compared;
// lists of checksums of weights.

// Which of them the file is, or a report of SGLang's comparator; PRECHECK_KINDS: none.
PrecheckKind comparison_kind(Str bytes);

// True if it is one of them and was read or has failed: *good. Of one name and direction the worst
// row stands.
bool comparison_read(const char *path, Str bytes, Arena *arena, Precheck *out, Notices *notices,
                     PrecheckKind *kind, bool *good, Error *err);

// The readers. Each fails where the file breaks so that nothing can be read.
typedef bool ComparisonReader(const char *path, Str bytes, Arena *arena, Precheck *out,
                              Notices *notices, Error *err);

bool comparator_report_is(Str text);
bool comparison_table_is(Str bytes);
bool comparison_lines_is(Str text);
bool comparison_scores_are(Str text);
bool comparison_summary_is(Str text);
bool comparison_weights_are(Str text);
bool comparison_records_are(Str text);
bool comparison_database_is(Str bytes);
bool checksum_list_is(Str text);

ComparisonReader comparator_report_read, comparison_table_read, comparison_lines_read,
    comparison_json_read, comparison_records_read, comparison_summary_read,
    comparison_database_read, checksum_list_read;

#endif
