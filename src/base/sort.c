// SPDX-License-Identifier: Apache-2.0
// Numbers in rising order.
#include "base/sort.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int compare_int64(const void *left, const void *right)
{
    return order_int64(*(const int64_t *)left, *(const int64_t *)right);
}

enum { FEW = 32, SAMPLED = 31, SAMPLED_LEAST = 16 * SAMPLED };

static void sort_few(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
}

void sort_doubles(double *values, size_t count)
{
    if (count <= FEW)
        sort_few(values, count);
    else
        qsort(values, count, sizeof *values, compare_doubles);
}

size_t sort_distinct(int64_t *items, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(items, count, sizeof *items, compare_int64);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || items[kept - 1] != items[i])
            items[kept++] = items[i];
    return kept;
}

int order_int64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

// The value to part by: the middle of three, or of many values one a little beyond the place in a
// sample of them, so that the place is in the smaller part.
static double pivot_of(const double *values, size_t count, size_t at)
{
    enum { MARGIN = 2 };
    double a = values[0], b = values[count / 2], c = values[count - 1], sample[SAMPLED];
    if (count < SAMPLED_LEAST)
        return fmax(fmin(a, b), fmin(fmax(a, b), c));
    for (size_t k = 0; k < SAMPLED; k++)
        sample[k] = values[count / SAMPLED * k];
    sort_few(sample, SAMPLED);
    size_t place = (size_t)((double)at / (double)count * SAMPLED);
    if (2 * at < count)
        return sample[place + MARGIN];
    return sample[place > MARGIN ? place - MARGIN : 0];
}

// Puts the value that a sorted array has at `at` there, no larger ones before it, no smaller ones
// after it. What is parted badly too often is sorted.
static void select_value(double *values, size_t count, size_t at)
{
    size_t low = 0, high = count;  // [low, high) holds the place
    for (int rounds = 0; high - low > FEW; rounds++) {
        double pivot = pivot_of(values + low, high - low, at - low);
        size_t i = low, k = high - 1;
        if (rounds > 100) {
            sort_doubles(values + low, high - low);
            return;
        }
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[k] > pivot)
                k--;
            if (i >= k)
                break;
            double swapped = values[i];
            values[i++] = values[k];
            values[k--] = swapped;
        }
        // All before i are at most the pivot, all from i on at least it.
        i = i == low ? low + 1 : i;
        if (at < i)
            high = i;
        else
            low = i;
    }
    sort_few(values + low, high - low);
}

static void select_two(double *values, size_t count, size_t at, double out[2]);

// A sample bounds the two values from place `at` on, nearly always; the few between are
// then selected from. False: they are not there.
static bool select_between(const double *values, size_t count, size_t at, double out[2])
{
    enum { SAMPLE = 1024, MARGIN = 64 };  // four standard errors of the middle place
    double sample[SAMPLE];
    if (count < 16 * SAMPLE)
        return false;
    for (size_t k = 0; k < SAMPLE; k++)
        sample[k] = values[count / SAMPLE * k];
    sort_doubles(sample, SAMPLE);
    size_t place = (size_t)((double)at / (double)count * SAMPLE), below = 0, inside = 0;
    double low = place > MARGIN ? sample[place - MARGIN] : -INFINITY;
    double high = place + MARGIN < SAMPLE ? sample[place + MARGIN] : INFINITY;
    Arena *scratch = arena_new();
    double *middle = ARENA_ARRAY(scratch, double, count + 1);
    for (size_t i = 0; i < count; i++) {
        double value = values[i];
        middle[inside] = value;
        below += value < low;
        inside += (value >= low) & (value <= high);
    }
    // Of many equal values the middle may be all of them.
    bool found = at >= below && at + 1 < below + inside && 2 * inside < count;
    if (found)
        select_two(middle, inside, at - below, out);
    arena_release(scratch);
    return found;
}

// The values that a sorted array has at `at` and after it; infinite: none is after it.
static void select_two(double *values, size_t count, size_t at, double out[2])
{
    if (select_between(values, count, at, out))
        return;
    select_value(values, count, at);
    out[0] = values[at];
    out[1] = INFINITY;
    for (size_t i = at + 1; i < count; i++)
        out[1] = values[i] < out[1] ? values[i] : out[1];
}

double value_at_place(double *values, size_t count, size_t at)
{
    double two[2];
    select_two(values, count, at, two);
    return two[0];
}

double quantile_of(double *values, size_t count, double q)
{
    size_t numbers = 0;
    while (numbers < count && !isnan(values[numbers]))
        numbers++;
    for (size_t i = numbers; i < count; i++) {  // NaN last
        double value = values[i];
        if (isnan(value))
            continue;
        values[i] = values[numbers];
        values[numbers++] = value;
    }
    if (count == 0)
        return NAN;
    double place = q * (double)(count - 1), two[2];
    size_t at = (size_t)place;
    if (at >= numbers)
        return NAN;
    select_two(values, numbers, at, two);
    if (place == (double)at || at + 1 >= count)
        return two[0];
    double next = at + 1 < numbers ? two[1] : NAN;
    return two[0] + (place - (double)at) * (next - two[0]);
}

double sorted_median(const double *sorted, size_t count)
{
    double upper = sorted[count / 2];
    return count % 2 ? upper : 0.5 * sorted[count / 2 - 1] + 0.5 * upper;
}

double median_of(double *values, size_t count)
{
    return quantile_of(values, count, 0.5);
}
