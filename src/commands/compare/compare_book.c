// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_book.h"

#include "base/array.h"
#include "base/words.h"
#include "commands/compare/compare_rows.h"
#include "read/dump/place_name.h"
#include "report/compare/compare_tables.h"
#include "report/compare/pair_links.h"
#include "report/history/history_tables.h"
#include "report/kit/cell.h"

enum { DIFFERING_ROWS = 10000 };

Str compare_book_base(const PlacePair *place, bool single, Arena *arena)
{
    return single ? STR("compare")
                  : place_base("compare", place->step, place->stage, place->rank, arena);
}

// The row of the sheet in which the divergence starts; 0: it has none.
static uint64_t row_of_first(Table *rows, const FirstDivergence *first, Arena *arena)
{
    Str target =
        str_printf(arena, STR_FMT "." STR_FMT, STR_ARG(first->target), STR_ARG(first->slot));
    Cell *cells = ARENA_ARRAY(arena, Cell, rows->column_count);
    uint64_t at = 2, found = 0;
    if (first->kind == DIVERGE_NONE || !first->target.size)
        return 0;
    rows->rewind(rows->state);
    for (; !found && rows->next(rows->state, cells); at++)
        found = str_equal(cells[0].text, target) ? at : 0;
    rows->rewind(rows->state);
    return found;
}

static void add_link(SummaryFacts *links, const char *name, Str text, Str link, Arena *arena)
{
    if (link.size)
        *ARRAY_PUSH(arena, links) =
            (SummaryFact){str_of(tr(name)), cell_linked(cell_text(text), link), {0}};
}

// From the verdict to the first divergence, its row, the page and the picture.
static void find_links(const PairResult *result, Table *rows, Arena *arena, SummaryFacts *out)
{
    const FirstDivergence *first = &result->facts.first;
    uint64_t row = row_of_first(rows, first, arena);
    Str shown = pair_shown(&result->files);
    bool page = str_ends(shown, STR(".html"));
    if (first->kind != DIVERGE_NONE)
        add_link(out, TR("first divergence"), pair_facts_op(first),
                 summary_sheet_link(tr("First divergence"), 1, arena), arena);
    if (row)
        add_link(out, TR("its row"), first->slot,
                 summary_sheet_link(str_cstr(arena, rows->name), row, arena), arena);
    add_link(out, page ? TR("page") : TR("picture"), shown, shown, arena);
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
    Table *sheets[7], *rows = compare_rows_table(pair, options->all_rows, arena);
    SummaryFacts links = {0};
    size_t count = 1;  // after the summary
    rows->freeze = true;
    find_links(result, rows, arena, &links);
    Table *first = table_of_first_divergence(&pair->comparison, arena);
    if (first)
        sheets[count++] = first;
    if (options->rules == RULES_VERNIER && status_differs(result->facts.status))
        sheets[count++] = table_of_differing(&pair->comparison, DIFFERING_ROWS, arena);
    sheets[count++] = rows;
    Table *precheck = table_of_precheck(&result->facts, arena);
    if (precheck)
        sheets[count++] = precheck;
    sheets[count++] = table_of_unmatched(&pair->comparison, arena);
    if (options->history)
        sheets[count++] = history_table_of_trends(options->history, 0, arena);
    sheets[0] = table_of_summary(summary, &links, sheets + 1, count - 1, arena);
    product_book(product, compare_book_base(place, options->single, arena), options->single, sheets,
                 count);
}

void compare_book_overview(const CompareSummary *summary, Product *product)
{
    Arena *arena = product->arena;
    Table *sheets[3] = {NULL, table_of_pairs(summary, SIZE_MAX, true, arena)};
    size_t count = 2;
    if (summary->history)
        sheets[count++] = history_table_of_trends(summary->history, 0, arena);
    sheets[0] = table_of_summary(summary, NULL, sheets + 1, count - 1, arena);
    product_book(product, STR("compare"), true, sheets, count);
}
