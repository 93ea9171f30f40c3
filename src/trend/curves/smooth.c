// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/smooth.h"
#include "base/sort.h"

#include <math.h>
#include <stdbool.h>

void centred_mean(const double *values, size_t count, size_t window, Arena *arena, double *out)
{
    size_t half = window / 2;
    double *sums = ARENA_ARRAY(arena, double, count + 1);
    size_t *finite = ARENA_ARRAY(arena, size_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        bool good = isfinite(values[i]);
        sums[i + 1] = sums[i] + (good ? values[i] : 0);
        finite[i + 1] = finite[i] + good;
    }
    for (size_t i = 0; i < count; i++) {
        size_t from = i > half ? i - half : 0;
        size_t to = i + half + 1 < count ? i + half + 1 : count;
        size_t n = finite[to] - finite[from];
        out[i] = n ? (sums[to] - sums[from]) / (double)n : NAN;
    }
}

static bool is_constant(const Point *points, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (points[i].value != points[0].value)
            return false;
    return true;
}

void debiased_average(Point *points, size_t count, double weight)
{
    double last = 0, power = 1;
    if (weight <= 0 || is_constant(points, count))
        return;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(points[i].value))
            continue;
        last = weight * last + (1 - weight) * points[i].value;
        power *= weight;
        points[i].value = weight >= 1 ? last : last / (1 - power);
    }
}

double quantile_of(double *values, size_t count, double q)
{
    if (count == 0)
        return NAN;
    sort_doubles(values, count);
    double place = q * (double)(count - 1);
    size_t at = (size_t)place;
    if (at + 1 >= count)
        return values[count - 1];
    return values[at] + (place - (double)at) * (values[at + 1] - values[at]);
}

double median_of(double *values, size_t count)
{
    return quantile_of(values, count, 0.5);
}
