// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_ROWS_TABLE_H
#define VERNIER_REPORT_COMPARE_ROWS_TABLE_H

#include "compare/judge/comparison.h"
#include "compare/msprobe/msprobe.h"
#include "read/dump/stack.h"
#include "scene/table.h"

// The row table, a row for each value of each op: the first columns and their order are those of
// msProbe's report (docs/spec/compare.md §3), whatever the rules. Made row by row while it is
// written.

typedef struct RowsTableOptions {
    const char *name;     // of the sheet
    bool only_differing;  // leave out rows that are the same or pass
} RowsTableOptions;

// For the rules `vernier`: every slot of every op of both sides in execution order. Result is pass,
// warning, error, unmatched or no data; Err_message a JSON array of reasons. After msProbe's
// columns stand those of the judge: Deciding metric, Deciding error (relative to the scale of the
// tensor, as the verdict says it) and Noise floor, then Pre-check where one is given. Cells that
// decided are styled. The difference cells of a tensor comparison come from `metrics`, one per slot
// pair of the comparison, or NULL.
void rows_table_of_comparison(Table *table, const Comparison *comparison,
                              const MsprobeMetrics *metrics, const RowsTableOptions *options,
                              Arena *arena);

// For the rules msprobe26 and msprobe8: msProbe's rows, cell for cell.
void rows_table_of_msprobe(Table *table, const MsprobeComparison *msprobe,
                           const RowsTableOptions *options, Arena *arena);

// The message of one slot pair (of its op too, which may be NULL), or of one row of msProbe: a JSON
// array of texts (generation 8: a reason a line). Written to `text`, which is emptied first; `said`
// is room to work in.
Str row_rule_message(const Comparison *comparison, const OpPair *op, const SlotPair *pair,
                     StrBuf *said, StrBuf *text);
Str row_msprobe_message(const MsprobeComparison *msprobe, const MsprobeRow *row, StrBuf *text);

#endif
