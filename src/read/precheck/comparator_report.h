// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_PRECHECK_COMPARATOR_REPORT_H
#define VERNIER_READ_PRECHECK_COMPARATOR_REPORT_H

#include "base/notice.h"
#include "read/precheck/precheck.h"

// comparator_report.jsonl of SGLang's comparator: a record a line, told apart by "type":
// comparison, non_tensor and skip (later ones with "comparison_" in front) are findings, by name;
// of a later step than the first "NAME#1". Records of other types are passed over.

bool comparator_report_is(Str text);

// A line that is no record is told and costs itself.
void comparator_report_read(const char *path, Str text, Arena *arena, Precheck *out,
                            Notices *notices);

#endif
