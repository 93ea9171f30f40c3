// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/floor.h"

#include "check.h"

static void few_numbers_of_a_coarse_type_average_less(void)
{
    CHECK(floor_of_few(STAT_NORM, PRECISION_BF16, 64) == 1);
    CHECK(floor_of_few(STAT_NORM, PRECISION_BF16, 36) > 1.3);
    CHECK(floor_of_few(STAT_MEAN, PRECISION_F16, 16) == 2);
    CHECK(floor_of_few(STAT_NORM, PRECISION_BF16, 1) == 2);
}

static void what_is_no_average_or_of_a_fine_type_has_the_floor_of_many(void)
{
    CHECK(floor_of_few(STAT_MAX, PRECISION_BF16, 1) == 1);
    CHECK(floor_of_few(STAT_NORM, PRECISION_F32, 1) == 1);
    CHECK(floor_of_few(STAT_NORM, PRECISION_BF16, 0) == 1);
}

int main(void)
{
    CHECK_RUN(few_numbers_of_a_coarse_type_average_less);
    CHECK_RUN(what_is_no_average_or_of_a_fine_type_has_the_floor_of_many);
    return CHECK_RESULT;
}
