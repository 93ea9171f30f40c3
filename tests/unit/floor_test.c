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

static void what_is_rounded_to_8_bits_is_off_by_one_step_which_averages_out(void)
{
    double step = epsilon_of(PRECISION_F8);
    CHECK(floor_default(STAT_MAX, PRECISION_F8, PRECISION_F8) == step);
    CHECK(floor_default(STAT_NORM, PRECISION_F8, PRECISION_F8) == step / 4);
    CHECK(floor_default(STAT_MEAN, PRECISION_BF16, PRECISION_F8) == step / 2);
    Slot one = tensor(3, 3);
    CHECK(floor_of_few(&one, STAT_NORM, PRECISION_F8) == 4);
}

int main(void)
{
    CHECK_RUN(what_is_rounded_to_8_bits_is_off_by_one_step_which_averages_out);
    CHECK_RUN(what_few_numbers_of_a_coarse_type_make_up_averages_less);
    CHECK_RUN(what_is_no_average_or_of_a_fine_type_has_the_floor_of_many);
    return CHECK_RESULT;
}
