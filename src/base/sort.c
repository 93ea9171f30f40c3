// SPDX-License-Identifier: Apache-2.0
// Numbers in rising order.
#include "base/sort.h"

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
