// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/axis.h"

#include <math.h>

#include "check.h"

static Arena *arena;

static void labels_differ_and_ticks_lie_within(const Axis *axis)
{
    CHECK(axis->low < axis->high);
    for (size_t i = 0; i < axis->count; i++) {
        double px = axis_at(axis, axis->ticks[i].value);
        double low = fmin(axis->from, axis->to), high = fmax(axis->from, axis->to);
        CHECK(isfinite(px) && px >= low - 0.01 && px <= high + 0.01);
        for (size_t k = 0; k < i; k++) {
            bool same = axis->ticks[i].decade
                            ? axis->ticks[i].exponent == axis->ticks[k].exponent
                            : axis->ticks[i].label.size &&
                                  str_equal(axis->ticks[i].label, axis->ticks[k].label);
            CHECK(!same);
        }
    }
}

static size_t labelled(const Axis *axis)
{
    size_t count = 0;
    for (size_t i = 0; i < axis->count; i++)
        count += axis->ticks[i].decade || axis->ticks[i].label.size;
    return count;
}

static void linear_axes_have_distinct_labels_for_any_range(void)
{
    static const double ranges[][2] = {
        {0, 1}, {2.3, 10.9},  {-0.12, 0.12},    {1e-300, 1e300}, {-1e308, 1e308}, {5, 5},
        {0, 0}, {1e10, 1e10}, {1e10, 1e10 + 1}, {-3e-7, 4e-7},   {0.999, 1.001},  {12345, 12346},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        Axis axis = axis_linear(ranges[i][0], ranges[i][1], 200, 0, 32, arena);
        labels_differ_and_ticks_lie_within(&axis);
        CHECK(labelled(&axis) >= 2 && labelled(&axis) <= 14);
    }
}

static void an_axis_of_nothing_has_no_ticks(void)
{
    Axis axis = axis_linear(INFINITY, -INFINITY, 200, 0, 32, arena);
    CHECK(axis.count == 0);
    axis = axis_linear(NAN, NAN, 200, 0, 32, arena);
    CHECK(axis.count == 0);
}

static void log_axes_never_have_a_single_label(void)
{
    static const double ranges[][2] = {
        {0.9, 8.3}, {1, 1000}, {1e-300, 1e300}, {3, 4}, {3, 3.01}, {7, 7}, {20, 350}, {1e-9, 2e-9},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        Axis axis = axis_log(ranges[i][0], ranges[i][1], 200, 0, 32, arena);
        labels_differ_and_ticks_lie_within(&axis);
        CHECK(labelled(&axis) >= 2 && labelled(&axis) <= 14);
    }
    Axis axis = axis_log(0, 0, 200, 0, 32, arena);
    CHECK(!axis.log);
}

static void steps_are_whole_and_the_first_is_named(void)
{
    Axis axis = axis_steps(1, 1500, 0, 898, 130, arena);
    CHECK_TEXT(axis.ticks[0].label, "1");
    CHECK_TEXT(axis.ticks[1].label, "250");
    CHECK_TEXT(axis.ticks[axis.count - 1].label, "1,500");
    labels_differ_and_ticks_lie_within(&axis);
    axis = axis_steps(7, 7, 0, 898, 130, arena);
    CHECK(axis.count == 1 && fabs(axis_at(&axis, 7) - 449) < 1);
    axis = axis_steps(0, 10000000, 0, 898, 130, arena);
    labels_differ_and_ticks_lie_within(&axis);
    CHECK_TEXT(axis.ticks[1].label, "2M");
    axis = axis_steps(INT64_MIN / 2, INT64_MAX / 2, 0, 898, 130, arena);
    labels_differ_and_ticks_lie_within(&axis);
    axis = axis_steps(3, 5, 0, 898, 130, arena);
    labels_differ_and_ticks_lie_within(&axis);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(linear_axes_have_distinct_labels_for_any_range);
    CHECK_RUN(an_axis_of_nothing_has_no_ticks);
    CHECK_RUN(log_axes_never_have_a_single_label);
    CHECK_RUN(steps_are_whole_and_the_first_is_named);
    arena_release(arena);
    return CHECK_RESULT;
}
