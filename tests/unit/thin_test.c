// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/thin.h"

#include <math.h>

#include "check.h"

static Arena *arena;
static uint64_t seed = 12345;

static double random_unit(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 33) / 2147483648.0;
}

static ThinPath thin(PointColumns points, size_t count, const Axis *x, const Axis *y)
{
    ThinPath path = {0};
    ThinPlace place = {.x = x, .y = y, .top = 0, .bottom = 200, .gap = 3};
    thin_points(points, count, &place, arena, &path);
    return path;
}

// The extremes of the path in the pixel column of `px`, a rounding away from its edges included.
static void column_extremes(const ThinPath *path, const Axis *x, double px, double out[2])
{
    double from = floor(px - x->from) + x->from - 0.06;
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (size_t i = 0; i < path->count; i++)
        if (path->steps[i].x >= from && path->steps[i].x <= from + 1.12) {
            out[0] = fmin(out[0], path->steps[i].y);
            out[1] = fmax(out[1], path->steps[i].y);
        }
}

static void every_single_point_spike_stays_in_sight(void)
{
    enum { COUNT = 100000, COLUMNS = 500, SPIKES = 40 };
    PointColumns points = point_columns(arena, COUNT);
    Axis x = axis_steps(0, COUNT, 0, COLUMNS, 100, arena);
    Axis y = axis_linear(-10, 10, 200, 0, 40, arena);
    for (int round_number = 0; round_number < 5; round_number++) {
        size_t where[SPIKES];
        for (size_t i = 0; i < COUNT; i++) {
            points.x[i] = (int64_t)i;
            points.value[i] = random_unit();
        }
        for (size_t i = 0; i < SPIKES; i++) {
            where[i] = (size_t)(random_unit() * (COUNT - 1));
            points.value[where[i]] = i % 2 ? 9 : -9;
        }
        ThinPath path = thin(points, COUNT, &x, &y);
        CHECK(path.count <= 2 * (COLUMNS + 1) && path.columns <= COLUMNS + 1);
        for (size_t i = 0; i < SPIKES; i++) {
            double found[2];
            column_extremes(&path, &x, axis_at(&x, (double)where[i]), found);
            double want = axis_at(&y, points.value[where[i]]);
            CHECK(fabs(found[0] - want) < 0.11 || fabs(found[1] - want) < 0.11);
        }
    }
}

static void gaps_and_nan_break_the_line(void)
{
    PointColumns points = {(int64_t[]){0, 1, 2, 3, 4, 20, 40, 41},
                           (double[]){1, 2, NAN, 1, 1, 1, 1, 2}};
    Axis x = axis_steps(0, 50, 0, 500, 100, arena);
    Axis y = axis_linear(0, 3, 200, 0, 40, arena);
    ThinPath path = thin(points, 8, &x, &y);
    size_t moves = 0;
    for (size_t i = 0; i < path.count; i++)
        moves += path.steps[i].verb == PATH_MOVE;
    CHECK(moves == 3);
    CHECK(path.lonely_count == 1 && path.lonely[0].x == 20);
}

static void few_points_are_all_drawn(void)
{
    PointColumns points = {(int64_t[]){0, 10, 20, 30}, (double[]){1, 2, INFINITY, 0}};
    Axis x = axis_steps(0, 30, 0, 300, 100, arena);
    Axis y = axis_linear(0, 3, 200, 0, 40, arena);
    ThinPath path = {0};
    ThinPlace place = {.x = &x, .y = &y, .top = 0, .bottom = 200, .gap = 30};
    thin_points(points, 4, &place, arena, &path);
    CHECK(path.count == 4 && path.steps[2].y == 0);
    thin_points(points, 0, &place, arena, &path);
    CHECK(path.count == 4);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(every_single_point_spike_stays_in_sight);
    CHECK_RUN(gaps_and_nan_break_the_line);
    CHECK_RUN(few_points_are_all_drawn);
    arena_release(arena);
    return CHECK_RESULT;
}
