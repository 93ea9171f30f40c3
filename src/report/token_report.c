// SPDX-License-Identifier: Apache-2.0
#include "report/token_report.h"

#include <math.h>

#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "report/kit/sections.h"

typedef struct Figure {
    const char *name, *meaning;  // TR
    double value;
    bool count;
} Figure;

static void figure_columns(Row *row)
{
    const Figure *it = row->item;
    TEXT(row, TR("Figure"), 26, cell_strong(str_of(tr(it->name))));
    NUMBER(row, TR("Value"), 16,
           it->count          ? cell_count((uint64_t)it->value, row->arena)
           : isnan(it->value) ? cell_dash()
                              : cell_digits(it->value, 6, row->arena));
    TEXT(row, TR("What it is"), 70, cell_word(it->meaning));
}

static void sample_columns(Row *row)
{
    const TokenPair *it = row->item;
    NUMBER(row, TR("Sample"), 10, cell_int(it->sample, row->arena));
    NUMBER(row, TR("Tokens"), 10, cell_count(it->counted, row->arena));
    NUMBER(row, TR("Mean |Δ|"), 14,
           it->counted ? cell_digits(it->sum / (double)it->counted, 6, row->arena) : cell_dash());
    NUMBER(row, TR("Max |Δ|"), 14, it->counted ? cell_digits(it->max, 6, row->arena) : cell_dash());
    NUMBER(row, TR("At token"), 10, it->counted ? cell_int(it->max_at, row->arena) : cell_dash());
    NUMBER(row, TR("Parts at token"), 14,
           it->parts_at == UINT32_MAX ? cell_dash() : cell_int(it->parts_at, row->arena));
    NUMBER(row, TR("Other token at"), 14,
           it->other_at == UINT32_MAX ? cell_dash() : cell_int(it->other_at, row->arena));
    NUMBER(row, TR("Finite on one side only"), 14, cell_count(it->nonfinite, row->arena));
}

static void step_columns(Row *row)
{
    const TokenStep *it = row->item;
    NUMBER(row, TR("Step"), 10, cell_int(it->step, row->arena));
    NUMBER(row, TR("Tokens"), 10, cell_count(it->tokens, row->arena));
    NUMBER(row, TR("Mean |Δ|"), 14,
           isnan(it->mean) ? cell_dash() : cell_digits(it->mean, 6, row->arena));
    NUMBER(row, TR("mean factor"), 14,
           isnan(it->factor) ? cell_dash() : cell_digits(it->factor, 6, row->arena));
}

static Table *figures_table(const TokenComparison *of, Arena *arena)
{
    const Figure all[] = {
        {TR("tokens"), TR("counted: no mask of either side takes them out"), (double)of->counted,
         true},
        {TR("equal"), TR("of them, the same number on both sides"), (double)of->equal, true},
        {TR("masked"), TR("not counted"), (double)of->masked, true},
        {TR("mean |Δ|"), TR("of target's log-probability minus golden's"), of->mean, false},
        {TR("max |Δ|"), TR("the token that is furthest off"), of->max, false},
        {TR("mean Δ"), TR("above 0: target gives the tokens more probability"), of->signed_mean,
         false},
        {TR("k1"), TR("KL(golden || target) over tokens that golden sampled: mean of -Δ"), of->k1,
         false},
        {TR("k3"), TR("the same, never negative: mean of exp(Δ) - 1 - Δ"), of->k3, false},
        {TR("perplexity ratio"), TR("target's perplexity over golden's"), of->perplexity, false},
        {TR("mean factor"), TR("mean of exp|Δ|, which the limit is for"), of->factor, false},
        {TR("beyond 0.01"), TR("tokens with |Δ| above it"), (double)of->beyond[0], true},
        {TR("beyond 0.1"), TR("tokens with |Δ| above it"), (double)of->beyond[1], true},
        {TR("beyond 1"), TR("tokens with |Δ| above it"), (double)of->beyond[2], true},
    };
    Table *table = columns_table(TR("Figures"), figure_columns, NULL, arena);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Figure *kept = ARENA_NEW(arena, Figure);
        *kept = all[i];
        columns_add(table, kept);
    }
    table->freeze = false;
    return table;
}

void token_tables(const TokenView *view, Arena *arena, TokenTables *out)
{
    const TokenComparison *of = view->comparison;
    out->figures = figures_table(of, arena);
    out->steps = view->course ? COLUMNS_TABLE(TR("Steps"), step_columns, NULL, view->course->items,
                                              view->course->count, arena)
                              : NULL;
    out->samples =
        COLUMNS_TABLE(TR("Samples"), sample_columns, NULL, of->pairs, of->pair_count, arena);
}

void token_report(const TokenView *view, TokenTables *tables, const Scene *picture, Arena *arena,
                  Report *out)
{
    report_init(out, arena);
    out->title = view->verdict.sentence;
    report_verdict(out, &view->verdict);
    report_text(out, str_printf(arena, tr("golden: " STR_FMT " · target: " STR_FMT),
                                STR_ARG(view->golden_path), STR_ARG(view->target_path)));
    report_figure(out, picture, STR("tokens"), STR(""));
    section_table(out, "figures", tr("Figures"), tables->figures);
    if (tables->steps)
        section_table(out, "steps", tr("Steps"), tables->steps);
    section_problems(out, "problems", tr("Problems with the input"), view->notices);
    section_table(out, "samples", tr("Samples"), tables->samples);
}
