// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/scalar_noise.h"

#include "check.h"

static void what_a_person_wrote_down_has_no_noise(void)
{
    CHECK(scalar_floor(0.1, 0.1000001, PRECISION_F32) == 0);
    CHECK(scalar_floor(1e-05, 1.0000007152557373e-05, PRECISION_F32) == 0);
    CHECK(scalar_floor(1.0000007152557373e-05, 1e-05, PRECISION_F32) == 0);
    CHECK(scalar_floor(123456789, 123456788.7654321, PRECISION_F32) == 0);
    CHECK(scalar_floor(1200000000000, 1200000000001.5, PRECISION_F32) == 0);  // zeros are no digits
}

static void what_was_computed_has_that_of_a_norm(void)
{
    double computed = 0.9876543283462524, other = 0.987654447555542;
    double floor = scalar_floor(computed, other, PRECISION_F32);
    CHECK(floor == floor_default(STAT_NORM, PRECISION_F32, PRECISION_F32) && floor > 0);
    CHECK(scalar_floor(-computed, -other, PRECISION_F32) == floor);
    CHECK(scalar_floor(computed * 1e-12, other * 1e-12, PRECISION_F32) == floor);
}

static void a_coarser_run_has_a_higher_floor(void)
{
    double computed = 0.9876543283462524, other = 0.987654447555542;
    CHECK(scalar_floor(computed, other, PRECISION_BF16) >
          scalar_floor(computed, other, PRECISION_F32));
    CHECK(scalar_floor(computed, other, PRECISION_EXACT) ==
          scalar_floor(computed, other, PRECISION_F32));
}

static void a_number_of_a_16_bit_run_has_its_noise_though_it_is_short(void)
{
    CHECK(scalar_floor(0.921875, 0.92578125, PRECISION_BF16) == 2.0 / 256 / 0.921875);
    CHECK(scalar_floor(0.99609375, 1.0, PRECISION_BF16) > 0);
    CHECK(scalar_floor(0.9375, 0.94140625, PRECISION_BF16) > 0);
    CHECK(scalar_floor(0.921875, 0.92578125, PRECISION_F32) == 0);
    CHECK(scalar_floor(0.9, 0.89453125, PRECISION_BF16) == 0);  // 0.9 is no bfloat16
    CHECK(scalar_floor(0.875, 0.5, PRECISION_BF16) == 0);       // few digits
    CHECK(scalar_floor(0.92529296875, 0.92578125, PRECISION_F16) > 0);
}

static void numbers_of_16_bits_are_exact_beyond_two_steps_and_where_they_are_whole(void)
{
    CHECK(scalar_floor(0.92578125, 0.93359375, PRECISION_BF16) > 0);  // two steps
    CHECK(scalar_floor(0.92578125, 0.9375, PRECISION_BF16) == 0);     // three
    CHECK(scalar_floor(0.9375, 0.92578125, PRECISION_BF16) == 0);
    CHECK(scalar_floor(1.0078125, 0.98828125, PRECISION_BF16) == 0);  // steps of the finer side
    CHECK(scalar_floor(0.92529296875, 0.9267578125, PRECISION_F16) ==
          floor_default(STAT_NORM, PRECISION_F32, PRECISION_F16));       // long: computed
    CHECK(scalar_floor(0.92578125, 0.9272460938, PRECISION_F16) == 0);   // no float16
    CHECK(scalar_floor(0.92578125, 0.92724609375, PRECISION_F16) == 0);  // three steps
    CHECK(scalar_floor(0.92578125, -0.92578125, PRECISION_BF16) == 0);
    CHECK(scalar_floor(131072, 130048, PRECISION_BF16) == 0);
    CHECK(scalar_floor(131072, 130560, PRECISION_BF16) == 0);
    CHECK(scalar_floor(100352, 100864, PRECISION_BF16) == 0);
}

int main(void)
{
    CHECK_RUN(what_a_person_wrote_down_has_no_noise);
    CHECK_RUN(what_was_computed_has_that_of_a_norm);
    CHECK_RUN(a_coarser_run_has_a_higher_floor);
    CHECK_RUN(a_number_of_a_16_bit_run_has_its_noise_though_it_is_short);
    CHECK_RUN(numbers_of_16_bits_are_exact_beyond_two_steps_and_where_they_are_whole);
    return CHECK_RESULT;
}
