// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_SORT_H
#define VERNIER_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

// Numbers in rising order. `count` may be 0, the array then NULL.

void sort_doubles(double *values, size_t count);  // none of them NaN
void sort_int64(int64_t *items, size_t count);
size_t sort_distinct(int64_t *items, size_t count);  // each once; how many are left

// -1, 0, 1: to order records by one of their numbers after another.
int order_int64(int64_t a, int64_t b);

#endif
