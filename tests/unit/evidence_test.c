// SPDX-License-Identifier: Apache-2.0
#include "compare/evidence.h"

#include "check.h"
#include "compare/compare.h"
#include "graph_text.h"

#define TENSOR(dtype, rest) \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch." dtype "\",\"shape\":[4]," rest "}"
#define FLOATS   TENSOR("float32", "\"Max\":1.0,\"Min\":-1.0,\"Mean\":0.1,\"Norm\":2.0")
#define OTHERS   TENSOR("float32", "\"Max\":1.0,\"Min\":-1.0,\"Mean\":0.2,\"Norm\":2.5")
#define ZEROS    TENSOR("float32", "\"Max\":0.0,\"Min\":0.0,\"Mean\":0.0,\"Norm\":0.0")
#define ENDS     TENSOR("float32", "\"Max\":1.0,\"Min\":-1.0,\"Mean\":null,\"Norm\":null")
#define INTEGERS TENSOR("int64", "\"Max\":7,\"Min\":0,\"Mean\":null,\"Norm\":null")
#define ONES     TENSOR("int64", "\"Max\":1,\"Min\":1,\"Mean\":null,\"Norm\":null")

static Arena *arena;
static Notices notices;

static Graph *graph_of(const char *name, const char *data)
{
    Graph *graph = ARENA_NEW(arena, Graph);
    GraphText text = {.construct = "{}", .data = data};
    graph_text_build(name, &text, GRAPH_VERNIER, arena, graph, &notices);
    return graph;
}

// Two runs of a call with these inputs.
static InputEvidence evidence_of(const char *golden, const char *target)
{
    Comparison comparison;
    CompareOptions options = {0};
    const char *inputs[] = {golden, target};
    Graph *graphs[2];
    for (int side = 0; side < 2; side++)
        graphs[side] = graph_of(
            side ? "target" : "golden",
            str_printf(arena, "{\"Torch.exp.0.forward\":{%s\"output\":[" FLOATS "]}}", inputs[side])
                .data);
    compare_graphs(graphs[0], graphs[1], &options, arena, &comparison);
    return input_evidence(&comparison, &comparison.ops[0]);
}

#define INPUT(tensor) "\"input_args\":[" tensor "],"

static void an_op_without_tensors_going_in_has_nothing_that_agrees(void)
{
    CHECK(!evidence_of("", "").any);
    CHECK(evidence_of(INPUT(FLOATS), INPUT(FLOATS)).any);
}

static void four_statistics_tell_a_tensor_and_two_of_integers_do_not(void)
{
    CHECK(evidence_of(INPUT(FLOATS), INPUT(FLOATS)).unsure == SLOT_NONE);
    CHECK(evidence_of(INPUT(ZEROS), INPUT(ZEROS)).unsure == SLOT_NONE);
    CHECK(evidence_of(INPUT(ONES), INPUT(ONES)).unsure == SLOT_NONE);
    CHECK(evidence_of(INPUT(INTEGERS), INPUT(INTEGERS)).unsure != SLOT_NONE);
    CHECK(evidence_of(INPUT(ENDS), INPUT(ENDS)).unsure != SLOT_NONE);
}

static void what_one_side_does_not_tell_is_not_known_to_agree(void)
{
    CHECK(evidence_of(INPUT(FLOATS), INPUT(ENDS)).unsure != SLOT_NONE);
    CHECK(evidence_of(INPUT(ENDS), INPUT(FLOATS)).unsure != SLOT_NONE);
    CHECK(evidence_of(INPUT(FLOATS), "").unsure != SLOT_NONE);
    CHECK(evidence_of("", INPUT(FLOATS)).unsure != SLOT_NONE);
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(an_op_without_tensors_going_in_has_nothing_that_agrees);
    CHECK_RUN(four_statistics_tell_a_tensor_and_two_of_integers_do_not);
    CHECK_RUN(what_one_side_does_not_tell_is_not_known_to_agree);
    arena_release(arena);
    return CHECK_RESULT;
}
