// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_ROWS_TABLE_H
#define VERNIER_LAYOUT_ROWS_TABLE_H

#include "compare/compare.h"
#include "compare/peer.h"
#include "read/stack.h"
#include "scene/table.h"

// The row table, a row for each value of each op: columns and their order are those of the peer's
// report (spec/compare.md §3), whatever the rules. Made row by row while it is written.

typedef struct RowsTableOptions {
    const char *name;     // of the sheet
    bool only_differing;  // leave out rows that are the same or pass
} RowsTableOptions;

// For the rules `vernier`: every slot of every op of both sides in execution order. Result is pass,
// warning, error, unmatched or no data; Err_message a JSON array of reasons; the cells that decided
// are styled. The difference cells of a tensor comparison come from `metrics`, one per slot pair of
// the comparison, or NULL.
void rows_table_of_comparison(Table *table, const Comparison *comparison,
                              const PeerMetrics *metrics, const RowsTableOptions *options,
                              Arena *arena);

// For the rules msprobe26 and msprobe8: the peer's rows, cell for cell.
void rows_table_of_peer(Table *table, const PeerComparison *peer, const RowsTableOptions *options,
                        Arena *arena);

// The message of one slot pair, or of one row of the peer: a JSON array of texts (generation 8: a
// reason a line). Written to `text`, which is emptied first.
Str row_reason_message(Reason reason, StrBuf *text);
Str row_peer_message(const PeerComparison *peer, const PeerRow *row, StrBuf *text);

#endif
