// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/argument_text.h"

#include <string.h>

#include "check.h"

static double apart[TEXT_PLACES];

static bool numbers(const char *golden, const char *target)
{
    return text_numbers_apart(str_of(golden), str_of(target), apart);
}

static void numbers_are_told_apart_by_their_place(void)
{
    CHECK(numbers("[14, 16, 1.5]", "[12, 16, 2.0]"));
    CHECK(apart[0] == -2 && apart[1] == 0 && apart[2] == 0.5 && apart[3] == 0);
    CHECK(numbers("", "") && apart[0] == 0);
    CHECK(numbers("mean", "mean") && apart[0] == 0);
    CHECK(numbers("7", "9") && apart[0] == 2);
    CHECK(numbers("[3]", "[-3]") && apart[0] == -6);
    CHECK(numbers("(1, -1)", "(-1, 1)") && apart[0] == -2 && apart[1] == 2);
    CHECK(numbers("layer-3", "layer-4") && apart[0] == 1);
}

static void texts_that_differ_in_more_than_numbers_have_no_distance(void)
{
    CHECK(!numbers("[14, 16]", "[14, 16, 16]"));
    CHECK(!numbers("[14]", "(14)"));
    CHECK(!numbers("layer-3", "layer3"));
    CHECK(!numbers("mean", "sum"));
    CHECK(!numbers("4", ""));
}

static void many_numbers_share_the_last_place(void)
{
    char golden[400] = "", target[400] = "";
    for (int i = 0; i < 100; i++) {
        strcat(golden, "1 ");
        strcat(target, i == 80 ? "9 " : "1 ");
    }
    CHECK(numbers(golden, target) && apart[TEXT_PLACES - 1] == 8);
}

static void devices_and_addresses_do_not_count(void)
{
    CHECK(argument_same(STR("cuda:0"), STR("npu:3")));
    CHECK(argument_same(STR("<ReduceOp at 0x7f01>"), STR("<ReduceOp at 0x7f02>")));
    CHECK(!argument_same(STR("mean"), STR("sum")));
}

int main(void)
{
    CHECK_RUN(numbers_are_told_apart_by_their_place);
    CHECK_RUN(texts_that_differ_in_more_than_numbers_have_no_distance);
    CHECK_RUN(many_numbers_share_the_last_place);
    CHECK_RUN(devices_and_addresses_do_not_count);
    return CHECK_RESULT;
}
