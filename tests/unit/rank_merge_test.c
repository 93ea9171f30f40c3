// SPDX-License-Identifier: Apache-2.0
#include "model/ranks/rank_merge.h"

#include <math.h>

#include "check.h"
#include "compare/msprobe/msprobe_nodes.h"
#include "graph_text.h"

// The worked example X9 of the graph specification, and what msProbe loses in merging (W9).

#define T(max, min, mean, norm)                                                           \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2,2],\"Max\":" max \
    ",\"Min\":" min ",\"Mean\":" mean ",\"Norm\":" norm ",\"requires_grad\":false}"
#define GOOD     T("1", "0", "0.5", "1")
#define IO(i, o) "{\"input_args\":[" i "],\"input_kwargs\":{},\"output\":[" o "]}"
#define N(norm)  T("1", "0", "0.5", norm)

static Arena *arena;

static Graph *merge(const GraphText *texts, size_t tp, size_t pp, size_t vpp, GraphRules rules,
                    Notices *notices)
{
    const Graph *graphs[8];
    int64_t numbers[8];
    Names *names = names_new(arena);
    notices_init(notices, arena);
    for (size_t i = 0; i < tp * pp; i++) {
        Graph *graph = ARENA_NEW(arena, Graph);
        Str name = str_printf(arena, "rank%zu", i);
        graph_text_build_among(names, name.data, &texts[i], rules, arena, graph, notices);
        graphs[i] = graph;
        numbers[i] = (int64_t)i;
    }
    size_t experts[8] = {0};
    MergeRanks ranks = {.graphs = graphs,
                        .numbers = numbers,
                        .experts = experts,
                        .tp = tp,
                        .pp = pp,
                        .vpp = vpp,
                        .batches = 1,
                        .ep = 1,
                        .rules = rules};
    Graph *out = ARENA_NEW(arena, Graph);
    graph_merge(&ranks, arena, out, notices);
    return out;
}

// "3 -1 1.5 5" of a slot, Max, Min, Mean and Norm; the empty text where there is none.
static Str values(const Graph *graph, const char *node, const char *path)
{
    StrBuf text;
    text = strbuf_new(arena);
    NodeId id = graph_text_find(graph, node);
    const Dump *dump = graph->dump;
    const Op *op =
        id == NODE_NONE || graph->nodes[id].op == OP_NONE ? NULL : &dump->ops[graph->nodes[id].op];
    for (uint32_t i = 0; op && i < op->slot_count; i++) {
        const Slot *slot = &dump->slots[op->first_slot + i];
        if (!str_equal(names_text(dump->names, slot->path), str_of(path)))
            continue;
        for (int stat = 0; stat < STAT_COUNT; stat++) {
            char buffer[40];
            Str cell = slot_stat_text(dump->names, slot, (Stat)stat, buffer);
            strbuf_printf(&text, "%s" STR_FMT, stat ? " " : "", STR_ARG(cell));
        }
        return strbuf_str(&text);
    }
    return strbuf_str(&text);
}

#define CHECK_VALUES(graph, node, path, want) CHECK_TEXT(values((graph), (node), (path)), (want))

// ---- TP 2

#define MLP    "Module.mlp.MLP.forward.0"
#define COLUMN "Module.mlp.fc1.ColumnParallelLinear.forward.0"
#define ROW    "Module.mlp.fc2.RowParallelLinear.forward.0"
static const char tp_construct[] =
    "{\"" MLP "\":null,\"" COLUMN "\":\"" MLP "\",\"Torch.matmul.0.forward\":\"" COLUMN
    "\",\"Functional.gelu.0.forward\":\"" MLP "\",\"" ROW "\":\"" MLP
    "\",\"Torch.matmul.1.forward\":\"" ROW "\",\"Distributed.all_reduce.0.forward\":\"" ROW
    "\",\"Torch.cat.0.forward\":null,\"Torch.cat.1.forward\":null}";
// clang-format off
#define TP_RANK(col, weight, gelu, product) \
    { \
    .construct = tp_construct, \
    .data = "{\"Torch.matmul.0.forward\":" IO(GOOD, col) \
    ",\"" COLUMN "\":{\"input_args\":[" GOOD "],\"parameters\":{\"weight\":" weight \
    "},\"output\":[" col "]}" \
    ",\"Functional.gelu.0.forward\":" IO(col, gelu) \
    ",\"Torch.matmul.1.forward\":" IO(gelu, product) \
    ",\"Distributed.all_reduce.0.forward\":" IO(product, T("5", "0", "1", "4")) \
    ",\"" ROW "\":" IO(gelu, T("5", "0", "1", "4")) \
    ",\"" MLP "\":" IO(GOOD, T("5", "0", "1", "4")) \
    ",\"Torch.cat.0.forward\":" IO(GOOD, GOOD) \
    ",\"Torch.cat.1.forward\":" IO(GOOD, GOOD) "}"}
// clang-format on
static const GraphText tp_ranks[2] = {TP_RANK(T("2", "0", "1", "3"), T("0.1", "-0.1", "0", "0.3"),
                                              T("2", "0", "1", "4"), T("3", "0", "0.5", "2")),
                                      TP_RANK(T("3", "-1", "2", "4"), T("1.1", "-1.1", "0", "1.3"),
                                              T("3", "-1", "2", "5"), T("4", "0", "0.5", "3"))};

static void check_shares(const Graph *graph)
{
    CHECK_VALUES(graph, COLUMN, "output.0", "3 -1 1.5 5.0");
    CHECK_VALUES(graph, COLUMN, "parameters.weight", "1.1 -1.1 0.0 1.3341664064126335");
    CHECK_VALUES(graph, "Functional.gelu.0.forward", "output.0", "3 -1 1.5 6.4031242374328485");
    CHECK_VALUES(graph, "Torch.matmul.1.forward", "output.0", "5 0 1 4");
    CHECK_VALUES(graph, "Torch.matmul.1.forward", "input.0", "3 -1 1.5 6.4031242374328485");
    CHECK_VALUES(graph, ROW, "output.0", "5 0 1 4");
    CHECK_VALUES(graph, COLUMN, "input.0", "1 0 0.5 1");
    CHECK_VALUES(graph, "Distributed.all_reduce.0.forward", "input.0", "3 0 0.5 2");
    CHECK_TEXT(graph_text_children(graph, "DefaultModel", arena),
               MLP " Apis_Between_Modules_All_Ranks.0");
    CHECK_TEXT(graph_text_children(graph, "Apis_Between_Modules_All_Ranks.0", arena),
               "Apis_Between_Modules_Rank0.0 Apis_Between_Modules_Rank1.0");
    CHECK_TEXT(graph_text_children(graph, "Apis_Between_Modules_Rank0.0", arena),
               "Torch.cat.0.forward Torch.cat.1.forward");
    CHECK_TEXT(graph_text_children(graph, "Apis_Between_Modules_Rank1.0", arena),
               "Torch.cat_rank1.0.forward Torch.cat_rank1.1.forward");
}

static void x9_shares_of_tensors_have_msprobes_values(void)
{
    Notices notices;
    check_shares(merge(tp_ranks, 2, 1, 1, GRAPH_MSPROBE, &notices));
    Graph *graph = merge(tp_ranks, 2, 1, 1, GRAPH_VERNIER, &notices);
    check_shares(graph);
    CHECK(notices.count == 0);
    CHECK(graph->dump->merged && graph->dump->shares == 2);
    NodeId column = graph_text_find(graph, COLUMN);
    CHECK(graph->origins[column].note_count == 2);
    CHECK(str_ends(graph->origins[column].notes[0], STR("of ranks 0, 1")));
}

static void x9_one_rank_matches_all_but_the_group_of_the_other(void)
{
    Notices notices;
    GraphText whole = tp_ranks[0];
    Graph *target = merge(tp_ranks, 2, 1, 1, GRAPH_MSPROBE, &notices);
    Graph *golden = merge(&whole, 1, 1, 1, GRAPH_MSPROBE, &notices);
    MatchOptions options = {.fuzzy = true};
    MsprobeNodes nodes;
    msprobe_nodes_compare(golden, target, MODE_STATISTICS, &options, NULL, arena, &nodes);
    for (NodeId id = 0; id < target->count; id++) {
        Str name = names_text(target->dump->names, target->nodes[id].name);
        bool other = str_find(name, STR("Rank1"), 0) != SIZE_MAX ||
                     str_find(name, STR("_rank1"), 0) != SIZE_MAX;
        CHECK((nodes.golden_of[id] == NODE_NONE) == other);
    }
    NodeId group = graph_text_find(target, "Apis_Between_Modules_Rank1.0");
    CHECK(nodes.precision_index[group] == 0);
}

static void a_node_that_another_share_lacks_is_said(void)
{
    Notices notices;
    GraphText broken[2] = {tp_ranks[0], tp_ranks[1]};
    broken[1].construct = "{\"" MLP "\":null}";
    broken[1].data = "{\"" MLP "\":" IO(GOOD, T("5", "0", "1", "4")) "}";
    Graph *graph = merge(broken, 2, 1, 1, GRAPH_VERNIER, &notices);
    CHECK_VALUES(graph, COLUMN, "output.0", "2 0 1 3");
    CHECK(notices.count == 1 && notices.items[0].count == 5);
}

static void not_a_number_on_one_rank_stays(void)
{
    Notices notices;
    GraphText ranks[2] = {{.construct = "{\"Module.a.A.forward.0\":null}",
                           .data = "{\"Module.a.A.forward.0\":" IO(GOOD, GOOD) "}"}};
    ranks[1] = ranks[0];
    ranks[1].data = "{\"Module.a.A.forward.0\":" IO(GOOD, T("NaN", "0", "NaN", "NaN")) "}";
    Graph *graph = merge(ranks, 2, 1, 1, GRAPH_VERNIER, &notices);
    CHECK_VALUES(graph, "Module.a.A.forward.0", "output.0", "nan 0 nan nan");
    CHECK_VALUES(graph, "Module.a.A.forward.0", "input.0", "1 0 0.5 1");
}

// ---- PP 2

#define P(name)     "Module.0.module." name
#define GPT(d)      P("GPT." d ".0")
#define BLOCK(d)    P("decoder.Block." d ".0")
#define LAYER(n, d) P("decoder.layers." n ".Layer." d ".0")
#define EMBED       P("embedding.Embed.forward.0")
#define HEAD        P("head.Head.forward.0")

// clang-format off
#define LAYERS_CONSTRUCT(first, last) \
    "\"" BLOCK("forward") "\":\"" GPT("forward") "\"" \
    ",\"" LAYER("0", "forward") "\":\"" BLOCK("forward") "\"" \
    ",\"Torch.matmul.0.forward\":\"" LAYER("0", "forward") "\"" \
    ",\"" LAYER("1", "forward") "\":\"" BLOCK("forward") "\"" \
    ",\"Torch.matmul.1.forward\":\"" LAYER("1", "forward") "\"" last \
    ",\"" GPT("backward") "\":null" \
    ",\"" BLOCK("backward") "\":\"" GPT("backward") "\"" \
    ",\"" LAYER("1", "backward") "\":\"" BLOCK("backward") "\"" \
    ",\"" LAYER("0", "backward") "\":\"" BLOCK("backward") "\"" first
// clang-format on
// clang-format off
#define LAYERS_DATA(a, b, c) \
    "\"Torch.matmul.0.forward\":" IO(N(a), N(b)) \
    ",\"" LAYER("0", "forward") "\":" IO(N(a), N(b)) \
    ",\"Torch.matmul.1.forward\":" IO(N(b), N(c)) \
    ",\"" LAYER("1", "forward") "\":" IO(N(b), N(c)) \
    ",\"" BLOCK("forward") "\":" IO("null", N(c)) \
    ",\"" GPT("forward") "\":" IO(GOOD, N(c)) \
    ",\"" LAYER("1", "backward") "\":" IO(N(c), N(b)) \
    ",\"" LAYER("0", "backward") "\":" IO(N(b), N(a)) \
    ",\"" BLOCK("backward") "\":" IO(N(c), GOOD) \
    ",\"" GPT("backward") "\":" IO(N(c), GOOD)
// clang-format on

// clang-format off
static const GraphText pp_ranks[2] = {{
    .construct = "{\"" GPT("forward") "\":null"
    ",\"" EMBED "\":\"" GPT("forward") "\"," LAYERS_CONSTRUCT("", "")
    ",\"Torch.sum.0.forward\":null}",
    .data = "{\"" EMBED "\":" IO(GOOD, N("2")) "," LAYERS_DATA("2", "3", "4")
    ",\"Torch.sum.0.forward\":" IO(GOOD, GOOD) "}"
}, {
    .construct = "{\"Distributed.recv.0.forward\":null"
    ",\"" GPT("forward") "\":null,"
    LAYERS_CONSTRUCT("", ",\"" HEAD "\":\"" GPT("forward") "\"") "}",
    .data = "{\"Distributed.recv.0.forward\":" IO(GOOD, GOOD) "," LAYERS_DATA("4", "5", "6")
    ",\"" HEAD "\":" IO(N("6"), N("7")) "}"}};
// clang-format on

static void check_stages(const Graph *graph)
{
    CHECK_TEXT(graph_text_children(graph, GPT("forward"), arena),
               EMBED " " BLOCK("forward") " " HEAD);
    CHECK_TEXT(graph_text_children(graph, BLOCK("forward"), arena),
               LAYER("0", "forward") " " LAYER("1", "forward") " " LAYER("2", "forward") " " LAYER(
                   "3", "forward"));
    CHECK_TEXT(graph_text_children(graph, BLOCK("backward"), arena),
               LAYER("3", "backward") " " LAYER("2", "backward") " " LAYER(
                   "1", "backward") " " LAYER("0", "backward"));
    CHECK_TEXT(graph_text_children(graph, LAYER("0", "forward"), arena), "Torch.matmul.0.forward");
    CHECK_TEXT(graph_text_children(graph, LAYER("3", "forward"), arena),
               "Torch.matmul_rank1.1.forward");
    CHECK_VALUES(graph, LAYER("2", "forward"), "input.0", "1 0 0.5 4");
    CHECK_VALUES(graph, GPT("forward"), "output.0", "1 0 0.5 6");
    CHECK_VALUES(graph, BLOCK("forward"), "output.0", "1 0 0.5 6");
    CHECK_VALUES(graph, GPT("backward"), "input.0", "1 0 0.5 6");
}

static void x9_stages_continue_the_layers_of_the_first(void)
{
    Notices notices;
    Graph *graph = merge(pp_ranks, 1, 2, 1, GRAPH_MSPROBE, &notices);
    check_stages(graph);
    CHECK_TEXT(graph_text_children(graph, "DefaultModel", arena),
               GPT("forward") " " GPT("backward") " Torch.sum.0.forward");
}

static void w9_loose_apis_of_later_stages_are_kept(void)
{
    Notices notices;
    Graph *graph = merge(pp_ranks, 1, 2, 1, GRAPH_VERNIER, &notices);
    check_stages(graph);
    CHECK_TEXT(
        graph_text_children(graph, "DefaultModel", arena),
        "Distributed.recv.0.forward " GPT("forward") " " GPT("backward") " Torch.sum.0.forward");
    CHECK(notices.count == 0);
}

static void ops_stand_in_the_order_of_the_merged_tree(void)
{
    Notices notices;
    Graph *graph = merge(pp_ranks, 1, 2, 1, GRAPH_VERNIER, &notices);
    uint32_t last = 0;
    CHECK(graph->order_count == graph->count);
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t op = graph->nodes[graph->order[i]].op;
        if (op == OP_NONE)
            continue;
        CHECK(op == last);
        last++;
        CHECK(graph->dump->ops[op].name == graph->nodes[graph->order[i]].name);
    }
    CHECK(last == graph->dump->op_count);
}

static const char block_of_one[] =
    "{\"" BLOCK("forward") "\":null,\"" LAYER("0", "forward") "\":\"" BLOCK("forward") "\"}";

static void layers_with_numbers_of_the_whole_model_keep_them(void)
{
    Notices notices;
    GraphText ranks[2] = {{.construct = block_of_one,
                           .data = "{\"" LAYER("0", "forward") "\":" IO(N("2"), N("3")) "}"},
                          {.construct = "{\"" BLOCK("forward") "\":null,\"" LAYER(
                               "1", "forward") "\":\"" BLOCK("forward") "\"}",
                           .data = "{\"" LAYER("1", "forward") "\":" IO(N("3"), N("4")) "}"}};
    Graph *graph = merge(ranks, 1, 2, 1, GRAPH_VERNIER, &notices);
    CHECK_TEXT(graph_text_children(graph, BLOCK("forward"), arena),
               LAYER("0", "forward") " " LAYER("1", "forward"));
    CHECK(notices.count == 0);
}

static void layers_that_overlap_are_numbered_anew_and_said(void)
{
    Notices notices;
    static const char first[] =
        "{\"" BLOCK("forward") "\":null,\"" LAYER("0", "forward") "\":\"" BLOCK(
            "forward") "\",\"" LAYER("1", "forward") "\":\"" BLOCK("forward") "\"}";
    static const char second[] =
        "{\"" BLOCK("forward") "\":null,\"" LAYER("1", "forward") "\":\"" BLOCK(
            "forward") "\",\"" LAYER("2", "forward") "\":\"" BLOCK("forward") "\"}";
    GraphText ranks[2] = {{.construct = first,
                           .data = "{\"" LAYER("0", "forward") "\":" IO(N("2"), N("3")) ",\"" LAYER(
                               "1", "forward") "\":" IO(N("3"), N("4")) "}"},
                          {.construct = second,
                           .data = "{\"" LAYER("1", "forward") "\":" IO(N("4"), N("5")) ",\"" LAYER(
                               "2", "forward") "\":" IO(N("5"), N("6")) "}"}};
    Graph *graph = merge(ranks, 1, 2, 1, GRAPH_VERNIER, &notices);
    CHECK_TEXT(graph_text_children(graph, BLOCK("forward"), arena),
               LAYER("0", "forward") " " LAYER("1", "forward") " " LAYER("2", "forward") " " LAYER(
                   "3", "forward"));
    CHECK_VALUES(graph, LAYER("2", "forward"), "input.0", "1 0 0.5 4");
    CHECK(notices.count == 1 && notices.items[0].level == NOTICE_WARNING);
}

// ---- PP 3: what the second and the third stage have, and the first has not

#define THREE_BLOCK             "Module.m.Block.forward.0"
#define THREE_HEAD              "Module.m.head.Head.forward.0"
#define THREE_SEEN              "Module.m.seen.Seen.forward.0"
#define THREE(n)                "Module.m.layers." n ".Layer.forward.0"
#define THREE_LINK(n)           ",\"" THREE(n) "\":\"" THREE_BLOCK "\""
#define THREE_LAYER(n, in, out) ",\"" THREE(n) "\":" IO(N(in), N(out))

static const char three_first[] =
    "{\"" THREE_BLOCK "\":null,\"" THREE_SEEN "\":\"" THREE_BLOCK "\"" THREE_LINK("0") "}";
static const char three_second[] =
    "{\"" THREE_BLOCK "\":null,\"Distributed.recv.0.forward\":\"" THREE_BLOCK "\"" THREE_LINK("0")
        THREE_LINK("1") "}";
static const char three_third[] =
    "{\"" THREE_BLOCK "\":null,\"Distributed.recv.0.forward\":\"" THREE_BLOCK "\",\"" THREE_SEEN
    "\":\"" THREE_BLOCK "\"" THREE_LINK("0") THREE_LINK("1") ",\"" THREE_HEAD "\":\"" THREE_BLOCK
                                                             "\"}";
static const char three_first_data[] =
    "{\"" THREE_SEEN "\":" IO(N("1"), N("2")) THREE_LAYER("0", "2", "3") "}";
static const char three_second_data[] = "{\"Distributed.recv.0.forward\":" IO(GOOD, N("3"))
    THREE_LAYER("0", "3", "4") THREE_LAYER("1", "3", "4") "}";
static const char three_third_data[] =
    "{\"Distributed.recv.0.forward\":" IO(GOOD, N("4")) THREE_LAYER("0", "5", "6")
        THREE_LAYER("1", "5", "6") ",\"" THREE_SEEN
                                   "\":" IO(N("1"), N("9")) ",\"" THREE_HEAD
                                                            "\":" IO(N("6"), N("7")) "}";

static Graph *merge_three(GraphRules rules)
{
    Notices notices;
    GraphText stages[3] = {0};
    stages[0].construct = three_first;
    stages[1].construct = three_second;
    stages[2].construct = three_third;
    stages[0].data = three_first_data;
    stages[1].data = three_second_data;
    stages[2].data = three_third_data;
    return merge(stages, 1, 3, 1, rules, &notices);
}

static void msprobe_adds_only_what_exactly_one_later_stage_has(void)
{
    Graph *graph = merge_three(GRAPH_MSPROBE);
    CHECK_TEXT(graph_text_children(graph, THREE_BLOCK, arena),
               THREE_SEEN " " THREE("0") " " THREE("1") " " THREE("2") " " THREE_HEAD);
    CHECK_VALUES(graph, THREE("1"), "output.0", "1 0 0.5 4");
    CHECK_VALUES(graph, THREE("2"), "output.0", "1 0 0.5 6");
    // One that the second stage lacks is not looked at: its outputs are the first's.
    CHECK_VALUES(graph, THREE_SEEN, "output.0", "1 0 0.5 2");
}

static void all_that_later_stages_have_is_kept(void)
{
    Graph *graph = merge_three(GRAPH_VERNIER);
    Str children = graph_text_children(graph, THREE_BLOCK, arena);
    static const char *const kept[] = {THREE("0"),
                                       THREE("1"),
                                       THREE("2"),
                                       THREE("3"),
                                       THREE("4"),
                                       THREE_HEAD,
                                       "Distributed.recv.0.forward"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        CHECK(str_find(children, str_of(kept[i]), 0) != SIZE_MAX);
    CHECK_VALUES(graph, THREE("2"), "output.0", "1 0 0.5 4");
    CHECK_VALUES(graph, THREE("4"), "output.0", "1 0 0.5 6");
    CHECK_VALUES(graph, THREE_SEEN, "output.0", "1 0 0.5 9");
}

// ---- VPP 2 × PP 2

#define V(chunk, rest) "Module." chunk ".module." rest
#define CHUNK(c, more)                                                                         \
    "\"" V(c, "GPT.forward.0") "\":null,\"" V(c, "decoder.Block.forward.0") "\":\"" V(         \
        c, "GPT.forward.0") "\",\"" V(c,                                                       \
                                      "decoder.layers.0.Layer.forward.0") "\":\"" V(c,         \
                                                                                    "decoder." \
                                                                                    "Block."   \
                                                                                    "forward." \
                                                                                    "0") "\"" more
#define CHUNK_BACKWARD(c)                                                                         \
    "\"" V(c, "GPT.backward.0") "\":null,\"" V(c, "decoder.Block.backward.0") "\":\"" V(          \
        c, "GPT.backward.0") "\",\"" V(c,                                                         \
                                       "decoder.layers.0.Layer.backward.0") "\":\"" V(c,          \
                                                                                      "decoder."  \
                                                                                      "Block."    \
                                                                                      "backward." \
                                                                                      "0") "\""
#define CHUNK_DATA(c, in, out)                                                       \
    "\"" V(c, "decoder.layers.0.Layer.forward.0") "\":" IO(N(in), N(out)) ",\"" V(   \
        c, "GPT.forward.0") "\":" IO(GOOD, N(out)) ",\"" V(c,                        \
                                                           "decoder.layers.0.Layer." \
                                                           "backward.0") "\":" IO(N(out), N(in))
#define VPP_HEAD ",\"" V("1", "head.Head.forward.0") "\":\"" V("1", "GPT.forward.0") "\""
static const GraphText vpp_ranks[2] = {
    {.construct =
         "{" CHUNK("0", "") "," CHUNK("1", "") "," CHUNK_BACKWARD("1") "," CHUNK_BACKWARD("0") "}",
     .data = "{" CHUNK_DATA("0", "2", "3") "," CHUNK_DATA("1", "4", "5") "}"},
    {.construct = "{" CHUNK("0", "") "," CHUNK("1", VPP_HEAD) "," CHUNK_BACKWARD(
         "1") "," CHUNK_BACKWARD("0") "}",
     .data = "{" CHUNK_DATA("0", "3", "4") "," CHUNK_DATA("1", "5", "6") ",\"" V(
         "1", "head.Head.forward.0") "\":" IO(N("6"), N("7")) "}"}};

static void check_chunks(const Graph *graph)
{
    CHECK_TEXT(graph_text_children(graph, "DefaultModel", arena),
               GPT("forward") " " GPT("backward"));
    CHECK_TEXT(graph_text_children(graph, BLOCK("forward"), arena),
               LAYER("0", "forward") " " LAYER("1", "forward") " " LAYER("2", "forward") " " LAYER(
                   "3", "forward"));
    CHECK_TEXT(graph_text_children(graph, BLOCK("backward"), arena),
               LAYER("3", "backward") " " LAYER("2", "backward") " " LAYER(
                   "1", "backward") " " LAYER("0", "backward"));
    CHECK_VALUES(graph, LAYER("1", "forward"), "input.0", "1 0 0.5 3");
    CHECK_VALUES(graph, LAYER("2", "forward"), "input.0", "1 0 0.5 4");
    CHECK_VALUES(graph, LAYER("3", "forward"), "input.0", "1 0 0.5 5");
    CHECK_VALUES(graph, GPT("forward"), "output.0", "1 0 0.5 6");
}

static void x9_virtual_stages_take_turns(void)
{
    Notices notices;
    Graph *graph = merge(vpp_ranks, 1, 2, 2, GRAPH_MSPROBE, &notices);
    check_chunks(graph);
    CHECK_TEXT(graph_text_children(graph, GPT("forward"), arena), BLOCK("forward"));
}

static void w9_the_head_of_the_last_virtual_stage_is_kept(void)
{
    Notices notices;
    Graph *graph = merge(vpp_ranks, 1, 2, 2, GRAPH_VERNIER, &notices);
    check_chunks(graph);
    CHECK_TEXT(graph_text_children(graph, GPT("forward"), arena), BLOCK("forward") " " HEAD);
    CHECK(notices.count == 0);
}

static void a_virtual_stage_without_modules_is_said(void)
{
    Notices notices;
    merge(pp_ranks, 1, 2, 2, GRAPH_VERNIER, &notices);
    CHECK(notices.count == 1 &&
          str_find(notices.items[0].text, STR("virtual stage 1"), 0) != SIZE_MAX);
}

// ---- PP 2, then TP 2

static void shares_of_stages_meet_in_every_stage(void)
{
    Notices notices;
    GraphText ranks[4] = {pp_ranks[0], pp_ranks[1], pp_ranks[0], pp_ranks[1]};
    ranks[3].data = "{\"Distributed.recv.0.forward\":" IO(GOOD, GOOD) "," LAYERS_DATA(
        "4", "8", "6") ",\"" HEAD "\":" IO(N("6"), N("24")) "}";
    Graph *graph = merge(ranks, 2, 2, 1, GRAPH_VERNIER, &notices);
    check_stages(graph);
    CHECK_VALUES(graph, HEAD, "output.0", "1 0 0.5 25.0");
    CHECK_VALUES(graph, "Torch.matmul_rank1.0.forward", "output.0", "1 0 0.5 9.433981132056603");
    CHECK(notices.count == 0);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(x9_shares_of_tensors_have_msprobes_values);
    CHECK_RUN(x9_one_rank_matches_all_but_the_group_of_the_other);
    CHECK_RUN(a_node_that_another_share_lacks_is_said);
    CHECK_RUN(not_a_number_on_one_rank_stays);
    CHECK_RUN(x9_stages_continue_the_layers_of_the_first);
    CHECK_RUN(w9_loose_apis_of_later_stages_are_kept);
    CHECK_RUN(ops_stand_in_the_order_of_the_merged_tree);
    CHECK_RUN(layers_with_numbers_of_the_whole_model_keep_them);
    CHECK_RUN(layers_that_overlap_are_numbered_anew_and_said);
    CHECK_RUN(msprobe_adds_only_what_exactly_one_later_stage_has);
    CHECK_RUN(all_that_later_stages_have_is_kept);
    CHECK_RUN(x9_virtual_stages_take_turns);
    CHECK_RUN(w9_the_head_of_the_last_virtual_stage_is_kept);
    CHECK_RUN(a_virtual_stage_without_modules_is_said);
    CHECK_RUN(shares_of_stages_meet_in_every_stage);
    arena_release(arena);
    return CHECK_RESULT;
}
