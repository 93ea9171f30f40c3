// SPDX-License-Identifier: Apache-2.0
#include "verdict/coverage_text.h"

#include "check.h"

static Arena *arena;

static Str sentence_of(LeftOut *items, uint32_t count, uint64_t carried)
{
    Excused excused = {.rule = REASON_INHERITED, .slots = carried};
    Coverage coverage = {.left_out = items,
                         .left_count = count,
                         .excused = &excused,
                         .excused_count = 1,
                         .compared_tensors = 1000,
                         .carried = carried,
                         .told = {1200, 1200}};
    return coverage_sentence(&coverage, false, arena);
}

static void one_and_many_are_counted_as_such(void)
{
    LeftOut one = {SIDE_TARGET, ABSENCE_API, STR("Tensor.view"), 1, REASON_NONE};
    LeftOut many = {SIDE_TARGET, ABSENCE_API, STR("Tensor.view"), 1200, REASON_NONE};
    LeftOut alone[] = {{SIDE_GOLDEN, ABSENCE_NO_EFFECT, {"", 0}, 1, REASON_NONE}};
    CHECK_TEXT(sentence_of(&one, 1, 0), "Golden alone records 1 call of Tensor.view.");
    CHECK_TEXT(sentence_of(&many, 1, 0), "Golden alone records 1,200 calls of Tensor.view.");
    CHECK_TEXT(sentence_of(alone, 1, 0), "1 op is on one side only; no op that both hold differs.");
    alone[0].count = 3;
    CHECK_TEXT(sentence_of(alone, 1, 0),
               "3 ops are on one side only; no op that both hold differs.");
}

static void a_direction_of_an_api_is_named(void)
{
    LeftOut calls[] = {
        {SIDE_GOLDEN, ABSENCE_CALLS, STR("Functional.gelu.backward"), 4, REASON_NONE},
        {SIDE_GOLDEN, ABSENCE_CALLS, STR("Functional.softmax.backward"), 8, REASON_NONE}};
    CHECK_TEXT(sentence_of(calls, 1, 0),
               "The target alone records 4 calls of Functional.gelu.backward.");
    CHECK_TEXT(sentence_of(calls, 2, 0),
               "The target alone records 12 calls of 2 APIs "
               "(Functional.gelu.backward, Functional.softmax.backward).");
}

static void values_that_pass_by_a_rule_are_counted(void)
{
    CHECK_TEXT(sentence_of(NULL, 0, 0), "");
    CHECK_TEXT(sentence_of(NULL, 0, 10), "10 values pass by a rule: inherited 10.");
}

static void what_is_lost_stands_beside_what_was_told(void)
{
    Coverage coverage = {.told = {1200, 1100}, .lost = 3};
    CHECK_TEXT(coverage_slots(&coverage, 1000, arena), "1,000 of 1,200 slots");
    coverage.lost = 0;
    CHECK_TEXT(coverage_slots(&coverage, 1000, arena), "1,000 slots");
    CHECK_TEXT(coverage_slots(&coverage, 1, arena), "1 slot");
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(one_and_many_are_counted_as_such);
    CHECK_RUN(a_direction_of_an_api_is_named);
    CHECK_RUN(values_that_pass_by_a_rule_are_counted);
    CHECK_RUN(what_is_lost_stands_beside_what_was_told);
    arena_release(arena);
    return CHECK_RESULT;
}
