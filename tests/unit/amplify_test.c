// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/amplify.h"

#include <math.h>

#include "check.h"
#include "compare/judge/recorded.h"
#include "graph_text.h"

static Arena *arena;
static Notices notices;

static const char *tensor(double norm)
{
    return str_printf(arena,
                      "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4,8],"
                      "\"Max\":%.17g,\"Min\":%.17g,\"Mean\":0.0,\"Norm\":%.17g}",
                      norm / 2, -norm / 2, norm)
        .data;
}

static const Dump *dump_of(Str data)
{
    Graph graph;
    GraphText text = {.construct = "{}", .data = data.data};
    graph_text_build("dump", &text, GRAPH_VERNIER, arena, &graph, &notices);
    return graph.dump;
}

static double factor_at(const Dump *dump, uint32_t op, uint32_t slot)
{
    Recorded recorded;
    recorded_collect(dump, arena, &recorded);
    const float *factors = amplify_find(flow_find(dump, arena), recorded.elements, 0, arena);
    return (double)factors[dump->ops[op].first_slot + slot];
}

static bool near(double a, double b)
{
    return fabs(a / b - 1) < 1e-6;
}

static void a_difference_has_the_errors_of_what_cancelled(void)
{
    const Dump *dump = dump_of(
        str_printf(arena, "{\"Torch.sub.0.forward\":{\"input_args\":[%s,%s],\"output\":[%s]}}",
                   tensor(100), tensor(99), tensor(2)));
    CHECK(near(factor_at(dump, 0, 2), 50));
    CHECK(near(factor_at(dump, 0, 0), 1));
}

static void an_op_hands_on_the_factor_of_its_input(void)
{
    const Dump *dump =
        dump_of(str_printf(arena,
                           "{\"Torch.sub.0.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
                           "\"Torch.neg.0.forward\":{\"input_args\":[%s],\"output\":[%s]}}",
                           tensor(100), tensor(99), tensor(2), tensor(2), tensor(5)));
    CHECK(near(factor_at(dump, 1, 0), 50));
    CHECK(near(factor_at(dump, 1, 1), 50));
}

static const char *positive(double norm)
{
    return str_printf(arena,
                      "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4,8],"
                      "\"Max\":%.17g,\"Min\":0.0,\"Mean\":%.17g,\"Norm\":%.17g}",
                      norm / 2, norm / 9, norm)
        .data;
}

// mul gives 8 of 1600, sub gets twice that: a sum that no op shows; a module gets the same.
static void gradients_that_meet_between_two_calls_carry_the_errors_of_the_largest(void)
{
    const Dump *dump = dump_of(str_printf(
        arena,
        "{\"Torch.mul.0.backward\":{\"input\":[%s],\"output\":[%s,%s]},"
        "\"Torch.sub.0.backward\":{\"input\":[%s],\"output\":[%s]},"
        "\"Module.a.Linear.backward.0\":{\"input\":[%s],\"output\":[%s]}}",
        tensor(1600), tensor(8), tensor(8), tensor(16), tensor(16), tensor(16), tensor(3)));
    CHECK(near(factor_at(dump, 0, 1), 50));  // a quarter of 1600 in 8
    CHECK(near(factor_at(dump, 1, 0), 25));
    CHECK(near(factor_at(dump, 1, 1), 25));
    CHECK(near(factor_at(dump, 2, 0), 25));
}

static void a_gradient_that_is_no_sum_errs_as_the_last_one(void)
{
    const Dump *dump =
        dump_of(str_printf(arena,
                           "{\"Torch.mul.0.backward\":{\"input\":[%s],\"output\":[%s]},"
                           "\"Torch.exp.0.backward\":{\"input\":[%s],\"output\":[]},"
                           "\"Torch.exp.1.backward\":{\"input\":[%s],\"output\":[]}}",
                           tensor(1600), tensor(8), tensor(16), tensor(17)));
    CHECK(near(factor_at(dump, 1, 0), 25));
    CHECK(near(factor_at(dump, 2, 0), 50));  // nothing waits any more: it was cut out of the 8
}

static const char *shaped(const char *shape, double norm)
{
    return str_printf(arena,
                      "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":%s,"
                      "\"Max\":1.0,\"Min\":-1.0,\"Mean\":0.0,\"Norm\":%.17g}",
                      shape, norm)
        .data;
}

// 3 tokens, 4 numbers each, times 4 by 2. Of random signs a sum of 4 products is twice as large.
static void a_product_carries_the_rounding_of_the_products_that_cancel_in_it(void)
{
    const char *x = shaped("[3, 4]", sqrt(12)), *w = shaped("[2, 4]", sqrt(8));
    const char *y = shaped("[3, 2]", 0.5), *g = shaped("[3, 2]", 3);
    const char *gx = shaped("[3, 4]", 1.5), *gw = shaped("[4, 2]", 2);
    const Dump *dump = dump_of(
        str_printf(arena,
                   "{\"Functional.linear.0.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
                   "\"Functional.linear.0.backward\":{\"input\":[%s],\"output\":[%s,%s]}}",
                   x, w, y, g, gx, gw));
    CHECK(near(factor_at(dump, 0, 2), sqrt(4 * 6) / 0.5));
    CHECK(near(factor_at(dump, 1, 1), 3 * 2 / 1.5));
    CHECK(near(factor_at(dump, 1, 2), 3 * 2 / 2.0));
}

static void gradients_of_a_module_are_sums_over_what_its_backward_call_is_given(void)
{
    const Dump *dump =
        dump_of(str_printf(arena,
                           "{\"Module.n.LayerNorm.parameters_grad.0\":{\"bias\":[%s]},"
                           "\"Module.n.LayerNorm.backward.0\":{\"input\":[%s],\"output\":[%s]}}",
                           tensor(2), tensor(80), tensor(70)));
    CHECK(near(factor_at(dump, 0, 0), 10));
}

static void a_mean_errs_as_what_cancelled_in_the_sum_that_it_is(void)
{
    const Dump *dump = dump_of(str_printf(
        arena,
        "{\"Torch.mean.0.forward\":{\"input_args\":[%s],\"output\":[{\"type\":\"torch.Tensor\","
        "\"dtype\":\"torch.float32\",\"shape\":[4,1],\"Max\":0.05,\"Min\":-0.05,"
        "\"Mean\":0.0,\"Norm\":0.125}]},"
        "\"Torch.mean.1.forward\":{\"input_args\":[%s],\"output\":[%s]}}",
        tensor(100), positive(100), positive(1)));
    CHECK(near(factor_at(dump, 0, 1), 100));  // 100 / 8 of the eight numbers that one averages
    CHECK(near(factor_at(dump, 1, 1), 1));
}

static void where_inputs_are_equal_only_sums_can_cancel(void)
{
    const Dump *dump =
        dump_of(str_printf(arena,
                           "{\"Torch.sub.0.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
                           "\"Torch.mul.0.backward\":{\"input\":[%s],\"output\":[%s]}}",
                           tensor(100), tensor(99), tensor(2), tensor(1600), tensor(8)));
    CHECK(near(amplify_own(dump, &dump->ops[0], &dump->slots[2]), 1));
    CHECK(near(amplify_own(dump, &dump->ops[1], &dump->slots[4]), 50));
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(a_difference_has_the_errors_of_what_cancelled);
    CHECK_RUN(an_op_hands_on_the_factor_of_its_input);
    CHECK_RUN(gradients_that_meet_between_two_calls_carry_the_errors_of_the_largest);
    CHECK_RUN(a_gradient_that_is_no_sum_errs_as_the_last_one);
    CHECK_RUN(a_product_carries_the_rounding_of_the_products_that_cancel_in_it);
    CHECK_RUN(gradients_of_a_module_are_sums_over_what_its_backward_call_is_given);
    CHECK_RUN(a_mean_errs_as_what_cancelled_in_the_sum_that_it_is);
    CHECK_RUN(where_inputs_are_equal_only_sums_can_cancel);
    arena_release(arena);
    return CHECK_RESULT;
}
