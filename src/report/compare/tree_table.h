// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_TREE_TABLE_H
#define VERNIER_REPORT_COMPARE_TREE_TABLE_H

#include "compare/judge/comparison.h"
#include "scene/table.h"

// The divergence tree in a dozen rows, for the terminal and the text of a ticket: the path to the
// op where the runs diverge, what agrees folded, the errors of each row. Columns: branch lines with
// the mark of the row, its name in the style of its status with its class
// as title, error in → out. NULL: the runs do not
// part. Lives in `arena`; report/kit/tree_text.h makes lines of it.
Table *table_of_tree(const Comparison *comparison, Arena *arena);

#endif
