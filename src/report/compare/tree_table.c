// SPDX-License-Identifier: Apache-2.0
#include "report/compare/tree_table.h"

#include "base/words.h"
#include "picture/compare/node_name.h"
#include "picture/compare/tree_plan.h"
#include "report/kit/cell.h"

enum { TREE_ROWS = 12, TREE_ROWS_MAX = 16 };

static const Column columns[] = {{.width = 0}, {.width = 0}, {.number = true}};

static uint32_t depth_of(const TreeRow *row)
{
    return row->kind == TREE_SECTION ? 0 : row->indent + 1;
}

// Whether the branch of `depth` goes on below row `at`.
static bool goes_on(const TreePlan *plan, size_t at, uint32_t depth)
{
    for (size_t i = at + 1; i < plan->count; i++)
        if (depth_of(&plan->items[i]) <= depth)
            return depth_of(&plan->items[i]) == depth;
    return false;
}

static const char *mark_of(const TreeRow *row, bool first)
{
    if (first)
        return "■";
    switch (row->worst) {
    case STATUS_SAME:
        return "=";
    case STATUS_PASS:
        return "≈";
    case STATUS_NO_DATA:
        return "·";
    case STATUS_UNMATCHED:
        return "?";
    default:
        return row->worst_starts ? "■" : "▒";
    }
}

// What a reader without colours sees of it, too: solid where trouble starts, a tint where it goes.
static Str branch_of(const TreePlan *plan, size_t at, bool first, Arena *arena)
{
    const TreeRow *row = &plan->items[at];
    StrBuf buf = strbuf_new(arena);
    uint32_t depth = depth_of(row);
    for (uint32_t level = 1; level < depth; level++)
        strbuf_printf(&buf, "%s", goes_on(plan, at, level) ? "│ " : "  ");
    if (depth)
        strbuf_printf(&buf, "%s%s ", goes_on(plan, at, depth) ? "├ " : "└ ", mark_of(row, first));
    return strbuf_str(&buf);
}

static void add_row(Table *table, const Comparison *comparison, const TreePlan *plan, size_t at,
                    const Flag *flag)
{
    Arena *arena = ((TableRows *)table->state)->arena;
    const TreeRow *row = &plan->items[at];
    bool first = flag && flag->kind == FLAG_FIRST && row->kind == TREE_NODE;
    CellStyle style = style_of_status(row->worst, !row->worst_starts && !first);
    Cell *cells = table_add_row(table);
    cells[0] = cell_text(branch_of(plan, at, first, arena));
    cells[1] = cell_styled(row->kind == TREE_SECTION ? STYLE_STRONG : style, row->text);
    if (row->kind == TREE_NODE) {
        NodeName name = node_name(comparison, row->row, arena);
        cells[1].text = name.local;
        cells[1].title = name.class_name;
    }
    if (row->has_errors && row->kind == TREE_NODE)
        cells[2] = cell_styled(first ? STYLE_STRONG : STYLE_PLAIN,
                               str_printf(arena, STR_FMT " → " STR_FMT, STR_ARG(row->in.text),
                                          STR_ARG(row->out.text)));
}

Table *table_of_tree(const Comparison *comparison, Arena *arena)
{
    if (comparison->first.kind == DIVERGE_NONE)
        return NULL;
    Arena *scratch = arena_new();
    Outline outline;
    Flags flags;
    TreePlan plan;
    TreeLimits limits = {.rows = TREE_ROWS, .most = TREE_ROWS_MAX};
    outline_build(comparison, scratch, &outline);
    flags_find(&outline, &flags);
    if (flags.count > 1)
        flags.count = 1;  // the others have no disc here that would say what they are
    tree_plan(&outline, &flags, &limits, scratch, &plan);
    while (plan.rows_cut && plan.items[plan.count - 1].kind == TREE_SECTION) {
        plan.count--;  // nothing of it would follow
        plan.rows_cut++;
    }
    Table *table = ARENA_NEW(scratch, Table);
    table_init_rows(table, ARENA_NEW(scratch, TableRows), "tree", columns, 3, scratch);
    for (size_t i = 0; i < plan.count; i++)
        add_row(table, comparison, &plan, i,
                plan.items[i].kind == TREE_NODE ? flags_at(&flags, plan.items[i].row) : NULL);
    if (plan.rows_cut)
        table_add_row(table)[1] = cell_styled(
            STYLE_MUTED, str_printf(scratch,
                                    tr_count(plan.rows_cut, "… %u more row in the report",
                                             "… %u more rows in the report"),
                                    plan.rows_cut));
    Table *out = table_copy(table, UINT64_MAX, arena);
    arena_release(scratch);
    return out;
}
