// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/floor.h"

#include "check.h"

static Slot tensor(double largest, double norm)
{
    Slot out = {.kind = SLOT_TENSOR};
    const double values[STAT_COUNT] = {
        [STAT_MAX] = largest / 2, [STAT_MIN] = -largest, [STAT_NORM] = norm};
    for (int i = 0; i < STAT_COUNT; i++) {
        out.tag[i] = TAG_REAL;
        out.stat[i].real = values[i];
    }
    return out;
}

static void what_few_numbers_of_a_coarse_type_make_up_averages_less(void)
{
    Slot many = tensor(1, 4), some = tensor(1, 2.5), one = tensor(3, 3);
    CHECK(floor_of_few(&many, STAT_NORM, PRECISION_BF16) == 1);
    CHECK(floor_of_few(&some, STAT_MEAN, PRECISION_F16) == 1.6);
    CHECK(floor_of_few(&one, STAT_NORM, PRECISION_BF16) == 2);
}

static void what_is_no_average_or_of_a_fine_type_has_the_floor_of_many(void)
{
    Slot one = tensor(3, 3), zero = tensor(0, 0);
    CHECK(floor_of_few(&one, STAT_MAX, PRECISION_BF16) == 1);
    CHECK(floor_of_few(&one, STAT_NORM, PRECISION_F32) == 1);
    CHECK(floor_of_few(&zero, STAT_NORM, PRECISION_BF16) == 1);
}

int main(void)
{
    CHECK_RUN(what_few_numbers_of_a_coarse_type_make_up_averages_less);
    CHECK_RUN(what_is_no_average_or_of_a_fine_type_has_the_floor_of_many);
    return CHECK_RESULT;
}
