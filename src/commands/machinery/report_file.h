// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_REPORT_FILE_H
#define VERNIER_COMMANDS_MACHINERY_REPORT_FILE_H

#include "base/error.h"
#include "read/json/json_tree.h"

// The summary.json of an earlier run as an input: what every kind of it has, and the pairs of a
// comparison.

// `path`: the file, or the folder of its report. NULL, with *err set: it cannot be read.
const JsonNode *report_file_read(const char *path, Arena *arena, Error *err);

// The member as text, empty where it is null or not there.
Str report_text_of(const JsonNode *node, const char *key, Arena *arena);

// The list of pairs; NULL: the report has none.
const JsonNode *report_pairs(const JsonNode *root);
// "step 3 actor_update, rank 0".
Str report_pair_place(const JsonNode *pair, Arena *arena);
// The op of its first divergence, target's where it has one; empty: there is none.
Str report_first_op(const JsonNode *pair);

// What is known of a pair or a report by its status, the worse the later.
typedef enum ReportState {
    REPORT_SAME,
    REPORT_PASS,
    REPORT_WARNING,
    REPORT_UNMATCHED,
    REPORT_ERROR,
    REPORT_UNKNOWN  // nothing was compared
} ReportState;
ReportState report_state(const JsonNode *node);

#endif
