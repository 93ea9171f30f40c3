// SPDX-License-Identifier: Apache-2.0
#include "report/compare/rows_table.h"

#include "compare/compare.h"
#include "msprobe_fixture.h"
#include "report/compare/fills_table.h"

// The row table of the rules `vernier`, its coloured cells, and what holds for all rules.

#define OPS(norm, more)                                                                            \
    "{\"Torch.a.0.forward\":" IO(SAME_INPUT, T("1", "-1", "0", "1")) ",\"Torch.b.0.forward\":" IO( \
        SAME_INPUT, T("1", "-1", "0", norm)) more "}"
#define EXTRA(name) ",\"Torch." name ".0.forward\":" IN(SAME_INPUT)

typedef struct Rows {
    Arena *arena;
    Graph golden, target;
    Comparison comparison;
    Table table;
} Rows;

static Rows *rows_of(const char *target, const char *golden, bool only_differing)
{
    Arena *arena = arena_new();
    Rows *rows = ARENA_NEW(arena, Rows);
    rows->arena = arena;
    msprobe_test_graph(arena, "golden", "statistics", golden, "pytorch", &rows->golden);
    msprobe_test_graph(arena, "target", "statistics", target, "pytorch", &rows->target);
    CompareOptions compare = {.rules = RULES_VERNIER};
    compare_graphs(&rows->golden, &rows->target, &compare, arena, &rows->comparison);
    RowsTableOptions options = {.name = "Compare", .only_differing = only_differing};
    rows_table_of_comparison(&rows->table, &rows->comparison, NULL, &options, arena);
    return rows;
}

// "target | golden | result" of every row, a line each.
static Str lines_of(Rows *rows)
{
    StrBuf text;
    text = strbuf_new(rows->arena);
    Table *table = &rows->table;
    size_t result = msprobe_test_column(table, "Result");
    Cell cells[64];
    memset(cells, 0, sizeof cells);
    for (table->rewind(table->state); table->next(table->state, cells);) {
        strbuf_printf(&text, STR_FMT "|" STR_FMT "|" STR_FMT "\n", STR_ARG(cells[0].text),
                      STR_ARG(cells[1].text), STR_ARG(cells[result].text));
        memset(cells, 0, sizeof cells);
    }
    return strbuf_str(&text);
}

static void rows_of_both_sides_stand_in_execution_order(void)
{
    Rows *rows = rows_of(OPS("1", EXTRA("new")), OPS("1", EXTRA("old")), false);
    CHECK_TEXT(lines_of(rows), "Torch.a.0.forward.input.0|Torch.a.0.forward.input.0|pass\n"
                               "Torch.a.0.forward.output.0|Torch.a.0.forward.output.0|pass\n"
                               "Torch.b.0.forward.input.0|Torch.b.0.forward.input.0|pass\n"
                               "Torch.b.0.forward.output.0|Torch.b.0.forward.output.0|pass\n"
                               "N/A|Torch.old.0.forward.input.0|unmatched\n"
                               "Torch.new.0.forward.input.0|N/A|unmatched\n");
    CHECK(rows->table.row_count == 6);
    arena_release(rows->arena);
}

static void rows_that_agree_can_be_left_out(void)
{
    Rows *rows = rows_of(OPS("2", ""), OPS("1", ""), true);
    CHECK_TEXT(lines_of(rows), "Torch.b.0.forward.output.0|Torch.b.0.forward.output.0|error\n");
    CHECK(rows->table.row_count == UINT64_MAX && rows->table.note.size > 0);
    arena_release(rows->arena);
}

static void the_deciding_cells_are_styled_and_listed_as_fills(void)
{
    Rows *rows = rows_of(OPS("2", ""), OPS("1", ""), true);
    Table fills;
    Theme theme;
    memset(&theme, 0, sizeof theme);
    theme.rgb[0][ROLE_ERROR_FILL] = 0xA50F15;
    fills_table_init(&fills, &rows->table, &theme, rows->arena);
    Cell cells[4];
    CHECK(fills.next(fills.state, cells));
    CHECK_TEXT(cells[0].text, "2");
    CHECK_TEXT(cells[1].text, "26");
    CHECK_TEXT(cells[2].text, "Result");
    CHECK_TEXT(cells[3].text, "A50F15");
    CHECK(fills.next(fills.state, cells));
    CHECK_TEXT(cells[1].text, "29");
    CHECK_TEXT(cells[2].text, "Deciding error");
    CHECK(!fills.next(fills.state, cells));
    fills.rewind(fills.state);
    CHECK(fills.next(fills.state, cells));
    CHECK_TEXT(cells[0].text, "2");
    arena_release(rows->arena);
}

static void differences_are_numbers_under_the_default_rules(void)
{
    Rows *rows = rows_of(OPS("2", ""), OPS("1", ""), true);
    Cell cells[64] = {0};
    CHECK(rows->table.next(rows->table.state, cells));
    const Cell *norm = &cells[msprobe_test_column(&rows->table, "L2norm diff")];
    CHECK(norm->kind == CELL_NUMBER && norm->number == 1);
    const Cell *relative = &cells[msprobe_test_column(&rows->table, "NormRelativeErr")];
    CHECK(relative->kind == CELL_PERCENT && relative->number == 100);
    CHECK(cells[msprobe_test_column(&rows->table, "Err_message")].text.size > 2);
    arena_release(rows->arena);
}

static void msprobes_columns_come_first_and_those_of_the_judge_last(void)
{
    Rows *rows = rows_of(OPS("1", ""), OPS("1", ""), false);
    CHECK(rows->table.column_count == 30);
    CHECK_TEXT(rows->table.columns[0].title, "NPU Name");
    CHECK_TEXT(rows->table.columns[26].title, "Err_message");
    CHECK_TEXT(rows->table.columns[27].title, "Deciding metric");
    CHECK_TEXT(rows->table.columns[28].title, "Deciding error");
    CHECK_TEXT(rows->table.columns[29].title, "Noise floor");
    arena_release(rows->arena);
}

// A mean near zero moves by a few percent of the size of its tensor, by a factor of 10,000 of
// itself.
static void the_cell_that_decided_holds_the_number_of_the_judge(void)
{
    static const char golden[] =
        "{\"Torch.b.0.forward\":" IO(SAME_INPUT, T("1", "-1", "1e-6", "1")) "}";
    static const char target[] =
        "{\"Torch.b.0.forward\":" IO(SAME_INPUT, T("1", "-1", "0.01", "1")) "}";
    Rows *rows = rows_of(target, golden, true);
    Cell cells[64] = {0};
    CHECK(rows->table.next(rows->table.state, cells));
    const SlotPair *pair = &rows->comparison.slots[rows->comparison.first.slot];
    const Cell *error = &cells[msprobe_test_column(&rows->table, "Deciding error")];
    const Cell *floor = &cells[msprobe_test_column(&rows->table, "Noise floor")];
    CHECK(error->kind == CELL_NUMBER && error->number == pair->error && error->number < 1);
    CHECK(error->style == STYLE_ERROR);
    CHECK(floor->kind == CELL_NUMBER && floor->number == (double)pair->floor);
    CHECK_TEXT(cells[msprobe_test_column(&rows->table, "Deciding metric")].text, "mean");
    CHECK(cells[msprobe_test_column(&rows->table, "MeanRelativeErr")].style == STYLE_PLAIN);
    arena_release(rows->arena);
}

static void where_no_number_decided_none_is_shown(void)
{
    Rows *rows = rows_of(OPS("1", EXTRA("new")), OPS("1", ""), true);
    Cell cells[64] = {0};
    CHECK(rows->table.next(rows->table.state, cells));
    for (size_t i = 27; i < 30; i++) {
        CHECK_TEXT(cells[i].text, "N/A");
        CHECK(cells[i].style == STYLE_PLAIN);
    }
    CHECK(cells[0].style == STYLE_UNMATCHED);
    arena_release(rows->arena);
}

static void styles_alone_are_those_of_the_whole_rows(void)
{
    Rows *rows = rows_of(OPS("2", EXTRA("new")), OPS("1", EXTRA("old")), false);
    Rows *again = rows_of(OPS("2", EXTRA("new")), OPS("1", EXTRA("old")), false);
    size_t count = 0, styled = 0;
    for (;; count++) {
        Cell whole[64] = {{0}}, bare[64] = {{0}};
        bool more = rows->table.next(rows->table.state, whole);
        CHECK(again->table.next_styles(again->table.state, bare) == more);
        if (!more)
            break;
        for (size_t i = 0; i < rows->table.column_count; i++) {
            CHECK(whole[i].style == bare[i].style);
            styled += whole[i].style != STYLE_PLAIN;
        }
    }
    CHECK(count == 6 && styled > count);
    arena_release(again->arena);
    arena_release(rows->arena);
}

int main(void)
{
    CHECK_RUN(rows_of_both_sides_stand_in_execution_order);
    CHECK_RUN(rows_that_agree_can_be_left_out);
    CHECK_RUN(the_deciding_cells_are_styled_and_listed_as_fills);
    CHECK_RUN(differences_are_numbers_under_the_default_rules);
    CHECK_RUN(msprobes_columns_come_first_and_those_of_the_judge_last);
    CHECK_RUN(the_cell_that_decided_holds_the_number_of_the_judge);
    CHECK_RUN(where_no_number_decided_none_is_shown);
    CHECK_RUN(styles_alone_are_those_of_the_whole_rows);
    return CHECK_RESULT;
}
