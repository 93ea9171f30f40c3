// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/thin.h"

#include <math.h>

typedef struct Vertex {
    double x, y;
} Vertex;

// What the open column holds so far.
typedef struct Column {
    int64_t number;
    size_t count;
    Vertex first, last, low, high;
    bool low_before_high;
} Column;

typedef struct Thinning {
    const ThinPlace *place;
    Arena *arena;
    ThinPath *out;
    Column column;
    size_t run;        // vertices of the line since its last break
    Point last_point;  // of the run
} Thinning;

static double y_of(const ThinPlace *place, double value)
{
    double edge_low = place->bottom, edge_high = place->top;
    if (isinf(value))
        return value > 0 ? edge_high : edge_low;
    if (place->y->log && value <= 0)
        return edge_low;
    double y = axis_at(place->y, value);
    return y < edge_high ? edge_high : y > edge_low ? edge_low : y;
}

// Coordinates with one decimal keep pictures small and hide no pixel.
static double rounded(double px)
{
    return round(px * 10) / 10;
}

static void add_vertex(Thinning *thinning, Vertex vertex)
{
    PathStep step = {.verb = thinning->run ? PATH_LINE : PATH_MOVE,
                     .x = rounded(vertex.x),
                     .y = rounded(vertex.y)};
    ThinPath *out = thinning->out;
    thinning->run++;
    *ARRAY_ADD(thinning->arena, out->steps, out->count, out->capacity) = step;
}

static void close_column(Thinning *thinning)
{
    Column *column = &thinning->column;
    if (column->count == 0)
        return;
    thinning->out->columns++;
    if (column->count <= 2) {
        add_vertex(thinning, column->first);
        if (column->count == 2)
            add_vertex(thinning, column->last);
    } else {
        add_vertex(thinning, column->low_before_high ? column->low : column->high);
        add_vertex(thinning, column->low_before_high ? column->high : column->low);
    }
    column->count = 0;
}

static void end_run(Thinning *thinning)
{
    close_column(thinning);
    ThinPath *out = thinning->out;
    if (thinning->run == 1) {
        // A line of one vertex shows nothing.
        out->count--;
        *ARRAY_ADD(thinning->arena, out->lonely, out->lonely_count, out->lonely_capacity) =
            thinning->last_point;
    }
    thinning->run = 0;
}

static void add_to_column(Column *column, Vertex vertex)
{
    column->last = vertex;
    if (column->count++ == 0) {
        column->first = column->low = column->high = vertex;
        return;
    }
    if (vertex.y > column->low.y) {  // px grow downwards
        column->low = vertex;
        column->low_before_high = false;
    }
    if (vertex.y < column->high.y) {
        column->high = vertex;
        column->low_before_high = true;
    }
}

void thin_points(PointColumns points, size_t count, const ThinPlace *place, Arena *arena,
                 ThinPath *out)
{
    Thinning thinning = {.place = place, .arena = arena, .out = out};
    double width = place->column > 0 ? place->column : 1;
    bool open = false;
    for (size_t i = 0; i < count; i++) {
        bool gap = open && points.x[i] - thinning.last_point.x > place->gap;
        if (gap || isnan(points.value[i])) {
            end_run(&thinning);
            open = false;
        }
        if (isnan(points.value[i]))
            continue;
        double x = axis_at(place->x, (double)points.x[i]);
        int64_t number = (int64_t)floor((x - place->x->from) / width);
        if (number != thinning.column.number)
            close_column(&thinning);
        thinning.column.number = number;
        add_to_column(&thinning.column, (Vertex){x, y_of(place, points.value[i])});
        thinning.last_point = point_at(points, i);
        open = true;
    }
    end_run(&thinning);
}
