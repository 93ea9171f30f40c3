// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/observe.h"

#include "check.h"
#include "layout_fixture.h"

static void numbers_of_coarser_types_are_told(void)
{
    CHECK(is_bfloat16(1.84375) && is_bfloat16(-1.9765625));
    CHECK(!is_bfloat16(1.8438687) && !is_bfloat16(0) && !is_bfloat16((double)NAN));
    CHECK(is_float16(0.333251953125) && !is_float16(0.3333333) && !is_float16(70000));
    CHECK(!is_bfloat16(0.333251953125));
}

// Two runs of one op with the given statistics of its output.
static Observation observed(const double golden[STAT_COUNT], const double target[STAT_COUNT],
                            uint32_t world_size, Arena *arena)
{
    FixtureRun *runs = ARENA_ARRAY(arena, FixtureRun, 2);
    for (int side = 0; side < 2; side++) {
        fixture_begin(&runs[side], arena);
        fixture_op(&runs[side], STR("Functional.linear.0.forward"), STR(""));
        for (int stat = 0; stat < STAT_COUNT; stat++)
            runs[side].slots.items[1].stat[stat].real = side ? target[stat] : golden[stat];
        fixture_end(&runs[side]);
    }
    Comparison comparison;
    fixture_compare(&runs[0], &runs[1], arena, &comparison);
    return observe_first(&comparison, world_size, arena);
}

static void each_kind_is_told_from_the_numbers(void)
{
    Arena *arena = arena_new();
    const double golden[STAT_COUNT] = {1.8438687, -1.9743052, 0.0077, 45.672123};
    const struct {
        double target[STAT_COUNT];
        uint32_t world_size;
        ObservationKind kind;
        const char *part;
    } cases[] = {
        {{1.84375, -1.9765625, 0.0077149, 45.670792}, 0, OBSERVE_ROUNDED, "exact bfloat16 values"},
        {{0, 0, 0, 0}, 0, OBSERVE_ZERO, "all zeros in target"},
        {{0.5, 0.5, 0.5, 22.0}, 0, OBSERVE_CONSTANT, "one value everywhere"},
        {{3.6877374, -3.9486104, 0.0154, 91.344246}, 0, OBSERVE_FACTOR, "a power of two"},
        {{5.5316061, -5.9229156, 0.0231, 137.016369}, 3, OBSERVE_FACTOR, "the number of ranks"},
        {{1.9743052, -1.8438687, -0.0077, 45.672123}, 0, OBSERVE_SIGN, "opposite sign"},
        {{(double)NAN, (double)NAN, (double)NAN, (double)NAN},
         0,
         OBSERVE_NONFINITE,
         "starts in this op"},
        {{1.9, -1.97, 0.2, 46.0}, 0, OBSERVE_NONE, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Observation got = observed(golden, cases[i].target, cases[i].world_size, arena);
        CHECK(got.kind == cases[i].kind);
        CHECK(str_find(got.text, str_of(cases[i].part), 0) != SIZE_MAX || !*cases[i].part);
    }
    arena_release(arena);
}

static void equal_runs_give_no_remark(void)
{
    Arena *arena = arena_new();
    const double same[STAT_COUNT] = {1, -1, 0, 3};
    CHECK(observed(same, same, 8, arena).kind == OBSERVE_NONE);
    arena_release(arena);
}

static void the_samples_show_what_was_planted(void)
{
    static const struct {
        FixtureSample sample;
        ObservationKind kind;
    } cases[] = {
        {{"gpt4-mix-stats", "target_linear_bf16"}, OBSERVE_ROUNDED},
        {{"gpt4-mix-stats", "target_ln_eps"}, OBSERVE_ARGUMENT},
        {{"gpt4-mix-stats", "target_nan"}, OBSERVE_NONFINITE},
        {{"gpt4-mix-stats", "target_same"}, OBSERVE_NONE},
        {{"mlp-l1-stats", "target_weight"}, OBSERVE_FACTOR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena *arena = arena_new();
        Comparison comparison;
        if (fixture_sample(cases[i].sample.sample, cases[i].sample.target, arena, &comparison))
            CHECK(observe_first(&comparison, 0, arena).kind == cases[i].kind);
        arena_release(arena);
    }
}

#define NAN_D      ((double)NAN)
#define INFINITY_D ((double)INFINITY)

// The statistics of one op's input and output on one side.
typedef struct Sides {
    double input[STAT_COUNT], output[STAT_COUNT];
} Sides;

static Observation observed_op(Sides golden, Sides target, uint32_t world_size, Arena *arena)
{
    FixtureRun *runs = ARENA_ARRAY(arena, FixtureRun, 2);
    for (int side = 0; side < 2; side++) {
        const Sides *stats = side ? &target : &golden;
        fixture_begin(&runs[side], arena);
        fixture_op(&runs[side], STR("Functional.linear.0.forward"), STR(""));
        for (int stat = 0; stat < STAT_COUNT; stat++) {
            runs[side].slots.items[0].stat[stat].real = stats->input[stat];
            runs[side].slots.items[1].stat[stat].real = stats->output[stat];
        }
        fixture_end(&runs[side]);
    }
    Comparison comparison;
    fixture_compare(&runs[0], &runs[1], arena, &comparison);
    return observe_first(&comparison, world_size, arena);
}

static void where_a_nan_comes_from_is_told_by_the_inputs(void)
{
    static const Sides calm = {{2.5, -1.5, 0.25, 12}, {1.8, -1.9, 0.1, 45}};
    static const Sides born = {{2.5, -1.5, 0.25, 12}, {INFINITY_D, -1.9, 0.1, INFINITY_D}};
    static const Sides went_in = {{NAN_D, NAN_D, NAN_D, NAN_D}, {NAN_D, NAN_D, NAN_D, NAN_D}};
    static const Sides huge = {{INFINITY_D, -1.5, INFINITY_D, INFINITY_D}, {1.8, -1.9, 0.1, 45}};
    static const Sides lost = {{INFINITY_D, -1.5, INFINITY_D, INFINITY_D},
                               {NAN_D, NAN_D, NAN_D, NAN_D}};
    const struct {
        Sides golden, target;
        const char *text;
    } cases[] = {
        {calm, born,
         "All inputs are finite (largest magnitude 2.50), output.0 holds Inf: it starts in this "
         "op."},
        {calm, went_in, "input.0 holds NaN before this op runs."},
        {huge, lost,
         "Nothing recorded of the inputs differs, output.0 holds NaN in target only: it starts in "
         "this op."},
        {born, calm, "Golden holds Inf in output.0, target does not."},
    };
    Arena *arena = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Observation got = observed_op(cases[i].golden, cases[i].target, 0, arena);
        CHECK(got.kind == OBSERVE_NONFINITE);
        CHECK_TEXT(got.text, cases[i].text);
    }
    arena_release(arena);
}

static void zeros_factors_and_rounding_are_told_in_both_directions(void)
{
    static const Sides zero = {{2.5, -1.5, 0.25, 12}, {0, 0, 0, 0}};
    static const Sides calm = {{2.5, -1.5, 0.25, 12}, {1.8, -1.9, 0.1, 45}};
    static const Sides third = {{2.5, -1.5, 0.25, 12}, {0.6, -1.9 / 3, 0.1 / 3, 15}};
    static const Sides fifth = {{2.5, -1.5, 0.25, 12}, {0.36, -0.38, 0.02, 9}};
    static const Sides fine = {{2.5, -1.5, 0.25, 12}, {1.8001234, -1.9004321, 0.1, 45.00012}};
    static const Sides half = {{2.5, -1.5, 0.25, 12}, {1.7998046875, -1.900390625, 0.1, 45.0012}};
    const struct {
        Sides golden, target;
        ObservationKind kind;
        const char *part;
    } cases[] = {
        {zero, calm, OBSERVE_ZERO, "output.0 is all zeros in golden; target has norm 45.0."},
        {calm, third, OBSERVE_FACTOR, ", one over the number of ranks"},
        {calm, fifth, OBSERVE_FACTOR, "0.20000 times golden's: it looks scaled"},
        {fine, half, OBSERVE_ROUNDED, "exact float16 values"},
    };
    Arena *arena = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Observation got = observed_op(cases[i].golden, cases[i].target, 3, arena);
        CHECK(got.kind == cases[i].kind);
        CHECK(str_find(got.text, str_of(cases[i].part), 0) != SIZE_MAX);
    }
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(numbers_of_coarser_types_are_told);
    CHECK_RUN(each_kind_is_told_from_the_numbers);
    CHECK_RUN(equal_runs_give_no_remark);
    CHECK_RUN_SHARED(the_samples_show_what_was_planted);
    CHECK_RUN(where_a_nan_comes_from_is_told_by_the_inputs);
    CHECK_RUN(zeros_factors_and_rounding_are_told_in_both_directions);
    return CHECK_RESULT;
}
