// SPDX-License-Identifier: Apache-2.0
#include "compare/born.h"

#include "check.h"
#include "compare/compare.h"
#include "compare/pair_facts.h"
#include "graph_text.h"

// A product, an activation and a softmax, of which noise hides the first two by a hundredth and the
// last one hardly; a module whose weights have a gradient, and one that adds up what two ops in it
// give, as no dump shows.

static Arena *arena;
static Notices notices;

typedef struct Run {
    double product, taken, activated, result;  // each off by so much; `taken`: by the activation
    double weight;                             // the gradient of the module's weights
    double inner[2], sum, scaled;              // in the other module, its result, what takes that
} Run;

static const char *tensor(double norm, double off, const char *type)
{
    norm *= 1 + off;
    return str_printf(arena,
                      "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.%s\",\"shape\":[8,8],"
                      "\"Max\":%.17g,\"Min\":%.17g,\"Mean\":%.17g,\"Norm\":%.17g}",
                      type, norm / 4, -norm / 4, norm / 64, norm)
        .data;
}

static Graph *build(const char *name, const Run *run)
{
    Graph *graph = ARENA_NEW(arena, Graph);
    const char *half = "bfloat16", *single = "float32";
    const char *x = tensor(9, 0, half), *product = tensor(5, run->product, half),
               *taken = tensor(5, run->taken, half), *act = tensor(4, run->activated, half),
               *result = tensor(2, run->result, single);
    const char *sum = tensor(7, run->sum, half);
    Str data =
        str_printf(arena,
                   "{\"Functional.linear.0.forward\":{\"input_args\":[%s],\"output\":[%s]},"
                   "\"Functional.gelu.0.forward\":{\"input_args\":[%s],\"output\":[%s]},"
                   "\"Functional.softmax.0.forward\":{\"input_args\":[%s],\"output\":[%s]},"
                   "\"Module.m.M.backward.0\":{\"input\":[%s],\"output\":[%s]},"
                   "\"Module.m.M.parameters_grad.0\":{\"weight\":[%s]},"
                   "\"Functional.linear.1.forward\":{\"input_args\":[%s],\"output\":[%s]},"
                   "\"Functional.linear.2.forward\":{\"input_args\":[%s],\"output\":[%s]},"
                   "\"Module.a.A.forward.0\":{\"input_args\":[%s],\"output\":[%s]},"
                   "\"Functional.softmax.1.forward\":{\"input_args\":[%s],\"output\":[%s]}}",
                   x, product, taken, act, act, result, product, tensor(3, 0, half),
                   tensor(0.5, run->weight, single), x, tensor(6, run->inner[0], half), x,
                   tensor(6.5, run->inner[1], half), x, sum, sum, tensor(2.5, run->scaled, single));
    GraphText text = {.construct = "{\"Functional.linear.1.forward\":\"Module.a.A.forward.0\","
                                   "\"Functional.linear.2.forward\":\"Module.a.A.forward.0\","
                                   "\"Module.a.A.forward.0\":null}",
                      .data = data.data};
    graph_text_build(name, &text, GRAPH_VERNIER, arena, graph, &notices);
    return graph;
}

static FirstDivergence first_of(const Run *target, bool noise)
{
    const Run golden = {0};
    const Dump *runs[3];
    Comparison comparison;
    PairFacts facts;
    CompareOptions options = {.noise_runs = runs, .noise_run_count = noise ? 3 : 0};
    for (int i = 0; i < 3; i++) {
        double up = (i - 1) * 1e-2, little = (i - 1) * 1e-5;
        Run run = {up, up, up, little, little, {up, up}, up, little};
        runs[i] = build("noise", &run)->dump;
    }
    compare_graphs(build("golden", &golden), build("target", target), &options, arena, &comparison);
    facts_collect(&comparison, 0, arena, &facts);
    return facts.first;
}

static void a_difference_is_named_where_it_was_made_though_noise_hides_it_there(void)
{
    Run target = {.product = 8e-3, .taken = 8e-3, .activated = 8e-3, .result = 8e-3};
    FirstDivergence first = first_of(&target, true);
    CHECK(first.kind == DIVERGE_OUTPUT);
    CHECK_TEXT(first.target, "Functional.linear.0.forward");
    CHECK_TEXT(first.shows_at, "Functional.softmax.0.forward");
    CHECK(first.value < first.noise);
}

static void an_op_that_made_the_most_of_it_itself_is_named(void)
{
    Run target = {.product = 1e-3, .taken = 1e-3, .activated = 1e-3, .result = 8e-3};
    FirstDivergence first = first_of(&target, true);
    CHECK_TEXT(first.target, "Functional.softmax.0.forward");
    CHECK(first.shows_at.size == 0);
}

static void what_is_lost_from_sight_is_named_where_it_shows(void)
{
    Run target = {.product = 8e-3, .taken = 7.9e-3, .activated = 8e-3, .result = 8e-3};
    FirstDivergence first = first_of(&target, true);
    CHECK_TEXT(first.target, "Functional.softmax.0.forward");
    CHECK(first.shows_at.size == 0);
}

static void the_gradient_of_weights_has_what_the_backward_call_of_its_module_was_given(void)
{
    Run target = {.product = 8e-3, .taken = 8e-3, .activated = 8e-3, .weight = 8e-3};
    FirstDivergence first = first_of(&target, true);
    CHECK_TEXT(first.target, "Functional.linear.0.forward");
    CHECK_TEXT(first.shows_at, "Module.m.M.parameters_grad.0");
}

static void of_what_a_module_gives_the_op_in_it_that_made_it_is_named(void)
{
    Run target = {.inner = {2e-3, 8e-3}, .sum = 8e-3, .scaled = 8e-3};
    FirstDivergence first = first_of(&target, true);
    CHECK_TEXT(first.target, "Functional.linear.2.forward");
    CHECK_TEXT(first.shows_at, "Functional.softmax.1.forward");
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(a_difference_is_named_where_it_was_made_though_noise_hides_it_there);
    CHECK_RUN(an_op_that_made_the_most_of_it_itself_is_named);
    CHECK_RUN(what_is_lost_from_sight_is_named_where_it_shows);
    CHECK_RUN(the_gradient_of_weights_has_what_the_backward_call_of_its_module_was_given);
    CHECK_RUN(of_what_a_module_gives_the_op_in_it_that_made_it_is_named);
    arena_release(arena);
    return CHECK_RESULT;
}
