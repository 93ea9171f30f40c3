// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_book.h"

#include "commands/compare/compare_rows.h"
#include "commands/dumps/place_graph.h"
#include "read/dump/place_name.h"
#include "report/compare/compare_tables.h"
#include "report/history/history_tables.h"

Str compare_book_base(const PlacePair *place, bool single, Arena *arena)
{
    return single ? STR("compare")
                  : place_base("compare", place->step, place->stage, place->rank, arena);
}

void compare_book_add(const PairGraphs *pair, const PlacePair *place,
                      const ComparePairOptions *options, const PairResult *result, Product *product)
{
    if (!outputs_want_books(product->outputs))
        return;
    Arena *arena = product->arena;
    CompareSummary *summary = ARENA_NEW(arena, CompareSummary);
    *summary = (CompareSummary){.version = VERNIER_VERSION,
                                .pairs = &result->facts,
                                .verdicts = &result->verdict,
                                .count = 1,
                                .verdict = &result->verdict,
                                .status = result->facts.status,
                                .mode = pair->comparison.mode,
                                .golden_path = options->sides.golden,
                                .target_path = options->sides.target,
                                .rules = pair->comparison.rules};
    Table *sheets[6], *rows = compare_rows_table(pair, options->all_rows, arena);
    size_t count = 0;
    rows->freeze = true;
    sheets[count++] = table_of_summary(summary, arena);
    Table *first = table_of_first_divergence(&pair->comparison, arena);
    if (first)
        sheets[count++] = first;
    sheets[count++] = rows;
    Table *precheck = table_of_precheck(&result->facts, arena);
    if (precheck)
        sheets[count++] = precheck;
    sheets[count++] = table_of_unmatched(&pair->comparison, arena);
    if (options->history)
        sheets[count++] = history_table_of_trends(options->history, 0, arena);
    product_book(product, compare_book_base(place, options->single, arena), options->single, sheets,
                 count);
}

void compare_book_overview(const CompareSummary *summary, Product *product)
{
    Arena *arena = product->arena;
    Table *sheets[3] = {table_of_summary(summary, arena),
                        table_of_pairs(summary, SIZE_MAX, false, arena)};
    size_t count = 2;
    if (summary->history)
        sheets[count++] = history_table_of_trends(summary->history, 0, arena);
    product_book(product, STR("compare"), true, sheets, count);
}
