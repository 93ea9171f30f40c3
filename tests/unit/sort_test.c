// SPDX-License-Identifier: Apache-2.0
#include "base/sort.h"

#include "check.h"

// Numbers in rising order.

static void numbers_are_sorted_and_none_are_too(void)
{
    double values[] = {2, -1, 1e300, 0.5};
    sort_doubles(values, 4);
    CHECK(values[0] < values[1] && values[1] < values[2] && values[2] < values[3]);
    sort_doubles(NULL, 0);
    CHECK(sort_distinct(NULL, 0) == 0);
}

static void distinct_numbers_stand_in_front_each_once(void)
{
    int64_t items[] = {INT64_MAX, 3, INT64_MIN, 3, INT64_MAX};
    CHECK(sort_distinct(items, 5) == 3);
    CHECK(items[0] == INT64_MIN && items[1] == 3 && items[2] == INT64_MAX);
    CHECK(order_int64(INT64_MIN, INT64_MAX) < 0 && order_int64(1, 1) == 0);
}

int main(void)
{
    CHECK_RUN(numbers_are_sorted_and_none_are_too);
    CHECK_RUN(distinct_numbers_stand_in_front_each_once);
    return CHECK_RESULT;
}
