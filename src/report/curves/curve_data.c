// SPDX-License-Identifier: Apache-2.0
#include "report/curves/curve_data.h"

#include <math.h>

#include "base/number.h"
#include "base/utf8.h"

enum { POINT_BYTES = 12, COLUMNS_LEAST = 50, COLUMNS_MOST = 2000, DIGITS = 7 };

typedef struct Pen {
    StrBuf *steps, *values;
    int64_t last;
    bool any;
} Pen;

static void add_point(Pen *pen, const Series *series, size_t at)
{
    char text[NUMBER_BYTES];
    int64_t x = series->points.x[at];
    double value = series->points.value[at];
    strbuf_printf(pen->steps, "%s%lld", pen->any ? " " : "",
                  (long long)(pen->any ? x - pen->last : x));
    if (isfinite(value))
        number_significant(value, DIGITS, text);
    strbuf_printf(pen->values, "%s%s", pen->any ? " " : "",
                  isnan(value)   ? "NaN"
                  : isinf(value) ? (value > 0 ? "Infinity" : "-Infinity")
                                 : text);
    pen->last = x;
    pen->any = true;
}

// The first of the smallest and of the largest values from `from` to `end`, what is no number
// before all others.
static void add_column(Pen *pen, const Series *series, size_t from, size_t end)
{
    size_t low = from, high = from;
    for (size_t i = from; i < end; i++) {
        double value = series->points.value[i];
        if (!isfinite(value)) {
            low = high = i;
            break;
        }
        low = value < series->points.value[low] ? i : low;
        high = value > series->points.value[high] ? i : high;
    }
    add_point(pen, series, low < high ? low : high);
    if (low != high)
        add_point(pen, series, low < high ? high : low);
}

static void add_series(const Run *run, const Series *series, size_t columns, StrBuf *out)
{
    Arena *scratch = arena_new();
    StrBuf steps = strbuf_new(scratch), values = strbuf_new(scratch);
    Pen pen = {.steps = &steps, .values = &values};
    size_t count = series->count;
    columns = count <= 2 * columns ? count : columns;
    for (size_t c = 0; c < columns; c++)
        add_column(&pen, series, c * count / columns, (c + 1) * count / columns);
    strbuf_printf(out, STR_FMT "\n" STR_FMT "\n%s\n" STR_FMT "\n" STR_FMT "\n",
                  STR_ARG(utf8_display(series->name, scratch)),
                  STR_ARG(utf8_display(run->name, scratch)), run_role_text(run->role),
                  STR_ARG(strbuf_str(&steps)), STR_ARG(strbuf_str(&values)));
    arena_release(scratch);
}

Str curve_data_text(const CurveFindings *report, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    size_t series = 0;
    for (size_t r = 0; r < report->runs->count; r++)
        series += report->runs->items[r].series_count;
    size_t columns = CURVE_DATA_BYTES / (2 * POINT_BYTES) / (series ? series : 1);
    columns = columns < COLUMNS_LEAST ? COLUMNS_LEAST : columns;
    columns = columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
    for (size_t r = 0; r < report->runs->count; r++) {
        const Run *run = &report->runs->items[r];
        for (size_t i = 0; i < run->series_count && out.size < CURVE_DATA_BYTES; i++)
            if (run->series[i].count > 1)
                add_series(run, &run->series[i], columns, &out);
    }
    return strbuf_str(&out);
}
