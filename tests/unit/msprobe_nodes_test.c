// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe_nodes.h"

#include <math.h>

#include "check.h"
#include "compare/compare.h"
#include "export/nodes_json.h"
#include "graph_text.h"

// The worked examples X2, X3 and X13 of the graph specification.

#define LEAF(dtype, max, min, mean, norm, more)                                       \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"" dtype "\",\"shape\":[2,2],\"Max\":" max \
    ",\"Min\":" min ",\"Mean\":" mean ",\"Norm\":" norm ",\"requires_grad\":false" more "}"
#define T(max, min, mean, norm) LEAF("torch.float32", max, min, mean, norm, "")
#define N(norm)                 T("1", "0", "0.5", norm)
#define GOOD                    N("1")
#define OUT                     T("2", "0", "1", "3")
#define IO(i, o)                "{\"input_args\":[" i "],\"input_kwargs\":{},\"output\":[" o "]}"
#define MOD(x)                  "Module.net." x ".Linear.forward.0"
#define NET                     "Module.net.Net.forward.0"

static Arena *arena;

typedef struct Pair {
    Graph golden, target;
    MsprobeNodes nodes;
} Pair;

static Pair *compare_as(const GraphText *target, const GraphText *golden, CompareMode mode)
{
    Pair *pair = ARENA_NEW(arena, Pair);
    Notices notices;
    notices_init(&notices, arena);
    graph_text_build("golden", golden, GRAPH_MSPROBE, arena, &pair->golden, &notices);
    graph_text_build("target", target, GRAPH_MSPROBE, arena, &pair->target, &notices);
    msprobe_nodes_compare(&pair->golden, &pair->target, mode, NULL, NULL, arena, &pair->nodes);
    return pair;
}

static Pair *compare(const GraphText *target, const GraphText *golden)
{
    return compare_as(target, golden, MODE_STATISTICS);
}

// "-" without an index, "?" without a node.
static const char *index_of(const Pair *pair, const char *name)
{
    NodeId id = graph_text_find(&pair->target, name);
    if (id == NODE_NONE)
        return "?";
    double index = pair->nodes.precision_index[id];
    return isnan(index) ? "-" : index == 0 ? "0" : index == 1 ? "1" : "0.5";
}

static bool matched(const Pair *pair, const char *name)
{
    NodeId id = graph_text_find(&pair->target, name);
    return id != NODE_NONE && pair->nodes.golden_of[id] != NODE_NONE;
}

#define CHECK_INDEX(pair, name, want) CHECK_TEXT(str_of(index_of((pair), (name))), (want))

#define X2_CONSTRUCT(mul)                                                                         \
    "{\"Tensor.to.0.forward\":null,\"Torch.ones.0.forward\":null,\"" NET                          \
    "\":null,\"" MOD("a") "\":\"" NET "\",\"Functional.linear.0.forward\":\"" MOD(                \
        "a") "\",\"" MOD("b") "\":\"" NET                                                         \
                              "\",\"" MOD("c") "\":\"" NET                                        \
                                               "\",\"" MOD("d") "\":\"" NET "\",\"" MOD(          \
                                                   "e") "\":\"" NET                               \
                                                        "\",\"Torch.empty.0.forward\":\"" NET     \
                                                        "\",\"Torch.mul." mul ".forward\":\"" NET \
                                                        "\"}"

// clang-format off
static const GraphText x2_target = {
    .construct = X2_CONSTRUCT("0"),
    .data = "{\"Tensor.to.0.forward\":" IO(GOOD, T("9", "0", "0.5", "9"))
    ",\"Torch.ones.0.forward\":" IO("{\"type\":\"int\",\"value\":4}", GOOD)
    ",\"" NET "\":" IO(GOOD, OUT)
    ",\"" MOD("a") "\":" IO(N("10"), N("16"))
    ",\"Functional.linear.0.forward\":" IO(N("10.1"), N("12"))
    ",\"" MOD("b") "\":" IO(GOOD, T("Infinity", "0", "NaN", "Infinity"))
    ",\"" MOD("c") "\":" IO(LEAF("torch.float16", "1", "0", "0.5", "1", ""), OUT)
    ",\"" MOD("d")
    "\":{\"input_args\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2"
    ",2],\"Max\":1,\"Min\":0,\"Mean\":0.5,\"Norm\":1,\"requires_grad\":true}],\"output\":[" OUT "]}"
    ",\"" MOD("e") "\":" IO(GOOD "," GOOD, OUT)
    ",\"Torch.empty.0.forward\":" IO("{\"type\":\"int\",\"value\":4}", T("Infinity", "0", "1", "3"))
    ",\"Torch.mul.0.forward\":" IO(GOOD, GOOD) "}"};
// clang-format on
// clang-format off
static const GraphText x2_golden = {
    .construct = X2_CONSTRUCT("1"),
    .data = "{\"Tensor.to.0.forward\":" IO(GOOD, GOOD)
    ",\"Torch.ones.0.forward\":" IO("{\"type\":\"int\",\"value\":5}", GOOD)
    ",\"" NET "\":" IO(GOOD, OUT)
    ",\"" MOD("a") "\":" IO(N("10"), N("10"))
    ",\"Functional.linear.0.forward\":" IO(N("10"), N("10"))
    ",\"" MOD("b") "\":" IO(GOOD, OUT)
    ",\"" MOD("c") "\":" IO(GOOD, OUT)
    ",\"" MOD("d") "\":" IO(GOOD, OUT)
    ",\"" MOD("e") "\":" IO(GOOD, OUT)
    ",\"Torch.empty.0.forward\":" IO("{\"type\":\"int\",\"value\":4}", OUT)
    ",\"Torch.mul.1.forward\":" IO(GOOD, GOOD) "}"};
// clang-format on

static void x2_statistics_give_each_node_msprobes_index(void)
{
    Pair *pair = compare(&x2_target, &x2_golden);
    CHECK_INDEX(pair, "Tensor.to.0.forward", "0");
    CHECK_INDEX(pair, "Torch.ones.0.forward", "1");
    CHECK_INDEX(pair, "Apis_Between_Modules.0", "1");
    CHECK_INDEX(pair, NET, "0");
    CHECK_INDEX(pair, MOD("a"), "1");
    CHECK_INDEX(pair, "Functional.linear.0.forward", "0.5");
    CHECK_INDEX(pair, MOD("b"), "1");
    CHECK_INDEX(pair, MOD("c"), "1");
    CHECK_INDEX(pair, MOD("d"), "1");
    CHECK_INDEX(pair, MOD("e"), "1");
    CHECK_INDEX(pair, "Torch.empty.0.forward", "0");
    CHECK_INDEX(pair, "Torch.mul.0.forward", "-");
    CHECK(!matched(pair, "Torch.mul.0.forward"));
    CHECK_INDEX(pair, "DefaultModel", "-");
    CHECK(matched(pair, "DefaultModel"));
}

#define SUM(dtype, md5) LEAF(dtype, "1", "0", "0.5", "1", ",\"md5\":\"" md5 "000000\"")
#define S(md5)          SUM("torch.float32", md5)

static const char x3_construct[] =
    "{\"Tensor.to.0.forward\":null,\"" NET "\":null,\"" MOD("a") "\":\"" NET "\",\"" MOD(
        "b") "\":\"" NET "\",\"" MOD("c") "\":\"" NET "\",\"Torch.empty.0.forward\":\"" NET "\"}";
static const GraphText x3_target = {
    .construct = x3_construct,
    .data = "{\"Tensor.to.0.forward\":" IO(
        S("aa"),
        S("ff")) ",\"" NET
                 "\":" IO(S("aa"), S("bb")) ",\"" MOD("a") "\":" IO(S("aa"), S("cc")) ",\"" MOD(
                     "b") "\":" IO(S("aa") "," S("dd"),
                                   S("bb")) ",\"" MOD("c") "\":" IO(SUM("torch.float16", "aa"),
                                                                    S("bb")) ",\"Torch.empty.0."
                                                                             "forward\":" IO(
                                                                                 S("a"
                                                                                   "a"),
                                                                                 S("0"
                                                                                   "1")) "}"};
static const GraphText x3_golden = {
    .construct = x3_construct,
    .data = "{\"Tensor.to.0.forward\":" IO(
        S("aa"),
        S("ee")) ",\"" NET
                 "\":" IO(S("aa"), S("bb")) ",\"" MOD("a") "\":" IO(S("aa"), S("bb")) ",\"" MOD(
                     "b") "\":" IO(S("aa"),
                                   S("bb")) ",\"" MOD("c") "\":" IO(S("aa"),
                                                                    S("bb")) ",\"Torch.empty.0."
                                                                             "forward\":" IO(
                                                                                 S("a"
                                                                                   "a"),
                                                                                 S("0"
                                                                                   "2")) "}"};

static void x3_checksums_and_structure(void)
{
    CompareMode mode = MODE_STRUCTURE;
    Pair *pair = compare(&x3_target, &x3_golden);
    mode = msprobe_graph_mode(pair->golden.dump, pair->target.dump);
    CHECK(mode == MODE_CHECKSUM);
    pair = compare_as(&x3_target, &x3_golden, mode);
    CHECK_INDEX(pair, NET, "0");
    CHECK_INDEX(pair, MOD("a"), "1");
    CHECK_INDEX(pair, MOD("b"), "0.5");
    CHECK_INDEX(pair, MOD("c"), "0");
    CHECK_INDEX(pair, "Torch.empty.0.forward", "1");
    CHECK_INDEX(pair, "Tensor.to.0.forward", "0");
    pair = compare_as(&x3_target, &x3_golden, MODE_STRUCTURE);
    CHECK(matched(pair, MOD("a")));
    CHECK_INDEX(pair, MOD("a"), "-");
}

// The index of one node that hangs under the root on both sides.
static const char *index_of_one(const char *name, const char *target, const char *golden)
{
    Str construct = str_printf(arena, "{\"%s\":null}", name);
    Str target_data = str_printf(arena, "{\"%s\":%s}", name, target);
    Str golden_data = str_printf(arena, "{\"%s\":%s}", name, golden);
    GraphText n = {.construct = construct.data, .data = target ? target_data.data : "{}"};
    GraphText b = {.construct = construct.data, .data = golden ? golden_data.data : "{}"};
    Pair *pair = compare(&n, &b);
    CHECK(matched(pair, name));
    return index_of(pair, name);
}

#define CHECK_ONE(name, target, golden, want) \
    CHECK_TEXT(str_of(index_of_one((name), (target), (golden))), (want))

#define BERT(part) "Module.bert.layer.0." part ".dense.Linear.forward.0"

static void x13_msprobes_defects_are_kept(void)
{
    CHECK_ONE(BERT("output"), IO(N("11.5"), N("11.5")), IO(N("10"), N("10")), "0.5");
    CHECK_ONE(BERT("outp"), IO(N("11.5"), N("11.5")), IO(N("10"), N("10")), "0");
    CHECK_ONE(MOD("a"), IO(GOOD, N("5")), IO(GOOD, N("0")), "0");
    CHECK_ONE(MOD("a"), IO(GOOD, N("NaN")), IO(GOOD, N("1")), "0");
    CHECK_ONE(MOD("a"), IO(GOOD, T("1", "0", "NaN", "1")), IO(GOOD, GOOD), "0");
    CHECK_ONE(MOD("a"), IO(GOOD, OUT), IO(GOOD "," GOOD, OUT), "0");
    CHECK_ONE(MOD("a"), NULL, IO(GOOD, OUT), "-");
    CHECK_ONE(MOD("a"), IO(GOOD, OUT), NULL, "1");
    CHECK_ONE(MOD("a"), IO(GOOD, T("10", "-5", "0.5", "1")), IO(GOOD, GOOD), "0");
    CHECK_ONE(MOD("qkv_proj"), IO(GOOD, LEAF("torch.float16", "1", "0", "0.5", "1", "")),
              IO(GOOD, GOOD), "0");
}

static void x13_gradients_have_no_outputs_and_pass(void)
{
    const char *construct = "{\"Module.net.a.Linear.backward.0\":null}";
    GraphText target = {.construct = construct,
                        .data = "{\"Module.net.a.Linear.parameters_grad\":{\"w\":[" N("1") "]}}"};
    GraphText golden = {.construct = construct,
                        .data = "{\"Module.net.a.Linear.parameters_grad\":{\"w\":[" N("0.2") "]}}"};
    CHECK_INDEX(compare(&target, &golden), "Module.net.a.Linear.parameters_grad", "0");
}

static void x13_checksums_in_nested_lists_are_not_seen(void)
{
    GraphText text = {.construct = "{\"Torch.add.0.forward\":null}",
                      .data = "{\"Torch.add.0.forward\":" IO(GOOD, "[" S("aa") "]") "}"};
    Pair *pair = compare(&text, &text);
    CHECK(msprobe_graph_mode(pair->golden.dump, pair->target.dump) == MODE_STATISTICS);
}

static void a_renamed_wrapper_leaves_everything_below_unmatched(void)
{
    GraphText target = {.construct = "{\"Module.a.A.forward.0\":null,"
                                     "\"Torch.add.0.forward\":\"Module.a.A.forward.0\"}",
                        .data = "{}"};
    GraphText golden = {.construct = "{\"Module.b.A.forward.0\":null,"
                                     "\"Torch.add.0.forward\":\"Module.b.A.forward.0\"}",
                        .data = "{}"};
    CHECK(!matched(compare(&target, &golden), "Torch.add.0.forward"));
}

static void golden_root_children_without_partner_take_their_call_for_a_micro_step(void)
{
    GraphText target = {.construct = "{\"Module.a.A.forward.0\":null}", .data = "{}"};
    GraphText golden = {.construct = "{\"Module.a.A.forward.3\":null,"
                                     "\"Torch.add.0.forward\":\"Module.a.A.forward.3\"}",
                        .data = "{}"};
    Pair *pair = compare(&target, &golden);
    NodeId child = graph_text_find(&pair->golden, "Torch.add.0.forward");
    CHECK(pair->nodes.golden_micro_step[child] == 3);
    CHECK(pair->nodes.golden_micro_step[0] == 0);
}

static void the_nodes_file_lists_children_before_parents(void)
{
    Pair *pair = compare(&x2_target, &x2_golden);
    Comparison comparison;
    CompareOptions options = {.rules = RULES_MSPROBE26};
    compare_graphs(&pair->golden, &pair->target, &options, arena, &comparison);
    Sink *sink = sink_memory(arena);
    nodes_json_write(&comparison, &pair->nodes, false, sink);
    Str text = sink_bytes(sink);
    size_t side = str_find(text, STR("\"target\""), 0);
    size_t child = str_find(text, STR("\"id\": \"Functional.linear.0.forward\""), side);
    size_t parent = str_find(text, STR("\"id\": \"" MOD("a") "\""), side);
    size_t root = str_find(text,
                           STR("\"id\": \"DefaultModel\", \"type\": \"module\", \"parent\": "
                               "null, \"matched\": \"DefaultModel\""),
                           side);
    CHECK(child < parent && parent < root && root != SIZE_MAX);
    CHECK(str_find(text, STR("\"precision_index\": 0.5"), side) != SIZE_MAX);
    sink_discard(sink);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(x2_statistics_give_each_node_msprobes_index);
    CHECK_RUN(x3_checksums_and_structure);
    CHECK_RUN(x13_msprobes_defects_are_kept);
    CHECK_RUN(x13_gradients_have_no_outputs_and_pass);
    CHECK_RUN(x13_checksums_in_nested_lists_are_not_seen);
    CHECK_RUN(a_renamed_wrapper_leaves_everything_below_unmatched);
    CHECK_RUN(golden_root_children_without_partner_take_their_call_for_a_micro_step);
    CHECK_RUN(the_nodes_file_lists_children_before_parents);
    arena_release(arena);
    return CHECK_RESULT;
}
