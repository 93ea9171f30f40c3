// SPDX-License-Identifier: Apache-2.0
#include "read/table/csv_file.h"

#include "check.h"

static Arena *arena;

static Csv open_text(const char *text, char separator)
{
    Csv csv;
    csv_open(&csv, "t.csv", str_of(text), separator, arena);
    if (csv_next(&csv))
        csv_take_header(&csv);
    return csv;
}

static void columns_are_found_by_name_in_any_order(void)
{
    Csv csv = open_text("loss,Step,name\r\n1.5,3,a\r\n2.5,4,b\r\n", ',');
    int step = csv_column(&csv, "step"), loss = csv_column(&csv, "loss");
    CHECK(step == 1 && loss == 0 && csv_column(&csv, "rank") == -1);
    CHECK(csv_next(&csv));
    CHECK_TEXT(csv_cell(&csv, step), "3");
    CHECK_TEXT(csv_cell(&csv, loss), "1.5");
    CHECK_TEXT(csv_cell(&csv, -1), "");
    CHECK(csv_next(&csv) && csv.line == 3 && !csv.unfinished);
    CHECK(!csv_next(&csv));
}

static void quotes_hold_separators_line_ends_and_quotes(void)
{
    Csv csv = open_text("name,shape\na,\"[2, 3]\"\nb,\"say \"\"x\"\"\n2nd\"\nc,[4]\n", ',');
    CHECK(csv_next(&csv));
    CHECK_TEXT(csv_cell(&csv, 1), "[2, 3]");
    CHECK(csv_next(&csv) && csv.line == 3);
    CHECK_TEXT(csv_cell(&csv, 1), "say \"x\"\n2nd");
    CHECK(csv_next(&csv) && csv.line == 5);
    CHECK_TEXT(csv_cell(&csv, 0), "c");
}

static void a_quote_without_end_costs_only_its_line(void)
{
    Csv csv = open_text("a,b\n\"x,1\ny,2\n", ',');
    CHECK(csv_next(&csv));
    CHECK_TEXT(csv_cell(&csv, 1), "1");
    CHECK(csv_next(&csv));
    CHECK_TEXT(csv_cell(&csv, 0), "y");
    CHECK(csv.open_quotes == 1 && csv.open_quote_line == 2);
}

static void ragged_rows_are_given_and_counted_except_the_cut_last_one(void)
{
    Csv csv = open_text("a,b,c\n1,2\n1,2,3,4\n1,2,3\n1,2", ',');
    CHECK(csv_next(&csv) && csv.count == 2 && !csv_row_is_whole(&csv));
    CHECK_TEXT(csv_cell(&csv, 2), "");
    CHECK(csv_next(&csv) && csv.count == 4);
    CHECK(csv_next(&csv) && csv_row_is_whole(&csv));
    CHECK(csv_next(&csv) && csv.unfinished);
    CHECK(csv.ragged_count == 2 && csv.ragged_line == 2);
    Notices notices;
    notices_init(&notices, arena);
    csv_report(&csv, &notices);
    CHECK(notices.count == 1 && notices.items[0].line == 2 && notices.items[0].partial);
}

static void a_header_that_comes_again_is_skipped_and_marked(void)
{
    Csv csv = open_text("step,x\n1,2\nstep,x\n1,3\n", ',');
    CHECK(csv_next(&csv) && !csv.after_header);
    CHECK(csv_next(&csv) && csv.after_header && csv.line == 4);
    CHECK(!csv_next(&csv) && csv.repeated_headers == 1);
}

static char separator_of(const char *text)
{
    Csv csv;
    csv_open(&csv, "t", str_of(text), 0, arena);
    return csv.separator;
}

static void the_separator_is_found(void)
{
    CHECK(separator_of("a\tb c\n1\t2 3\n") == '\t');
    CHECK(separator_of("a;b\n1,5;2,5\n") == ';');
    CHECK(separator_of("\xEF\xBB\xBF# made by x, y\na,b\n1,2\n") == ',');
    CHECK(separator_of("step   loss\n  1   2.5\n 10   2.4\n") == ' ');
    CHECK(separator_of("1.5\n2.5\n") == ',');
    CHECK(separator_of("\"x, y\",b\n1,2\n") == ',');
}

static void odd_files_survive(void)
{
    static const char *const texts[] = {"", "\n\n\r\r\n", "\"", "a", ",,,\n,,\n", "\"\"\"", "\r"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Csv csv = open_text(texts[i], 0);
        while (csv_next(&csv))
            CHECK(csv.count > 0);
    }
    Csv csv;
    csv_open(&csv, "t", (Str){"a,b\n1,2\n\0\0\0\0", 12}, ',', arena);
    CHECK(csv_next(&csv) && csv_next(&csv) && !csv_next(&csv));
    csv = open_text("a,b\r1,2\r3,4", ',');
    csv_pass_line(&csv, STR("1,2"));
    CHECK(csv_next(&csv) && csv.unfinished && csv.line == 3 && csv.row_count == 2);
    csv = open_text("a,b\r1,2\r3,4", ',');
    CHECK(csv_next(&csv) && csv_next(&csv) && csv.unfinished && csv.line == 3);
}

static void rows_of_a_million_cells_stay_bounded(void)
{
    enum { SIZE = 1 << 20 };
    char *text = arena_alloc(arena, SIZE);
    memset(text, ',', SIZE);
    Csv csv;
    csv_open(&csv, "t", (Str){text, SIZE}, ',', arena);
    CHECK(!csv_next(&csv) || csv.count == CSV_CELLS_MAX);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(columns_are_found_by_name_in_any_order);
    CHECK_RUN(quotes_hold_separators_line_ends_and_quotes);
    CHECK_RUN(a_quote_without_end_costs_only_its_line);
    CHECK_RUN(ragged_rows_are_given_and_counted_except_the_cut_last_one);
    CHECK_RUN(a_header_that_comes_again_is_skipped_and_marked);
    CHECK_RUN(the_separator_is_found);
    CHECK_RUN(odd_files_survive);
    CHECK_RUN(rows_of_a_million_cells_stay_bounded);
    arena_release(arena);
    return CHECK_RESULT;
}
