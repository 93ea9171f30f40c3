// SPDX-License-Identifier: Apache-2.0
#include "compare/flow.h"

#include "check.h"
#include "graph_text.h"

static Arena *arena;
static Notices notices;

static const char *of_type(const char *dtype, const char *shape, double largest)
{
    return str_printf(
               arena,
               "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.%s\",\"shape\":%s,\"Max\":%.17g,"
               "\"Min\":%.17g,\"Mean\":0.0,\"Norm\":%.17g}",
               dtype, shape, largest, largest != 0 ? -0.1 : 0.0, largest * 2)
        .data;
}

static const Flow *flow_of(Str data)
{
    Graph graph;
    GraphText text = {.construct = "{}", .data = data.data};
    graph_text_build("dump", &text, GRAPH_VERNIER, arena, &graph, &notices);
    return flow_find(graph.dump, arena);
}

static void the_producer_of_a_value_is_the_last_op_that_gave_it(void)
{
    const char *value = of_type("float32", "[4, 8]", 3), *other = of_type("float32", "[4, 8]", 2);
    const char *zero = of_type("float32", "[4, 8]", 0), *view = of_type("float32", "[8, 4]", 3);
    const Flow *flow = flow_of(
        str_printf(arena,
                   "{\"Torch.exp.0.forward\":{\"output\":[%s]},\"Torch.exp.1.forward\":{\"output\":"
                   "[%s]},\"Torch.exp.2.forward\":{\"output\":[%s]},\"Torch.exp.3.forward\":"
                   "{\"input_args\":[%s,%s],\"output\":[%s]},\"Torch.exp.4.forward\":"
                   "{\"input_args\":[%s]}}",
                   value, value, other, view, zero, zero, zero));
    uint32_t slot = flow->dump->ops[3].first_slot;
    CHECK(flow_producer_op(flow, slot) == 1);
    CHECK(flow_producer_op(flow, flow->dump->ops[0].first_slot) == OP_NONE);
    CHECK(flow_producer_op(flow, flow->dump->ops[1].first_slot) == 0);
    CHECK(flow_same(flow, slot, 0) && !flow_same(flow, slot, 2));
    // Zeros are everywhere: nobody knows whose they are.
    CHECK(flow_producer_op(flow, flow->dump->ops[4].first_slot) == OP_NONE);
}

static Precision upstream_at(const Flow *flow, uint32_t op, uint32_t slot)
{
    return (Precision)flow->upstream[flow->dump->ops[op].first_slot + slot];
}

static void a_value_is_as_coarse_as_what_is_upstream_and_not_as_what_ran_before_it(void)
{
    const char *x = of_type("float32", "[4, 8]", 3.1), *y = of_type("bfloat16", "[4, 8]", 2);
    const char *z = of_type("float32", "[4, 8]", 1.1), *bias = of_type("float32", "[8]", 0.7);
    const char *part = of_type("float32", "[2, 8]", 0.3), *w = of_type("float32", "[8, 8]", 0.4);
    const Flow *flow = flow_of(
        str_printf(arena,
                   "{\"Functional.linear.0.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
                   "\"Tensor.__add__.0.forward\":{\"input_args\":[%s,%s],\"output\":[%s]},"
                   "\"Tensor.__add__.1.forward\":{\"input_args\":[%s,%s],\"output\":[%s]}}",
                   x, w, y, y, bias, z, part, part, of_type("float32", "[2, 8]", 0.6)));
    CHECK(upstream_at(flow, 0, 1) == PRECISION_F32);
    CHECK(upstream_at(flow, 1, 1) == PRECISION_F32);  // no axis of the batch: from outside
    CHECK(upstream_at(flow, 2, 0) == (Precision)UPSTREAM_UNKNOWN);  // may be a part of the sum
}

static void ends_that_a_16_bit_type_has_are_told_from_others(void)
{
    Slot slot = {.tag = {TAG_REAL, TAG_REAL}, .stat = {{.real = 3.8125}, {.real = -3.8125}}};
    CHECK(flow_ends_are_half(&slot));
    slot.stat[STAT_MAX].real = 3.813577175140381;
    CHECK(!flow_ends_are_half(&slot));
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(the_producer_of_a_value_is_the_last_op_that_gave_it);
    CHECK_RUN(a_value_is_as_coarse_as_what_is_upstream_and_not_as_what_ran_before_it);
    CHECK_RUN(ends_that_a_16_bit_type_has_are_told_from_others);
    arena_release(arena);
    return CHECK_RESULT;
}
