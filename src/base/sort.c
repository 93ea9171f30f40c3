// SPDX-License-Identifier: Apache-2.0
// Numbers in rising order.
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int compare_int64(const void *left, const void *right)
{
    return order_int64(*(const int64_t *)left, *(const int64_t *)right);
}

void sort_doubles(double *values, size_t count)
{
    if (count > 1)
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

// Puts the value that a sorted array has at `at` there, no larger ones before it, no smaller ones
// after it. Parts the values by the middle of three of them; what that parts badly too often is
// sorted.
static void select_value(double *values, size_t count, size_t at)
{
    size_t low = 0, high = count;  // [low, high) holds the place
    for (int rounds = 0; high - low > 32; rounds++) {
        double a = values[low], b = values[low + (high - low) / 2], c = values[high - 1];
        double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));
        size_t i = low, k = high - 1;
        if (rounds > 100)
            break;
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
    sort_doubles(values + low, high - low);
}

double quantile_of(double *values, size_t count, double q)
{
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++) {  // NaN last
        double value = values[i];
        if (isnan(value))
            continue;
        values[i] = values[numbers];
        values[numbers++] = value;
    }
    if (count == 0)
        return NAN;
    double place = q * (double)(count - 1);
    size_t at = (size_t)place;
    if (at >= numbers)
        return NAN;
    select_value(values, numbers, at);
    if (place == (double)at || at + 1 >= count)
        return values[at];
    double next = INFINITY;
    for (size_t i = at + 1; i < numbers; i++)
        next = values[i] < next ? values[i] : next;
    next = at + 1 < numbers ? next : NAN;
    return values[at] + (place - (double)at) * (next - values[at]);
}

double median_of(double *values, size_t count)
{
    return quantile_of(values, count, 0.5);
}
