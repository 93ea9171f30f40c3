// SPDX-License-Identifier: Apache-2.0
// The values of all series as one table, a step a row.
#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "base/words.h"
#include "report/curves/curves_tables.h"

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
    return column->series ? column->series->points[column->at].x
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
        return column->series->points[column->at].value;
    const Aligned *pair = &column->comparison->pair;
    return decimal_difference(pair->values[0][column->at], pair->values[1][column->at]);
}

static Cell value_cell(double value)
{
    if (isfinite(value))
        return cell_number(value);
    return cell_text(isnan(value) ? STR("NaN") : value > 0 ? STR("Inf") : STR("-Inf"));
}

// The smallest step that any column still has, then every column that has it.
static bool next_row(void *state, Cell *cells)
{
    ValueRows *rows = state;
    int64_t x = INT64_MAX;
    bool any = false;
    for (size_t i = 0; i < rows->count; i++) {
        const ValueColumn *column = &rows->items[i];
        if (column->at >= column_size(column))
            continue;
        any = true;
        x = column_x(column) < x ? column_x(column) : x;
    }
    if (!any)
        return false;
    int size = snprintf(rows->step, sizeof rows->step, "%lld", (long long)x);
    cells[0] = cell_number_as((double)x, (Str){rows->step, (size_t)size});
    for (size_t i = 0; i < rows->count; i++) {
        ValueColumn *column = &rows->items[i];
        if (column->at >= column_size(column) || column_x(column) != x)
            continue;
        cells[i + 1] = value_cell(column_value(column));
        column->at++;
    }
    return true;
}

static void rewind_rows(void *state)
{
    ValueRows *rows = state;
    for (size_t i = 0; i < rows->count; i++)
        rows->items[i].at = 0;
}

static void add_columns(const CurveReport *report, Str chosen, Arena *arena, ValueRows *rows)
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

static Str column_title(const CurveReport *report, const ValueColumn *column, Arena *arena)
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

Table *curves_table_values(const CurveReport *report, Str series, Arena *arena)
{
    Table *table = ARENA_NEW(arena, Table);
    ValueRows *rows = ARENA_NEW(arena, ValueRows);
    add_columns(report, series, arena, rows);
    Column *columns = ARENA_ARRAY(arena, Column, rows->count + 1);
    columns[0] = (Column){.title = str_of(tr("step")), .width = 10, .number = true};
    for (size_t i = 0; i < rows->count; i++)
        columns[i + 1] = (Column){
            .title = column_title(report, &rows->items[i], arena), .width = 18, .number = true};
    *table = (Table){.name = str_of(tr("Values")),
                     .columns = columns,
                     .column_count = rows->count + 1,
                     .row_count = UINT64_MAX,
                     .freeze = true,
                     .next = next_row,
                     .rewind = rewind_rows,
                     .state = rows};
    return table;
}
