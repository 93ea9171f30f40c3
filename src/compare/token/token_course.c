// SPDX-License-Identifier: Apache-2.0
#include "compare/token/token_course.h"

#include <math.h>

#include "base/sort.h"

enum { LEAST_STEPS = 6, LEAST_BEGUN = 3 };

static double median_of_steps(const TokenCourse *of, size_t from, size_t to, Arena *arena)
{
    double *values = ARENA_ARRAY(arena, double, to - from + 1);
    size_t count = 0;
    for (size_t i = from; i < to; i++)
        if (isfinite(of->items[i].mean))
            values[count++] = of->items[i].mean;
    return median_of(values, count);
}

// The median of the distances from the median, as the standard deviation of noise has it.
static double scatter(const TokenCourse *of, double middle, Arena *arena)
{
    double *values = ARENA_ARRAY(arena, double, of->begun + 1);
    size_t count = 0;
    for (size_t i = 0; i < of->begun; i++)
        if (isfinite(of->items[i].mean))
            values[count++] = fabs(of->items[i].mean - middle);
    return 1.4826 * median_of(values, count);
}

void token_course_judge(TokenCourse *out, Arena *arena)
{
    out->from = out->count;
    out->begun = out->count / 3 > LEAST_BEGUN ? out->count / 3 : LEAST_BEGUN;
    out->before = out->after = (double)NAN;
    if (out->count < LEAST_STEPS)
        return;
    out->before = median_of_steps(out, 0, out->begun, arena);
    double limit = fmax(2 * out->before, out->before + 6 * scatter(out, out->before, arena));
    while (out->from > out->begun && out->items[out->from - 1].mean > limit)
        out->from--;
    // One step at the end alone may be an outlier.
    if (out->count - out->from < 2)
        out->from = out->count;
    out->after = median_of_steps(out, out->from, out->count, arena);
}
