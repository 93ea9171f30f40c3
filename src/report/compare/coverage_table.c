// SPDX-License-Identifier: Apache-2.0
#include "report/compare/coverage_table.h"

#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "verdict/coverage_text.h"
#include "verdict/figure_text.h"

static void add_reason(StrBuf *out, Str reason)
{
    strbuf_add(out, out->size ? str_of(tr("; ")) : STR(""));
    strbuf_add(out, reason);
}

// Why slots of `side` could not be compared with the other side's.
static Str why(const Coverage *coverage, Side side, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    Str alone = coverage_alone(coverage, side, arena);
    if (alone.size)
        add_reason(&out, str_printf(arena, tr("this side alone records " STR_FMT), STR_ARG(alone)));
    if (coverage->lost)
        add_reason(&out, str_printf(arena,
                                    tr_count(coverage->lost, STR_FMT " value was lost on one side",
                                             STR_FMT " values were lost on one side"),
                                    STR_ARG(figure_count(coverage->lost, arena))));
    if (coverage->unrecorded)
        add_reason(&out, str_printf(arena,
                                    tr_count(coverage->unrecorded,
                                             "neither side holds values of " STR_FMT " tensor",
                                             "neither side holds values of " STR_FMT " tensors"),
                                    STR_ARG(figure_count(coverage->unrecorded, arena))));
    if (coverage->ends_early[side])
        add_reason(&out,
                   str_of(tr("this dump has none of the first or the last ops of the other")));
    if (coverage->breaks_off[side])
        add_reason(&out, str_of(tr("the file of this dump breaks off")));
    return strbuf_str(&out);
}

static void coverage_columns(Row *row)
{
    const Coverage *coverage = row->view;
    const int *side = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("side"), 10, cell_side(*side));
    NUMBER(row, TR("slots"), 10, cell_count_or_dot(coverage->slots[*side], arena));
    NUMBER(row, TR("with a value"), 12, cell_count_or_dot(coverage->told[*side], arena));
    NUMBER(row, TR("compared"), 10, cell_count_or_dot(coverage->compared, arena));
    if (coverage->carried)
        NUMBER(row, TR("by allowance"), 12, cell_count_or_dot(coverage->carried, arena));
    if (why(coverage, SIDE_GOLDEN, arena).size || why(coverage, SIDE_TARGET, arena).size)
        TEXT(row, TR("why not the rest"), 48, cell_text(why(coverage, (Side)*side, arena)));
}

static void excused_columns(Row *row)
{
    const Excused *excused = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("rule"), 16, cell_code(str_of(rule_table[excused->rule].id)));
    NUMBER(row, TR("slots"), 10, cell_count(excused->slots, arena));
    TEXT(row, TR("what the rule says"), 60, cell_text(str_of(tr(rule_says(excused->rule, arena)))));
    TEXT(row, TR("first"), 40,
         cell_code(
             str_printf(arena, STR_FMT "." STR_FMT, STR_ARG(excused->op), STR_ARG(excused->slot))));
    NUMBER(row, TR("differs by"), 12, cell_error(excused->error, arena));
    NUMBER(row, TR("tolerance"), 12, cell_error(excused->floor, arena));
    NUMBER(row, TR("what vouches for it"), 12, cell_error(excused->given, arena));
}

Table *table_of_excused(const CompareSummary *summary, Arena *arena)
{
    Coverage *all = ARENA_NEW(arena, Coverage);
    for (size_t i = 0; i < summary->count; i++)
        coverage_join(all, &summary->pairs[i].coverage, arena);
    return all->excused_count ? COLUMNS_TABLE(TR("What rules excuse"), excused_columns, NULL,
                                              all->excused, all->excused_count, arena)
                              : NULL;
}

Table *table_of_coverage(const CompareSummary *summary, Arena *arena)
{
    static const int sides[] = {SIDE_GOLDEN, SIDE_TARGET};
    Coverage *all = ARENA_NEW(arena, Coverage);
    *all = (Coverage){.left_count = 0};
    for (size_t i = 0; i < summary->count; i++)
        coverage_join(all, &summary->pairs[i].coverage, arena);
    return COLUMNS_TABLE(TR("What was compared"), coverage_columns, all, sides, 2, arena);
}
