// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/smooth.h"

#include <math.h>

#include "check.h"

enum { COUNT = 60, WINDOW = 7 };

static void values_that_overflow_end_in_a_median_and_not_beyond_the_window(void)
{
    Arena *arena = arena_new();
    static const double odd[] = {1e308, -1e308, (double)INFINITY, -(double)INFINITY, (double)NAN};
    double values[COUNT], least[COUNT] = {0}, out[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = i % 3 ? i : odd[i / 3 % 5];
    running_median(values, COUNT, WINDOW, out);
    for (int i = 0; i < COUNT; i++)
        CHECK(isfinite(out[i]));
    clip_spikes(values, COUNT, WINDOW, least, values);
    for (int i = 1; i < COUNT; i += 3)
        CHECK(isfinite(values[i]));
    arena_release(arena);
}

static void what_is_no_number_counts_as_the_largest(void)
{
    Arena *arena = arena_new();
    const double nan = (double)NAN, values[] = {3, nan, 1, nan, nan, 2, 5};
    double out[7];
    running_median(values, 7, 3, out);
    CHECK(out[1] == 3 && isnan(out[3]) && isnan(out[4]) && out[5] == 5);
    arena_release(arena);
}

static void a_median_leaves_a_spike_out(void)
{
    Arena *arena = arena_new();
    const double values[] = {1, 2, 90, 4, 5}, least[5] = {0};
    double out[5];
    running_median(values, 5, 3, out);
    CHECK(out[0] == 1.5 && out[1] == 2 && out[2] == 4 && out[3] == 5 && out[4] == 4.5);
    clip_spikes(values, 5, 3, least, out);
    CHECK(out[2] < 90 && out[1] == 2);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(values_that_overflow_end_in_a_median_and_not_beyond_the_window);
    CHECK_RUN(what_is_no_number_counts_as_the_largest);
    CHECK_RUN(a_median_leaves_a_spike_out);
    return CHECK_RESULT;
}
