// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/told_digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

// What is seen of numbers from 1e-5 to 1e5 that were printed with so many digits or decimals.
static ToldRounding rounding_of(int digits, char form, int count)
{
    ToldDigits told = {0};
    for (int i = 0; i < count; i++) {
        char text[64];
        double value = exp(i % 17 - 10 + i * 0.137) / exp(i * 0.1);
        value = i % 3 ? value : -value;
        if (form == 'g')
            snprintf(text, sizeof text, "%.*g", digits, value);
        else
            snprintf(text, sizeof text, "%.*f", digits, value);
        told_digits_see(&told, strtod(text, NULL));
    }
    return told_digits_rounding(&told);
}

static bool is_format(ToldRounding rounding, const char *want)
{
    Arena *arena = arena_new();
    bool same = str_equal(told_digits_format(rounding, arena), str_of(want));
    arena_release(arena);
    return same;
}

static void the_format_of_the_writer_is_found(void)
{
    CHECK(is_format(rounding_of(6, 'g', 200), "%.6g"));
    CHECK(is_format(rounding_of(4, 'g', 200), "%.4g"));
    CHECK(is_format(rounding_of(9, 'g', 200), "%.9g"));
    CHECK(is_format(rounding_of(4, 'f', 200), "%.4f"));
    CHECK(is_format(rounding_of(17, 'g', 200), ""));
}

static void few_or_short_numbers_prove_nothing(void)
{
    ToldDigits halves = {0};
    CHECK(is_format(rounding_of(6, 'g', 16), ""));
    for (int i = 0; i < 400; i++)
        told_digits_see(&halves, i * 0.5);
    CHECK(is_format(told_digits_rounding(&halves), ""));
    told_digits_see(&halves, (double)NAN);
    told_digits_see(&halves, 5e-324);
}

static bool is_close(double a, double b)
{
    return fabs(a - b) < 1e-9 * b;
}

static void a_step_is_one_of_the_last_digit(void)
{
    ToldRounding six = {.digits = 6}, places = {.decimals = 4}, none = {0};
    CHECK(is_close(told_digits_step(six, -123.456), 1e-3));
    CHECK(is_close(told_digits_step(six, 0.00123456), 1e-8));
    CHECK(is_close(told_digits_step(places, 0), 1e-4));
    CHECK(told_digits_step(six, 0) == 0 && told_digits_step(none, 1) == 0);
}

static void fewer_digits_are_coarser(void)
{
    ToldRounding six = {.digits = 6, .decimals = 9}, nine = {.digits = 9}, whole = {0};
    ToldRounding places = {.digits = 8, .decimals = 4};
    CHECK(told_digits_coarser(six, nine) && !told_digits_coarser(nine, six));
    CHECK(told_digits_coarser(six, whole) && !told_digits_coarser(whole, six));
    CHECK(told_digits_coarser(places, whole) && !told_digits_coarser(six, six));
}

int main(void)
{
    CHECK_RUN(the_format_of_the_writer_is_found);
    CHECK_RUN(few_or_short_numbers_prove_nothing);
    CHECK_RUN(a_step_is_one_of_the_last_digit);
    CHECK_RUN(fewer_digits_are_coarser);
    return CHECK_RESULT;
}
