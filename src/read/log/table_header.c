// SPDX-License-Identifier: Apache-2.0
#include "read/log/table_header.h"

#include "read/known_rows.h"
#include "read/log/series_name.h"
#include "read/log/table_cell.h"

bool table_header_is(const Csv *csv, bool decimal_comma)
{
    Figure figure;
    for (size_t i = 0; i < csv->count; i++)
        if (!table_cell_is_absent(csv->cells[i]) &&
            !table_cell_figure(csv->cells[i], decimal_comma, &figure))
            return true;
    return false;
}

// A comment that names each column of the row.
static bool names_columns(const Csv *csv, Str comment, Csv *names)
{
    Str line = str_copy(csv->arena, str_slice(comment, 1, comment.size));
    csv_open(names, csv->path, line, csv->separator, csv->arena);
    bool known = false;
    int order;
    bool good = csv_next(names) && names->count == csv->count;
    for (size_t i = 0; good && i < names->count; i++)
        known = known || series_name_is_step(names->cells[i], &order) ||
                series_facts(names->cells[i]).measure;
    return known;
}

bool table_header_commented(Csv *csv)
{
    Csv names;
    Str rest = csv->text, line = STR(""), header = STR("");
    for (uint64_t number = 1; number < csv->line && str_split(&rest, '\n', &line); number++) {
        line = str_trim(line);
        if (!str_starts(line, STR("#")))
            header = STR("");
        else if (names_columns(csv, line, &names))
            header = line;
    }
    if (header.size == 0 || !names_columns(csv, header, &names))
        return false;
    csv_take_header(&names);
    csv->names = names.names;
    csv->column_count = names.column_count;
    return true;
}

int table_header_column(const Csv *csv, Str text)
{
    int64_t number;
    for (size_t i = 0; i < csv->column_count; i++)
        if (str_equal(csv->names[i], text))
            return (int)i;
    size_t limit = csv->column_count ? csv->column_count : csv->count;
    bool good = str_to_int64(text, &number) && number >= 1 && (uint64_t)number <= limit;
    return good ? (int)number - 1 : -1;
}

static void find_targets(const Csv *csv, ColumnSide *sides, size_t golden)
{
    for (size_t i = 0; i < csv->column_count; i++)
        if (!sides[i].side.size && str_equal_nocase(csv->names[i], sides[golden].measure))
            sides[i] = (ColumnSide){STR("target"), csv->names[i]};
}

static bool are_sides(const ColumnSide *a, const ColumnSide *b)
{
    return a->side.size && b->side.size && str_equal_nocase(a->measure, b->measure) &&
           series_name_side(a->side) != series_name_side(b->side);
}

const ColumnSide *table_header_sides(const Csv *csv)
{
    size_t count = csv->column_count;
    ColumnSide *sides = ARENA_ARRAY(csv->arena, ColumnSide, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!series_name_split_side(csv->names[i], &sides[i].side, &sides[i].measure))
            sides[i] = (ColumnSide){STR(""), STR("")};
    for (size_t i = 0; i < count; i++)
        // "golden loss" next to "loss": nothing but a comparison has the word.
        if (known_group_has("golden.alone", sides[i].side))
            find_targets(csv, sides, i);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i && sides[i].side.size; k++)
            if (are_sides(&sides[i], &sides[k]))
                return sides;
    return NULL;
}
