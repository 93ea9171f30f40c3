// SPDX-License-Identifier: Apache-2.0
#include "commands/compare_book.h"

#include "commands/compare_rows.h"
#include "layout/compare_tables.h"
#include "layout/history_tables.h"

void compare_book_write(const PairGraphs *pair, const PlacePair *place,
                        const ComparePairOptions *options, const PairResult *result,
                        Outputs *outputs)
{
    if (!outputs_want(outputs, "xlsx"))
        return;
    Arena *scratch = arena_new();
    CompareSummary summary = {.version = VERNIER_VERSION,
                              .pairs = &result->facts,
                              .verdicts = &result->verdict,
                              .count = 1,
                              .verdict = &result->verdict,
                              .status = result->facts.status,
                              .mode = pair->comparison.mode,
                              .golden_path = options->sides.golden,
                              .target_path = options->sides.target,
                              .rules = pair->comparison.rules};
    Table rows;
    Table *sheets[5];
    size_t count = 0;
    compare_rows_table(pair, options->all_rows, scratch, &rows);
    rows.freeze = true;
    sheets[count++] = table_of_summary(&summary, scratch);
    Table *first = table_of_first_divergence(&pair->comparison, scratch);
    if (first)
        sheets[count++] = first;
    sheets[count++] = &rows;
    sheets[count++] = table_of_unmatched(&pair->comparison, scratch);
    if (options->history)
        sheets[count++] = history_table_of_trends(options->history, 0, scratch);
    Str base = options->single ? STR("compare") : compare_pair_base("compare", place, scratch);
    outputs_tables(outputs, "xlsx", base.data, options->single, sheets, count);
    arena_release(scratch);
}

void compare_book_overview(const CompareSummary *summary, Outputs *outputs)
{
    Arena *scratch = arena_new();
    Table *sheets[3] = {table_of_summary(summary, scratch),
                        table_of_pairs(summary, SIZE_MAX, scratch)};
    size_t count = 2;
    if (summary->history)
        sheets[count++] = history_table_of_trends(summary->history, 0, scratch);
    outputs_tables(outputs, "xlsx", "compare", true, sheets, count);
    arena_release(scratch);
}
