// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_COVERAGE_TABLE_H
#define VERNIER_REPORT_COMPARE_COVERAGE_TABLE_H

#include "scene/table.h"
#include "verdict/compare_view.h"

// What each side recorded over all pairs, what of it was compared, and why the rest was not.
Table *table_of_coverage(const CompareSummary *summary, Arena *arena);

// The rules that excused slots, over all pairs: how many, and the first with its figures. NULL:
// none.
Table *table_of_excused(const CompareSummary *summary, Arena *arena);

#endif
