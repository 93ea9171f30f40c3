// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_SUMMARY_H

#include "base/json_writer.h"
#include "base/notice.h"
#include "scene/report.h"

// What the summary.json of every command has in common (docs/spec/output.md §2): the outer keys and
// the list of problems.

typedef struct SummaryHead {
    const char *schema;   // "vernier.monitor/1"
    const char *version;  // of the program
    const char *status;   // "pass", "warning", "error", "no data"
    const Verdict *verdict;
} SummaryHead;

// Opens the outer object and writes schema, version, status, partial and verdict.
void summary_begin(JsonWriter *json, const SummaryHead *head, Sink *out);

// Writes the problems and closes the outer object.
void summary_end(JsonWriter *json, const Notices *notices);

// Numbers that may be missing: NaN and MISSING give null.
void summary_number(JsonWriter *json, const char *key, double value);
void summary_int(JsonWriter *json, const char *key, int64_t value);
void summary_str(JsonWriter *json, const char *key, Str text);
void summary_name(JsonWriter *json, const char *key, Str text);  // null where it is empty

// Arrays on one line.
void summary_ints(JsonWriter *json, const char *key, const int64_t *items, size_t count);
void summary_strs(JsonWriter *json, const char *key, const Str *items, size_t count);

#endif
