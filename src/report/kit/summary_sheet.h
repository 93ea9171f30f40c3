// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_KIT_SUMMARY_SHEET_H
#define VERNIER_REPORT_KIT_SUMMARY_SHEET_H

#include "scene/report.h"

// The first sheet of a workbook: the verdict in A1, below it what one wants to know first, then
// where to go: the sheets with their numbers of rows, files next to the workbook.

typedef struct SummaryFact {
    Str name;
    Cell value, more;  // `more`: a second value, or empty
} SummaryFact;

typedef struct SummaryFacts {
    SummaryFact *items;
    size_t count, capacity;
} SummaryFacts;

// `sheets`: those that follow in the workbook.
Table *summary_sheet(const Verdict *verdict, const SummaryFacts *facts, Table *const *sheets,
                     size_t count, Arena *arena);

// Whether a workbook begins with such a sheet.
bool summary_sheet_is(const Table *table);

// "internal:'Compare'!A12": a row of a sheet, the first below its heads is 2.
Str summary_sheet_link(const char *sheet, uint64_t row, Arena *arena);

#endif
