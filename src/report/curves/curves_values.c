// SPDX-License-Identifier: Apache-2.0
// The values of all series as one table, a step a row.
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"
#include "base/words.h"
#include "report/curves/curves_tables.h"
#include "report/kit/cell.h"

// One column of the table: a series, or the difference of a comparison.
typedef struct ValueColumn {
    const Series *series;  // NULL: the difference
    const CurveComparison *comparison;
    size_t at;
} ValueColumn;

typedef struct ValueRows {
    ValueColumn *items;
    size_t count, capacity;
    char step[24];  // the text of the row given last
    uint8_t *kept;  // a bit a row; NULL: all
    size_t row;     // how many were passed
} ValueRows;

static bool is_chosen(Str chosen, Str name)
{
    Str part;
    if (chosen.size == 0)
        return true;
    while (str_split(&chosen, ',', &part))
        if (str_equal(str_trim(part), name))
            return true;
    return false;
}

static size_t column_size(const ValueColumn *column)
{
    return column->series ? column->series->count : column->comparison->pair.count;
}

static int64_t column_x(const ValueColumn *column)
{
    return column->series ? column->series->points.x[column->at]
                          : column->comparison->pair.x[column->at];
}

// Logs print decimal numbers, and 14 digits hold what they print: beyond them the difference of two
// such numbers is the noise of binary subtraction ("-0.002060000000000173").
static double decimal_difference(double golden, double target)
{
    double difference = target - golden, size = fmax(fabs(golden), fabs(target));
    double unit = pow(10, 14 - ceil(log10(size)));
    bool exact = isfinite(difference) && unit >= 1 && unit <= 1e22;
    return exact ? round(difference * unit) / unit : difference;
}

static double column_value(const ValueColumn *column)
{
    if (column->series)
        return column->series->points.value[column->at];
    const Aligned *pair = &column->comparison->pair;
    return decimal_difference(pair->values[0][column->at], pair->values[1][column->at]);
}

// The smallest step that any column still has; false: none.
static bool next_x(const ValueRows *rows, int64_t *x)
{
    bool any = false;
    *x = INT64_MAX;
    for (size_t i = 0; i < rows->count; i++) {
        const ValueColumn *column = &rows->items[i];
        if (column->at >= column_size(column))
            continue;
        any = true;
        *x = column_x(column) < *x ? column_x(column) : *x;
    }
    return any;
}

static bool is_at(const ValueColumn *column, int64_t x)
{
    return column->at < column_size(column) && column_x(column) == x;
}

static void pass_row(ValueRows *rows, int64_t x)
{
    for (size_t i = 0; i < rows->count; i++)
        rows->items[i].at += is_at(&rows->items[i], x);
    rows->row++;
}

static bool next_row(void *state, Cell *cells)
{
    ValueRows *rows = state;
    int64_t x;
    bool any = next_x(rows, &x);
    for (; any && rows->kept && !(rows->kept[rows->row / 8] >> (rows->row % 8) & 1);
         any = next_x(rows, &x))
        pass_row(rows, x);
    if (!any)
        return false;
    int size = snprintf(rows->step, sizeof rows->step, "%lld", (long long)x);
    cells[0] = cell_number_as((double)x, (Str){rows->step, (size_t)size});
    for (size_t i = 0; i < rows->count; i++)
        if (is_at(&rows->items[i], x))
            cells[i + 1] = cell_value(column_value(&rows->items[i]));
    pass_row(rows, x);
    return true;
}

static void rewind_rows(void *state)
{
    ValueRows *rows = state;
    rows->row = 0;
    for (size_t i = 0; i < rows->count; i++)
        rows->items[i].at = 0;
}

// ---- Fewer rows

// Of a group of rows, one column: where its smallest and largest value and the first that is no
// number stand.
typedef struct Extremes {
    size_t low, high, lost;  // SIZE_MAX: none
    double smallest, largest;
} Extremes;

static void keep_row(ValueRows *rows, size_t row)
{
    if (row != SIZE_MAX)
        rows->kept[row / 8] |= (uint8_t)(1u << (row % 8));
}

static void end_group(ValueRows *rows, Extremes *found)
{
    for (size_t i = 0; i < rows->count; i++) {
        keep_row(rows, found[i].low);
        keep_row(rows, found[i].high);
        keep_row(rows, found[i].lost);
        found[i] = (Extremes){SIZE_MAX, SIZE_MAX, SIZE_MAX, INFINITY, -INFINITY};
    }
}

static void add_to_group(const ValueColumn *column, size_t row, Extremes *found)
{
    double value = column_value(column);
    if (!isfinite(value)) {
        found->lost = found->lost == SIZE_MAX ? row : found->lost;
        return;
    }
    if (value < found->smallest) {
        found->smallest = value;
        found->low = row;
    }
    if (value > found->largest) {
        found->largest = value;
        found->high = row;
    }
}

static size_t count_rows(ValueRows *rows)
{
    int64_t x;
    while (next_x(rows, &x))
        pass_row(rows, x);
    size_t count = rows->row;
    rewind_rows(rows);
    return count;
}

// Keeps at most `most` of `all` rows: of each group of neighbours those with the smallest and the
// largest value of each column, as charts do, so that no spike is lost; the first and the last.
static size_t choose_rows(ValueRows *rows, size_t all, size_t most, Arena *arena)
{
    assert(rows->count > 0);  // rows come from columns
    size_t groups = (most - 2) / (3 * rows->count), size = all / (groups ? groups : 1) + 1;
    Extremes *found = ARENA_ARRAY(arena, Extremes, rows->count);
    rows->kept = ARENA_ARRAY(arena, uint8_t, all / 8 + 1);
    int64_t x;
    for (size_t i = 0; i < rows->count; i++)
        found[i] = (Extremes){SIZE_MAX, SIZE_MAX, SIZE_MAX, INFINITY, -INFINITY};
    while (next_x(rows, &x)) {
        for (size_t i = 0; i < rows->count; i++)
            if (is_at(&rows->items[i], x))
                add_to_group(&rows->items[i], rows->row, &found[i]);
        pass_row(rows, x);
        if (rows->row % size == 0)
            end_group(rows, found);
    }
    end_group(rows, found);
    keep_row(rows, 0);
    keep_row(rows, all - 1);
    rewind_rows(rows);
    size_t kept = 0;
    for (size_t i = 0; i < all; i++)
        kept += rows->kept[i / 8] >> (i % 8) & 1;
    return kept;
}

static void add_columns(const CurveFindings *report, Str chosen, Arena *arena, ValueRows *rows)
{
    for (size_t i = 0; i < report->runs->count; i++) {
        const Run *run = &report->runs->items[i];
        for (size_t k = 0; k < run->series_count && rows->count < 256; k++)
            if (run->series[k].count && is_chosen(chosen, run->series[k].name))
                *ARRAY_PUSH(arena, rows) = (ValueColumn){.series = &run->series[k]};
    }
    for (size_t i = 0; i < report->count; i++)
        if (str_equal(report->items[i].series, STR("loss")) && is_chosen(chosen, STR("loss")))
            *ARRAY_PUSH(arena, rows) = (ValueColumn){.comparison = &report->items[i]};
}

static Str column_title(const CurveFindings *report, const ValueColumn *column, Arena *arena)
{
    if (!column->series)
        return str_printf(arena, tr(STR_FMT ": loss, target − golden"),
                          STR_ARG(column->comparison->target->name));
    for (size_t i = 0; i < report->runs->count; i++) {
        const Run *run = &report->runs->items[i];
        if (run->series_count && column->series >= run->series &&
            column->series < run->series + run->series_count)
            return str_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(run->name),
                              STR_ARG(column->series->name));
    }
    return column->series->name;
}

Table *curves_table_values(const CurveFindings *report, Str series, size_t most, Arena *arena)
{
    Table *table = ARENA_NEW(arena, Table);
    ValueRows *rows = ARENA_NEW(arena, ValueRows);
    add_columns(report, series, arena, rows);
    Column *columns = ARENA_ARRAY(arena, Column, rows->count + 1);
    columns[0] = (Column){.title = str_of(tr("step")), .width = 10, .number = true};
    for (size_t i = 0; i < rows->count; i++) {
        const Series *own = rows->items[i].series, *first = rows->items[0].series;
        columns[i + 1] = (Column){
            .title = column_title(report, &rows->items[i], arena), .width = 18, .number = true};
        columns[i + 1].chart = !own ? 2 : first && str_equal(own->name, first->name);
    }
    *table = (Table){.name = str_of(tr("Values")),
                     .columns = columns,
                     .column_count = rows->count + 1,
                     .row_count = UINT64_MAX,
                     .freeze = true,
                     .next = next_row,
                     .rewind = rewind_rows,
                     .state = rows};
    size_t all = most ? count_rows(rows) : 0;
    if (all > most)
        table->note = str_printf(arena,
                                 tr("%zu of %zu rows: of each group of neighbours those with the "
                                    "smallest and the largest values; --all-rows writes all"),
                                 choose_rows(rows, all, most, arena), all);
    return table;
}
