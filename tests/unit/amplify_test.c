// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/amplify.h"

#include <math.h>

#include "check.h"
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
    return (double)amplify_find(dump, 0, arena)[dump->ops[op].first_slot + slot].factor;
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

static const char *coarse(double norm)
{
    return str_printf(arena,
                      "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.bfloat16\",\"shape\":[4,8],"
                      "\"Max\":%.17g,\"Min\":%.17g,\"Mean\":0.0,\"Norm\":%.17g}",
                      norm / 2, -norm / 2, norm)
        .data;
}

static void a_gradient_counts_the_gates_it_came_through_and_its_sums_keep_the_count(void)
{
    const Dump *dump =
        dump_of(str_printf(arena,
                           "{\"Functional.relu.1.backward\":{\"input\":[%s],\"output\":[%s]},"
                           "\"Functional.silu.0.backward\":{\"input\":[%s],\"output\":[%s]},"
                           "\"Functional.relu.0.backward\":{\"input\":[%s],\"output\":[%s]}}",
                           coarse(9), coarse(8), coarse(8), coarse(7), coarse(6.5), coarse(6)));
    const float gates[] = {0, 1, 1, 1, 1, 2};
    const Amplified *found = amplify_find(dump, 0, arena);
    for (int i = 0; i < 6; i++)
        CHECK(found[dump->ops[i / 2].first_slot + (uint32_t)(i % 2)].gates == gates[i]);
}

static void a_square_errs_twice_as_much_as_its_base_and_a_root_half_as_much(void)
{
    const Dump *dump = dump_of(
        str_printf(arena,
                   "{\"Tensor.mul.0.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
                   "\"Torch.sum.0.forward\":{\"input_args\":[%s],\"output\":[%s]},"
                   "\"Torch.sqrt.0.forward\":{\"input_args\":[%s],\"output\":[%s]},"
                   "\"Tensor.mul.1.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
                   "\"Tensor.pow.0.forward\":{\"input_args\":[%s,{\"type\":\"int\",\"value\":3}],"
                   "\"output\":[%s]}}",
                   tensor(9), tensor(9), positive(30), positive(30), positive(81), positive(81),
                   positive(8), tensor(9), tensor(8), tensor(7), tensor(5), tensor(6)));
    CHECK(near(factor_at(dump, 0, 2), 2));
    CHECK(near(factor_at(dump, 1, 1), 2));  // of one sign: nothing cancels, nothing averages out
    CHECK(near(factor_at(dump, 2, 1), 1));
    CHECK(near(factor_at(dump, 3, 2), 1));
    CHECK(near(factor_at(dump, 4, 2), 3));
}

static void a_power_of_a_number_is_none_of_the_tensor_and_powers_end_at_four(void)
{
    const char *scalar = "{\"type\":\"float\",\"value\":10000.0}";
    const Dump *dump = dump_of(str_printf(
        arena,
        "{\"Torch.pow.0.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
        "\"Torch.sub.0.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
        "\"Torch.pow.1.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
        "\"Functional.layer_norm.0.forward\":{\"input_args\":[%s],\"output\":[%s]},"
        "\"Tensor.square.0.forward\":{\"input_args\":[%s],\"output\":[%s]},"
        "\"Torch.sqrt.0.forward\":{\"input_args\":[%s],\"output\":[%s]}}",
        scalar, tensor(3), tensor(4), tensor(100), tensor(99), tensor(50), tensor(50), scalar,
        tensor(6), tensor(6), tensor(7), tensor(7), tensor(8), tensor(8), tensor(9)));
    CHECK(near(factor_at(dump, 0, 2), 1));
    CHECK(near(factor_at(dump, 2, 2), 8));  // 2 of the difference
    CHECK(near(factor_at(dump, 4, 1), 8));
    CHECK(near(factor_at(dump, 5, 1), 4));
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

static void a_term_is_taken_once(void)
{
    const Dump *dump =
        dump_of(str_printf(arena,
                           "{\"Torch.mul.0.backward\":{\"input\":[%s],\"output\":[%s]},"
                           "\"Torch.exp.0.backward\":{\"input\":[%s],\"output\":[]},"
                           "\"Torch.exp.1.backward\":{\"input\":[%s],\"output\":[]}}",
                           tensor(1600), tensor(8), tensor(16), tensor(17)));
    CHECK(near(factor_at(dump, 1, 0), 25));
    CHECK(near(factor_at(dump, 2, 0), 1));
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

// The gradient, 8 of 1600, errs by 400; the buffer comes from the step before, and is halved first.
static void a_buffer_errs_as_much_as_the_gradient_that_is_added_to_it(void)
{
    const Dump *dump = dump_of(str_printf(
        arena,
        "{\"Torch.conv2d.0.backward\":{\"input\":[%s],\"output\":[%s]},"
        "\"Tensor.mul_.0.forward\":{\"input_args\":[%s,{\"type\":\"float\",\"value\":0.5}],"
        "\"output\":[%s]},"
        "\"Tensor.add_.0.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
        "\"Tensor.add_.1.forward\":{\"input_args\":[%s,%s],\"input_kwargs\":{\"alpha\":"
        "{\"type\":\"float\",\"value\":-0.5}},\"output\":[%s]},"
        "\"Tensor.mul_.1.forward\":{\"input_args\":[%s,{\"type\":\"float\",\"value\":0.5}],"
        "\"output\":[%s]}}",
        tensor(1600), tensor(8), tensor(20), tensor(10), tensor(10), tensor(8), tensor(16),
        tensor(40), tensor(16), tensor(50), tensor(6), tensor(3)));
    CHECK(near(factor_at(dump, 1, 0), 20));
    CHECK(near(factor_at(dump, 1, 2), 40));
    CHECK(near(factor_at(dump, 2, 0), 40));
    CHECK(near(factor_at(dump, 3, 0), 5));  // half of it
    CHECK(near(factor_at(dump, 4, 0), 1));  // nothing is added to it
}

// A weight of 1000 decays in the gradient, 8, which errs by 400 when it comes from a backward call.
static void a_weight_that_decays_in_a_gradient_makes_no_gradient_or_buffer_err(void)
{
    const char *decay =
        str_printf(arena,
                   "\"Tensor.add_.0.forward\":{\"input_args\":[%s,%s],\"input_kwargs\":"
                   "{\"alpha\":{\"type\":\"float\",\"value\":100.0}},\"output\":[%s]},"
                   "\"Tensor.add_.1.forward\":{\"input_args\":[%s,%s],\"output\":[%s]}}",
                   tensor(8), tensor(1000), tensor(9), tensor(20), tensor(9), tensor(30))
            .data;
    const Dump *alone = dump_of(str_printf(arena, "{%s", decay));
    CHECK(near(factor_at(alone, 0, 0), 1));
    CHECK(near(factor_at(alone, 1, 0), 1));
    const Dump *dump = dump_of(
        str_printf(arena, "{\"Torch.conv2d.0.backward\":{\"input\":[%s],\"output\":[%s]},%s",
                   tensor(1600), tensor(8), decay));
    CHECK(near(factor_at(dump, 2, 0), 20));
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
    CHECK_RUN(a_gradient_counts_the_gates_it_came_through_and_its_sums_keep_the_count);
    CHECK_RUN(a_square_errs_twice_as_much_as_its_base_and_a_root_half_as_much);
    CHECK_RUN(a_power_of_a_number_is_none_of_the_tensor_and_powers_end_at_four);
    CHECK_RUN(gradients_that_meet_between_two_calls_carry_the_errors_of_the_largest);
    CHECK_RUN(a_term_is_taken_once);
    CHECK_RUN(gradients_of_a_module_are_sums_over_what_its_backward_call_is_given);
    CHECK_RUN(a_buffer_errs_as_much_as_the_gradient_that_is_added_to_it);
    CHECK_RUN(a_weight_that_decays_in_a_gradient_makes_no_gradient_or_buffer_err);
    CHECK_RUN(a_mean_errs_as_what_cancelled_in_the_sum_that_it_is);
    CHECK_RUN(where_inputs_are_equal_only_sums_can_cancel);
    arena_release(arena);
    return CHECK_RESULT;
}
