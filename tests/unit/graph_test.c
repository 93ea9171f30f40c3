// SPDX-License-Identifier: Apache-2.0
#include "model/graph/graph.h"

#include "check.h"
#include "graph_text.h"

// The worked examples X1, X6, X7, X11 of the graph specification, inputs written out.

#define TENSOR(max, min, mean, norm)                                                      \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2,2],\"Max\":" max \
    ",\"Min\":" min ",\"Mean\":" mean ",\"Norm\":" norm ",\"requires_grad\":false}"
#define GOOD     TENSOR("1", "0", "0.5", "1")
#define BAD      TENSOR("Infinity", "0", "NaN", "NaN")
#define IO(i, o) "{\"input_args\":[" i "],\"input_kwargs\":{},\"output\":[" o "]}"
#define BOTH     IO(GOOD, GOOD)

static Arena *arena;
static Notices notices;

static Graph build(const char *name, const GraphText *text, GraphRules rules)
{
    Graph graph;
    notices_init(&notices, arena);
    graph_text_build(name, text, rules, arena, &graph, &notices);
    return graph;
}

static const GraphText x1 = {
    .construct = "{\"Tensor.to.0.forward\":null,\"Torch.ones.0.forward\":null,"
                 "\"Module.net.Net.forward.0\":null,"
                 "\"Module.net.fc.Linear.forward.0\":\"Module.net.Net.forward.0\","
                 "\"Functional.linear.0.forward\":\"Module.net.fc.Linear.forward.0\","
                 "\"Tensor.sum.0.forward\":null,\"Module.net.Net.backward.0\":null,"
                 "\"Module.net.fc.Linear.backward.0\":null,\"Functional.linear.0.backward\":null}",
    .data = "{\"Tensor.to.0.forward\":" BOTH ",\"Torch.ones.0.forward\":" BOTH
            ",\"Functional.linear.0.forward\":" BOTH ",\"Module.net.fc.Linear.forward.0\":" BOTH
            ",\"Module.net.Net.forward.0\":" BOTH ",\"Tensor.sum.0.forward\":" BOTH
            ",\"Module.net.Net.backward.0\":{\"input\":[" GOOD "],\"output\":[null]}"
            ",\"Module.net.fc.Linear.backward.0\":{\"input\":[" GOOD "],\"output\":[" GOOD "]}"
            ",\"Functional.linear.0.backward\":{\"input\":[" GOOD "],\"output\":[" GOOD "]}"
            ",\"Module.net.fc.Linear.parameters_grad\":{\"weight\":[" GOOD "]}}",
    .stack = "{\"0\":[[\"Tensor.to.0.forward\",\"Torch.ones.0.forward\"],[\"f1\"]],"
             "\"1\":[[\"Module.net.fc.Linear.forward.0\"],[\"f2\"]]}",
};

static void loose_apis_fold_and_backward_parents_are_repaired(void)
{
    Graph graph = build("x1", &x1, GRAPH_MSPROBE);
    CHECK_TEXT(graph_text_children(&graph, "DefaultModel", arena),
               "Apis_Between_Modules.0 Module.net.Net.forward.0 Tensor.sum.0.forward "
               "Module.net.Net.backward.0");
    CHECK_TEXT(graph_text_children(&graph, "Apis_Between_Modules.0", arena),
               "Tensor.to.0.forward Torch.ones.0.forward");
    CHECK_TEXT(graph_text_parent(&graph, "Module.net.fc.Linear.backward.0"),
               "Module.net.Net.backward.0");
    CHECK_TEXT(graph_text_children(&graph, "Module.net.fc.Linear.backward.0", arena),
               "Functional.linear.0.backward Module.net.fc.Linear.parameters_grad");
    CHECK(graph.micro_steps == 1);
}

static void nodes_are_ordered_children_first(void)
{
    static const char *const want[] = {"Tensor.to.0.forward",
                                       "Torch.ones.0.forward",
                                       "Apis_Between_Modules.0",
                                       "Functional.linear.0.forward",
                                       "Module.net.fc.Linear.forward.0",
                                       "Module.net.Net.forward.0",
                                       "Tensor.sum.0.forward",
                                       "Functional.linear.0.backward",
                                       "Module.net.fc.Linear.parameters_grad",
                                       "Module.net.fc.Linear.backward.0",
                                       "Module.net.Net.backward.0",
                                       "DefaultModel"};
    Graph graph = build("x1order", &x1, GRAPH_MSPROBE);
    CHECK(graph.order_count == 12);
    for (uint32_t i = 0; i < graph.order_count && i < 12; i++)
        CHECK_TEXT(names_text(graph.dump->names, graph.nodes[graph.order[i]].name), want[i]);
}

static void a_backward_node_borrows_the_stack_of_its_forward_twin(void)
{
    Graph graph = build("x1stack", &x1, GRAPH_VERNIER);
    const StackFrames *stack =
        graph_stack(&graph, graph_text_find(&graph, "Module.net.fc.Linear.backward.0"));
    CHECK(stack && stack->count == 1);
    if (stack)
        CHECK_TEXT(stack->frames[0], "f2");
    CHECK(!graph_stack(&graph, graph_text_find(&graph, "Functional.linear.0.forward")));
}

#define GPT       "Module.0.module.GPT"
#define BLOCK     "Module.0.module.decoder.Block"
#define L0        "Module.0.module.decoder.layers.0.TransformerLayer"
#define L1        "Module.0.module.decoder.layers.1.TransformerLayer"
#define MLP       "Module.0.module.decoder.layers.0.mlp.MLP"
#define RECOMPUTE "File /opt/torch/utils/checkpoint.py, line 5, in recompute_fn, \\n fn(*args)"

static const char x6_construct[] =
    "{\"" GPT ".forward.0\":null,\"" BLOCK ".forward.0\":\"" GPT ".forward.0\",\"" L0
    ".forward.0\":\"" BLOCK ".forward.0\",\"" L1 ".forward.0\":\"" BLOCK ".forward.0\",\"" GPT
    ".backward.0\":null,\"" BLOCK ".backward.0\":\"" GPT ".backward.0\",\"" L1
    ".forward.1\":null,\"" L1 ".backward.1\":null,\"" L0 ".forward.1\":null,\"" MLP
    ".forward.1\":\"" L0 ".forward.1\",\"" L0 ".backward.1\":null,\"" MLP ".backward.1\":\"" L0
    ".backward.1\"}";

static const GraphText x6 = {
    .construct = x6_construct,
    .data = "{}",
    .stack = "{\"0\":[[\"" L1 ".forward.1\",\"" L0 ".forward.1\"],[\"" RECOMPUTE "\"]]}",
};

static void recomputed_layers_move_below_the_backward_of_their_block(void)
{
    Graph graph = build("x6", &x6, GRAPH_MSPROBE);
    CHECK_TEXT(graph_text_children(&graph, "DefaultModel", arena),
               GPT ".forward.0 " GPT ".backward.0");
    CHECK_TEXT(graph_text_children(&graph, BLOCK ".backward.0", arena),
               L1 ".forward.1 " L1 ".backward.1 " L0 ".forward.1 " L0 ".backward.1");
    CHECK_TEXT(graph_text_parent(&graph, MLP ".forward.1"), L0 ".forward.1");
    CHECK(graph.micro_steps == 1);
}

static void without_stacks_recomputation_of_pytorch_is_not_seen(void)
{
    GraphText text = x6;
    text.stack = "{}";
    Graph graph = build("x6nostack", &text, GRAPH_MSPROBE);
    CHECK(graph.micro_steps == 3);
    text.framework = "mindspore";
    graph = build("x6mindspore", &text, GRAPH_MSPROBE);
    CHECK(graph.micro_steps == 1);
}

static void a_parent_that_worked_in_place_is_replaced(void)
{
    static const GraphText text = {
        .construct =
            "{\"Module.layer4.1.BasicBlock.forward.0\":null,"
            "\"Module.layer4.1.conv2.Conv2d.forward.0\":\"Module.layer4.1.BasicBlock.forward.0\","
            "\"Module.layer4.1.relu.ReLU.forward.1\":\"Module.layer4.1.BasicBlock.forward.0\","
            "\"Module.layer4.1.BasicBlock.backward.0\":null,"
            "\"Module.layer4.1.relu.ReLU.backward.1\":\"Module.layer4.1.BasicBlock.backward.0\","
            "\"Module.layer4.1.conv2.Conv2d.backward.0\":\"Module.layer4.1.relu.ReLU.backward.1\"}",
        .data = "{}"};
    Graph graph = build("inplace", &text, GRAPH_MSPROBE);
    CHECK_TEXT(graph_text_parent(&graph, "Module.layer4.1.conv2.Conv2d.backward.0"),
               "Module.layer4.1.BasicBlock.backward.0");
}

static void a_forward_after_a_backward_opens_a_micro_step(void)
{
    static const GraphText text = {
        .construct = "{\"Module.a.A.forward.0\":null,\"Torch.mul.0.forward\":null,"
                     "\"Module.a.A.backward.0\":null,\"Torch.sum.9.forward\":null,"
                     "\"Torch.sum.10.forward\":null,\"Module.a.A.forward.1\":null,"
                     "\"Module.a.A.backward.1\":null,\"optimizer\":null,"
                     "\"Torch.add.5.forward\":\"optimizer\",\"clip_grad\":null}",
        .data = "{}"};
    Graph graph = build("micro", &text, GRAPH_MSPROBE);
    CHECK(graph.micro_steps == 2);
    CHECK(graph.nodes[graph_text_find(&graph, "Torch.sum.10.forward")].micro_step == 0);
    CHECK(graph.nodes[graph_text_find(&graph, "Module.a.A.forward.1")].micro_step == 1);
    CHECK(graph.nodes[graph_text_find(&graph, "Torch.add.5.forward")].micro_step == 1);
    CHECK(graph.nodes[graph_text_find(&graph, "clip_grad")].micro_step == 1);
}

static void recorded_micro_steps_are_taken_as_they_are(void)
{
    static const GraphText text = {
        .construct = "{\"Module.a.A.forward.0\":[null,0],\"Module.a.A.forward.1\":[null,1],"
                     "\"Module.a.A.backward.0\":[null,0],\"Torch.x.0.forward\":null,"
                     "\"megatron_micro_step_number\":1}",
        .data = "{}"};
    Graph graph = build("megatron", &text, GRAPH_MSPROBE);
    CHECK(graph.micro_steps == 2);
    CHECK(graph.nodes[graph_text_find(&graph, "Module.a.A.forward.1")].micro_step == 1);
    CHECK(graph.nodes[graph_text_find(&graph, "Torch.x.0.forward")].micro_step == 0);
}

static void overflow_levels_follow_inputs_and_outputs(void)
{
    static const char *const names[] = {"Torch.mul.0.forward",   "Torch.mul.1.forward",
                                        "Torch.mul.2.forward",   "Torch.mul.3.forward",
                                        "Torch.mul.4.forward",   "Torch.mul.5.forward",
                                        "Torch.empty.0.forward", "Tensor.masked_fill_.0.forward"};
    static const int want[] = {OVERFLOW_CRITICAL, OVERFLOW_HIGH, OVERFLOW_MEDIUM, OVERFLOW_HIGH,
                               OVERFLOW_NONE,     OVERFLOW_NONE, OVERFLOW_NONE,   OVERFLOW_NONE};
    static const GraphText text = {
        .construct = "{\"Torch.mul.0.forward\":null,\"Torch.mul.1.forward\":null,"
                     "\"Torch.mul.2.forward\":null,\"Torch.mul.3.forward\":null,"
                     "\"Torch.mul.4.forward\":null,\"Torch.mul.5.forward\":null,"
                     "\"Torch.empty.0.forward\":null,\"Tensor.masked_fill_.0.forward\":null}",
        // clang-format off
        .data =
            "{\"Torch.mul.0.forward\":" IO(GOOD, BAD)
            ",\"Torch.mul.1.forward\":" IO(BAD, BAD)
            ",\"Torch.mul.2.forward\":" IO(BAD, GOOD)
            ",\"Torch.mul.3.forward\":" IO(GOOD, TENSOR("1", "0", "0.5", "101"))
            ",\"Torch.mul.4.forward\":" IO(GOOD, TENSOR("1", "0", "0.5", "NaN"))
            ",\"Torch.mul.5.forward\":"
            IO(TENSOR("0", "0", "0", "0"), TENSOR("1", "0", "0.5", "100"))
            ",\"Torch.empty.0.forward\":" IO(GOOD, BAD)
            ",\"Tensor.masked_fill_.0.forward\":" IO(BAD, BAD) "}"};
    // clang-format on
    Graph graph = build("overflow", &text, GRAPH_MSPROBE);
    graph_mark_overflow(&graph);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(graph.nodes[graph_text_find(&graph, names[i])].overflow == want[i]);
}

static const GraphText odd = {
    .construct = "{\"Module.a.A.forward.0\":\"Module.zz.P.forward.0\","
                 "\"Module.b.B.forward.0\":\"Module.c.C.forward.0\","
                 "\"Module.c.C.forward.0\":\"Module.b.B.forward.0\","
                 "\"Module.d.D.forward.0\":\"Module.d.D.forward.0\","
                 "\"Module.ok.K.forward.0\":null}",
    .data = "{\"Module.a.A.forward.0\":" BOTH ",\"Module.b.B.forward.0\":" BOTH
            ",\"Torch.lost.0.forward\":" BOTH ",\"Module.q.Q.parameters_grad\":{\"weight\":[" GOOD
            "]}}",
};

static void msprobe_loses_what_the_root_does_not_reach(void)
{
    Graph graph = build("oddpeer", &odd, GRAPH_MSPROBE);
    CHECK(graph.order_count == 2);
    CHECK(graph_text_find(&graph, "Module.q.Q.parameters_grad") == NODE_NONE);
}

static void no_op_is_lost_by_missing_parents_or_cycles(void)
{
    Graph graph = build("oddvernier", &odd, GRAPH_VERNIER);
    CHECK(graph.order_count == graph.count);
    CHECK_TEXT(graph_text_parent(&graph, "Module.a.A.forward.0"), "Module.zz.P.forward.0");
    CHECK_TEXT(graph_text_parent(&graph, "Module.zz.P.forward.0"), "DefaultModel");
    CHECK_TEXT(graph_text_parent(&graph, "Torch.lost.0.forward"), "Ops_Without_Parent.0");
    CHECK_TEXT(graph_text_parent(&graph, "Module.q.Q.parameters_grad"), "DefaultModel");
    CHECK(notices.count == 1 && notices.items[0].count == 1);
    for (uint32_t i = 0; i < graph.dump->op_count; i++)
        CHECK(graph_find(&graph, graph.dump->ops[i].name) != NODE_NONE);
}

static void gradients_hang_below_the_last_backward_call(void)
{
    static const GraphText text = {
        .construct = "{\"Module.a.A.forward.0\":null,\"Module.a.A.backward.0\":null,"
                     "\"Module.a.A.backward.1\":null}",
        .data = "{\"Module.a.A.parameters_grad.0\":{\"w\":[" GOOD
                "]},\"Module.a.A.parameters_grad.1\":{\"w\":[" GOOD "]}}"};
    Graph graph = build("grads", &text, GRAPH_MSPROBE);
    CHECK_TEXT(graph_text_children(&graph, "Module.a.A.backward.1", arena),
               "Module.a.A.parameters_grad.0 Module.a.A.parameters_grad.1");
}

static void without_construct_the_ops_stand_in_a_row(void)
{
    static const GraphText text = {.construct = "{}",
                                   .data =
                                       "{\"Torch.a.0.forward\":" BOTH ",\"Torch.b.0.forward\":" BOTH
                                       ",\"foo.bar.c.0.forward\":" BOTH "}"};
    Graph graph = build("flat", &text, GRAPH_VERNIER);
    CHECK(graph.flat);
    CHECK_TEXT(graph_text_children(&graph, "DefaultModel", arena),
               "Torch.a.0.forward Torch.b.0.forward foo.bar.c.0.forward");
    CHECK(graph.nodes[graph_text_find(&graph, "foo.bar.c.0.forward")].type == NODE_API);
}

static void a_chain_of_a_hundred_thousand_parents_is_built(void)
{
    enum { DEPTH = 100000 };
    StrBuf buf;
    buf = strbuf_new(arena);
    strbuf_add(&buf, STR("{\"Module.m0.M.forward.0\":null"));
    for (int i = 1; i < DEPTH; i++)
        strbuf_printf(&buf, ",\"Module.m%d.M.forward.0\":\"Module.m%d.M.forward.0\"", i, i - 1);
    strbuf_add_char(&buf, '}');
    GraphText text = {.construct = strbuf_str(&buf).data, .data = "{}"};
    Graph graph = build("deep", &text, GRAPH_VERNIER);
    CHECK(graph.order_count == DEPTH + 1);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(loose_apis_fold_and_backward_parents_are_repaired);
    CHECK_RUN(nodes_are_ordered_children_first);
    CHECK_RUN(a_backward_node_borrows_the_stack_of_its_forward_twin);
    CHECK_RUN(recomputed_layers_move_below_the_backward_of_their_block);
    CHECK_RUN(without_stacks_recomputation_of_pytorch_is_not_seen);
    CHECK_RUN(a_parent_that_worked_in_place_is_replaced);
    CHECK_RUN(a_forward_after_a_backward_opens_a_micro_step);
    CHECK_RUN(recorded_micro_steps_are_taken_as_they_are);
    CHECK_RUN(overflow_levels_follow_inputs_and_outputs);
    CHECK_RUN(msprobe_loses_what_the_root_does_not_reach);
    CHECK_RUN(no_op_is_lost_by_missing_parents_or_cycles);
    CHECK_RUN(gradients_hang_below_the_last_backward_call);
    CHECK_RUN(without_construct_the_ops_stand_in_a_row);
    CHECK_RUN(a_chain_of_a_hundred_thousand_parents_is_built);
    arena_release(arena);
    return CHECK_RESULT;
}
