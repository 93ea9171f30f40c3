// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/carried.h"

#include <math.h>

#include "check.h"
#include "compare/compare.h"
#include "compare/pair_facts.h"
#include "graph_text.h"

// A difference of two nearly equal tensors, which cancellation makes uncertain, then a cast that no
// dump shows, then an op that takes its result.

static Arena *arena;
static Notices notices;

typedef struct Run {
    double gap, cast, result;  // norms
    double large;              // of what cancels
} Run;

#define ROUNDED 1000.0001

static const Run golden = {0.1, 0.2, 3.0, 1000};

static const char *tensor(double norm)
{
    return str_printf(arena,
                      "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4,8],"
                      "\"Max\":%.17g,\"Min\":%.17g,\"Mean\":0.0,\"Norm\":%.17g}",
                      norm / 2, -norm / 2, norm)
        .data;
}

static Graph build(const char *name, const Run *run)
{
    Graph graph;
    const char *a = tensor(run->large), *b = tensor(1001), *scale = tensor(7);
    Str data = str_printf(arena,
                          "{\"Torch.exp.0.backward\":{\"input\":[%s],\"output\":[%s]},"
                          "\"Torch.exp.1.backward\":{\"input\":[%s],\"output\":[%s]},"
                          "\"Torch.sub.0.backward\":{\"input\":[%s,%s],\"output\":[%s]},"
                          "\"Torch.mul.0.backward\":{\"input\":[%s,%s],\"output\":[%s]}}",
                          scale, a, scale, b, a, b, tensor(run->gap), tensor(run->cast), scale,
                          tensor(run->result));
    GraphText text = {.construct = "{}", .data = data.data};
    graph_text_build(name, &text, GRAPH_VERNIER, arena, &graph, &notices);
    return graph;
}

static PairFacts facts_of(const Run *target)
{
    Graph *graphs = ARENA_ARRAY(arena, Graph, 2);
    Comparison comparison;
    PairFacts facts;
    CompareOptions options = {0};
    graphs[0] = build("golden", &golden);
    graphs[1] = build("target", target);
    compare_graphs(&graphs[0], &graphs[1], &options, arena, &comparison);
    facts_collect(&comparison, 0, arena, &facts);
    return facts;
}

static void an_op_whose_error_grows_is_accused(void)
{
    Run target = {0.1 * (1 + 1e-3), 0.2 * (1 + 1e-3), 3.0 * (1 + 2e-2), ROUNDED};
    PairFacts facts = facts_of(&target);
    CHECK(facts.first.kind == DIVERGE_OUTPUT);
    CHECK_TEXT(facts.first.target, "Torch.mul.0.backward");
}

static void a_value_that_is_all_noise_vouches_for_no_other(void)
{
    // 1000 - 1001 in float32 may be anything within 1e-3, a hundredth of a tenth.
    Run target = {0.1 * 1.2, 0.2 * 1.2, 3.0 * 1.2, ROUNDED};
    CHECK(facts_of(&target).first.kind != DIVERGE_NONE);
}

static void the_errors_of_a_tensor_are_those_of_its_statistics(void)
{
    Run other = {0.11, 0.2, 3.0, 1000};
    Graph b = build("golden", &golden), n = build("target", &other);
    const Op *op = &b.dump->ops[2];
    const Slot *gap = &b.dump->slots[op->first_slot + 2];
    const Slot *wide = &n.dump->slots[n.dump->ops[2].first_slot + 2];
    double errors[STAT_COUNT];
    CHECK(carried_errors(b.dump, gap, gap, errors) && errors[STAT_NORM] == 0);
    CHECK(carried_errors(b.dump, gap, wide, errors) && errors[STAT_MEAN] == 0);
    CHECK(fabs(errors[STAT_NORM] - 0.01 / 0.11) < 1e-9);
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);

    CHECK_RUN(an_op_whose_error_grows_is_accused);
    CHECK_RUN(a_value_that_is_all_noise_vouches_for_no_other);
    CHECK_RUN(the_errors_of_a_tensor_are_those_of_its_statistics);
    arena_release(arena);
    return CHECK_RESULT;
}
