// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "check.h"
#include "compare/nonfinite/locate.h"
#include "model/graph/graph_build.h"
#include "read/dump/dump_source.h"

// Dumps are written out as texts: F is finite, N holds NaN, P +Inf, M the -Inf of masked scores.
#define TENSOR(max, min, mean)                                                            \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2,2],\"Max\":" max \
    ",\"Min\":" min ",\"Mean\":" mean ",\"Norm\":1.0,\"requires_grad\":false}"
#define F         TENSOR("2.5", "-1.5", "0.5")
#define N         TENSOR("NaN", "NaN", "NaN")
#define P         TENSOR("Infinity", "-1.5", "Infinity")
#define M         TENSOR("2.5", "-Infinity", "-Infinity")
#define MASK      TENSOR("0.0", "-Infinity", "-Infinity")
#define ALL       TENSOR("-Infinity", "-Infinity", "-Infinity")
#define LOWEST    TENSOR("0.0", "-3.4028234663852886e+38", "-1e+38")
#define MINUS_INF "{\"type\":\"float\",\"value\":-Infinity}"
#define API(name, inputs, outputs) \
    "\"" name "\":{\"input_args\":[" inputs "],\"input_kwargs\":{},\"output\":[" outputs "]}"
#define DUMP(data) \
    "{\"task\":\"statistics\",\"level\":\"mix\",\"framework\":\"pytorch\",\"data\":{" data "}}"

static Arena *arena;

static Trail trail_of(const char *text, const char *construct_text)
{
    Notices notices;
    Error err;
    Construct construct;
    Trail trail = {.read = {.partial_at = -1}};
    Names *names = names_new(arena);
    Dump *dump = ARENA_NEW(arena, Dump);
    Graph graph;
    notices_init(&notices, arena);
    CHECK(dump_read_text("dump.json", str_of(text), names, arena, dump, &notices, &err));
    CHECK(construct_read_text("construct.json", str_of(construct_text), names, arena, &construct,
                              &notices, &err));
    graph_build(dump, &construct, NULL, GRAPH_VERNIER, arena, &graph, &notices);
    trail_follow(dump, &graph, arena, &trail);
    return trail;
}

static void an_op_with_finite_inputs_and_a_bad_output_is_the_birth(void)
{
    Trail trail = trail_of(DUMP(API("Torch.add.0.forward", F, F) "," API(
                               "Torch.exp.0.forward", F, P) "," API("Torch.sub.0.forward", P, N)),
                           "{}");
    CHECK(trail.first.kind == BIRTH_OUTPUT);
    CHECK_TEXT(trail.first.op, "Torch.exp.0.forward");
    CHECK_TEXT(trail.first.slot, "output.0");
    CHECK(trail.first.inputs_finite && trail.first.largest == 2.5);
    CHECK(trail.first.level == OVERFLOW_CRITICAL);
    CHECK_TEXT(str_of(locate_kind_word(trail.first.found)), "Inf");
    CHECK(trail.nan_position == 3 && trail.bad_ops == 2);
}

static void infinities_of_masks_are_healthy_and_what_softmax_makes_of_them_is_not(void)
{
    Trail calm =
        trail_of(DUMP(API("Tensor.masked_fill.0.forward", F "," MINUS_INF, M) "," API(
                     "Functional.softmax.0.forward", M,
                     F) "," API("Tensor.add.0.forward", F "," MASK,
                                M) "," API("Torch.add.0.forward", LOWEST "," LOWEST, MASK)),
                 "{}");
    CHECK(calm.first.kind == BIRTH_NONE && calm.healthy == 4);
    Trail bad = trail_of(DUMP(API("Tensor.masked_fill.0.forward", F "," MINUS_INF,
                                  M) "," API("Functional.softmax.0.forward", M, N)),
                         "{}");
    CHECK_TEXT(bad.first.op, "Functional.softmax.0.forward");
    CHECK(bad.first.masked && bad.first.inputs_finite);
}

static void minus_infinity_out_of_finite_inputs_is_no_mask(void)
{
    Trail trail = trail_of(DUMP(API("Torch.log.0.forward", F, M)), "{}");
    CHECK(trail.first.kind == BIRTH_OUTPUT);
}

static void an_overflow_whose_elements_are_all_minus_infinity_is_no_mask(void)
{
    static const char *const made[] = {ALL, MASK};
    for (int i = 0; i < 2; i++) {
        const char *out = made[i];
        Trail trail = trail_of(
            str_printf(arena,
                       DUMP(API("Tensor.masked_fill.0.forward", F "," MINUS_INF, ALL) "," API(
                           "Functional.linear.0.forward", F,
                           "%s") "," API("Functional.linear.1.forward", "%s", "%s")),
                       out, out, out)
                .data,
            "{}");
        CHECK(trail.first.kind == BIRTH_OUTPUT && trail.first.level == OVERFLOW_CRITICAL);
        CHECK_TEXT(trail.first.op, "Functional.linear.0.forward");
        CHECK_TEXT(trail.first.slot, "output.0");
        CHECK(trail.first.inputs_finite && trail.healthy == 1);
    }
}

// What a later op adds to what is known healthy says nothing of an earlier one.
static void a_birth_is_told_by_what_was_known_when_it_came(void)
{
    Trail trail = trail_of(DUMP("\"Module.fc.Linear.forward.0\":{\"input_args\":[" F
                                "],\"input_kwargs\":{},\"output\":[" ALL
                                "]}," API("Torch.full.0.forward", MINUS_INF, ALL)),
                           "{}");
    CHECK(trail.first.kind == BIRTH_OUTPUT && trail.first.level == OVERFLOW_CRITICAL);
    CHECK_TEXT(trail.first.slot, "output.0");
}

static void a_weight_with_an_infinity_is_where_it_starts_though_the_output_is_finite(void)
{
    Trail api = trail_of(DUMP(API("Functional.linear.0.forward", F "," P, F)), "{}");
    CHECK(api.first.kind == BIRTH_PARAMETER && api.first.level == OVERFLOW_MEDIUM);
    CHECK_TEXT(api.first.slot, "input.1");
    static const char *const weights[] = {P, M, ALL};
    for (int i = 0; i < 3; i++) {
        Trail module = trail_of(str_printf(arena,
                                           DUMP("\"Module.fc.Linear.forward.0\":{\"input_args\":[" F
                                                "],\"input_kwargs\":{},\"output\":[" F
                                                "],\"parameters\":{\"weight\":%s}}"),
                                           weights[i])
                                    .data,
                                "{}");
        CHECK(module.first.kind == BIRTH_PARAMETER);
        CHECK_TEXT(module.first.slot, "parameters.weight");
    }
    Trail input = trail_of(DUMP(API("Torch.relu.0.forward", P, F)), "{}");
    CHECK(input.first.kind == BIRTH_NONE && input.healthy == 1);
}

static void unset_memory_and_what_overwrites_it_are_healthy(void)
{
    Trail trail =
        trail_of(DUMP(API("Torch.empty.0.forward", "", N) "," API(
                     "Tensor.fill_.0.forward", N, F) "," API("Tensor.copy_.0.forward", N "," F, F)),
                 "{}");
    CHECK(trail.first.kind == BIRTH_NONE);
}

static void a_bad_input_that_no_op_gave_and_a_bad_weight_are_told_apart(void)
{
    Trail input = trail_of(DUMP(API("Torch.add.0.forward", N "," F, N)), "{}");
    CHECK(input.first.kind == BIRTH_INPUT && !input.first.inputs_finite);
    CHECK_TEXT(input.first.slot, "input.0");
    Trail weight = trail_of(DUMP(API("Functional.linear.0.forward", F "," N, N)), "{}");
    CHECK(weight.first.kind == BIRTH_PARAMETER);
    CHECK_TEXT(weight.first.slot, "input.1");
}

static void a_module_is_not_accused_for_what_happened_inside(void)
{
    static const char text[] =
        DUMP(API("Functional.relu.0.forward", F, N) "," API("Module.a.A.forward.0", F, N));
    static const char back_to_front[] =
        DUMP(API("Module.a.A.forward.0", F, N) "," API("Functional.relu.0.forward", F, N));
    static const char construct[] =
        "{\"Functional.relu.0.forward\":\"Module.a.A.forward.0\",\"Module.a.A.forward.0\":null}";
    Trail trail = trail_of(text, construct);
    CHECK_TEXT(trail.first.op, "Functional.relu.0.forward");
    CHECK_TEXT(trail.first.module, "Module.a.A.forward.0");
    CHECK(trail.later_count == 0);
    CHECK_TEXT(trail_of(back_to_front, construct).first.op, "Functional.relu.0.forward");
}

static void a_backward_op_whose_forward_was_bad_is_no_further_birth(void)
{
    Trail trail =
        trail_of(DUMP(API("Torch.exp.0.forward", F, P) "," API(
                     "Torch.sum.0.forward", F, N) ","
                                                  "\"Torch.exp.0.backward\":{\"input\":[" F
                                                  "],\"output\":[" N "]}"),
                 "{}");
    CHECK(trail.later_count == 1);
    CHECK_TEXT(trail.later[0].op, "Torch.sum.0.forward");
}

#define GROUP "{\"type\":\"torch.ProcessGroup\",\"group_ranks\":[0,1,2],\"group_id\":\"x\"}"
#define REDUCE(in, out)                                         \
    "\"Distributed.all_reduce.0.forward\":{\"input_args\":[" in \
    "],\"input_kwargs\":{\"group\":" GROUP "},\"output\":[" out "]}"

static void an_arrival_is_traced_to_the_rank_that_gave_it(void)
{
    Trail trails[3] = {trail_of(DUMP(REDUCE(F, N)), "{}"),
                       trail_of(DUMP(API("Torch.exp.0.forward", F, N) "," REDUCE(N, N)), "{}"),
                       trail_of(DUMP(REDUCE(F, N)), "{}")};
    Locate result;
    for (int i = 0; i < 3; i++)
        trails[i].rank = i;
    locate_step(trails, 3, 7, STR(""), arena, &result);
    CHECK(result.origin_count == 1 && result.origins[0].rank == 1 &&
          result.origins[0].reached == 2);
    CHECK(result.spread_count == 1 && result.spreads[0].to_count == 2);
    CHECK_TEXT(result.spreads[0].through, "Distributed.all_reduce.0");
}

static void a_sum_that_overflows_has_one_origin_and_a_missing_member_is_said(void)
{
    Trail trails[3] = {trail_of(DUMP(REDUCE(F, P)), "{}"), trail_of(DUMP(REDUCE(F, P)), "{}"),
                       trail_of(DUMP(REDUCE(F, P)), "{}")};
    Locate result;
    for (int i = 0; i < 3; i++)
        trails[i].rank = i;
    locate_step(trails, 3, 0, STR(""), arena, &result);
    CHECK(result.origin_count == 1 && result.origins[0].kind == BIRTH_COMMUNICATION);
    locate_step(trails, 2, 0, STR(""), arena, &result);
    CHECK(result.origin_count == 1 && result.origins[0].kind == BIRTH_ELSEWHERE);
}

static void ranks_that_wait_for_each_other_do_not_hang_the_clock(void)
{
#define P2P(op, msprobe)                                                                    \
    "\"Distributed." op ".0.forward\":{\"input_args\":[" F "],\"input_kwargs\":{\"" msprobe \
    "\":{\"type\":\"int\",\"value\":%d}},\"output\":[" F "]}"
    char texts[2][2048];
    Trail trails[2];
    for (int i = 0; i < 2; i++) {
        snprintf(texts[i], sizeof texts[i], DUMP(P2P("recv", "src") "," P2P("send", "dst")), 1 - i,
                 1 - i);
        trails[i] = trail_of(texts[i], "{}");
        trails[i].rank = i;
    }
    Locate result;
    locate_step(trails, 2, 0, STR(""), arena, &result);
    CHECK(result.clock.end >= 2);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(an_op_with_finite_inputs_and_a_bad_output_is_the_birth);
    CHECK_RUN(infinities_of_masks_are_healthy_and_what_softmax_makes_of_them_is_not);
    CHECK_RUN(minus_infinity_out_of_finite_inputs_is_no_mask);
    CHECK_RUN(an_overflow_whose_elements_are_all_minus_infinity_is_no_mask);
    CHECK_RUN(a_birth_is_told_by_what_was_known_when_it_came);
    CHECK_RUN(a_weight_with_an_infinity_is_where_it_starts_though_the_output_is_finite);
    CHECK_RUN(unset_memory_and_what_overwrites_it_are_healthy);
    CHECK_RUN(a_bad_input_that_no_op_gave_and_a_bad_weight_are_told_apart);
    CHECK_RUN(a_module_is_not_accused_for_what_happened_inside);
    CHECK_RUN(a_backward_op_whose_forward_was_bad_is_no_further_birth);
    CHECK_RUN(an_arrival_is_traced_to_the_rank_that_gave_it);
    CHECK_RUN(a_sum_that_overflows_has_one_origin_and_a_missing_member_is_said);
    CHECK_RUN(ranks_that_wait_for_each_other_do_not_hang_the_clock);
    arena_release(arena);
    return CHECK_RESULT;
}
