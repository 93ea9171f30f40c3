// SPDX-License-Identifier: Apache-2.0
#include "report/kit/tree_text.h"

#include <string.h>

#include "check.h"

static const Column columns[] = {{.width = 0}, {.width = 0}, {.number = true}};

static Table *tree(Arena *arena)
{
    Table *table = ARENA_NEW(arena, Table);
    table_init_rows(table, ARENA_NEW(arena, TableRows), "tree", columns, 3, arena);
    table_add_row(table)[1] = cell_styled(STYLE_STRONG, STR("Forward"));
    Cell *cells = table_add_row(table);
    cells[0] = cell_text(STR("└ ■ "));
    cells[1] = cell_styled(STYLE_ERROR, STR("注意力模块之一"));
    cells[1].title = STR("Linear");
    cells[2] = cell_text(STR("= → 2.91e-05"));
    return table;
}

static void full_width_names_end_where_the_figures_begin(void)
{
    Arena *arena = arena_new();
    CHECK_TEXT(tree_text(tree(arena), 40, false, arena),
               "Forward\n└ ■ 注意力模块之一  Linear  = → 2.91e-05\n");
    arena_release(arena);
}

static void a_name_loses_its_class_then_its_figures_then_its_middle(void)
{
    Arena *arena = arena_new();
    CHECK_TEXT(tree_text(tree(arena), 36, false, arena),
               "Forward\n└ ■ 注意力模块之一      = → 2.91e-05\n");
    CHECK_TEXT(tree_text(tree(arena), 30, false, arena), "Forward\n└ ■ 注意力模块之一  Linear\n");
    CHECK_TEXT(tree_text(tree(arena), 15, false, arena), "Forward\n└ ■ 注意…之一\n");
    arena_release(arena);
}

static void the_mark_has_the_colour_of_its_row_and_the_branch_has_none(void)
{
    Arena *arena = arena_new();
    Str text = tree_text(tree(arena), 80, true, arena);
    CHECK(str_find(text, STR("└ \x1b[1;31m■ 注意力模块之一  Linear\x1b[0m"), 0) != SIZE_MAX);
    CHECK(str_starts(text, STR("\x1b[1mForward\x1b[0m\n")));
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(full_width_names_end_where_the_figures_begin);
    CHECK_RUN(a_name_loses_its_class_then_its_figures_then_its_middle);
    CHECK_RUN(the_mark_has_the_colour_of_its_row_and_the_branch_has_none);
    return CHECK_RESULT;
}
