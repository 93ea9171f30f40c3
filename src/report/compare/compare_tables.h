// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_COMPARE_TABLES_H
#define VERNIER_REPORT_COMPARE_COMPARE_TABLES_H

#include "report/kit/summary_sheet.h"
#include "verdict/compare_view.h"

// The small tables of a comparison: for the page, the ticket text and the workbook. All are made in
// memory; the row table is in rows_table.h.

// Which side is which: path, framework, ops.
Table *table_of_runs(const CompareSummary *summary, Arena *arena);

// Ops and slots by status over all pairs.
Table *table_of_counts(const CompareSummary *summary, Arena *arena);

// The ops with the largest errors of one pair, at most `limit`.
// `whole_names`: as in the dump, to be searched for; else the short ones.
Table *table_of_worst(const PairFacts *facts, size_t limit, bool whole_names, Arena *arena);

// One row a group of pairs that are equal, with their ranks as ranges; `links`: to the page of the
// pair that stands for it.
Table *table_of_groups(const CompareSummary *summary, size_t most, bool links, Arena *arena);

// One row a pair, at most so many: step, rank, status, first divergence, its error. `links`: to the
// picture and the workbook of each.
Table *table_of_pairs(const CompareSummary *summary, size_t most, bool links, Arena *arena);

// The slots of the op at which the runs diverge, both sides. NULL if they do not.
Table *table_of_first_divergence(const Comparison *comparison, Arena *arena);

// The same for a ticket: norms of both sides (values of arguments) with 6 digits. NULL if the runs
// do not part.
Table *table_of_first_slots(const Comparison *comparison, Arena *arena);

// Error and counts by layer: the modules whose last name part is a number, else the top modules.
// Three and more in a row that are equal bit for bit are one row. `book`: a workbook holds what is
// left out, and is named.
Table *table_of_layers(const Comparison *comparison, bool book, Arena *arena);

// Ops that one side does not have, in execution order.
Table *table_of_unmatched(const Comparison *comparison, Arena *arena);

// Every op in execution order: number, status, name, error in and out. With more than `limit` ops
// only those that differ, then only the first `limit`; the note says what was left out.
Table *table_of_ops(const Comparison *comparison, size_t limit, bool book, Arena *arena);

// The ops that fail in isolation (--precheck), in execution order, with what the comparison says of
// them. NULL: none, or no pre-check was given.
Table *table_of_precheck(const PairFacts *facts, Arena *arena);

// The slots that differ, at most so many: result, error, floor and rule next to the name.
Table *table_of_differing(const Comparison *comparison, uint64_t most, Arena *arena);

// The first sheet of a workbook; `links`: where else to look, or NULL; `sheets`: those that follow.
Table *table_of_summary(const CompareSummary *summary, const SummaryFacts *links,
                        Table *const *sheets, size_t count, Arena *arena);

#endif
