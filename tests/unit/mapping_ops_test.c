// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "compare/compare.h"
#include "compare/mapping/mapping_api.h"
#include "compare/mapping/mapping_cell.h"
#include "compare/mapping/mapping_data.h"
#include "compare/mapping/mapping_layer.h"
#include "compare/mapping_write.h"
#include "compare/match/match.h"
#include "compare/msprobe/msprobe_mapped.h"
#include "compare/msprobe/msprobe_match.h"
#include "graph_text.h"
#include "msprobe_fixture.h"
#include "op_lines.h"
#include "temporary.h"

static Arena *arena;
static Notices notices;
static Error err;

static const char *file_of(const char *text)
{
    return temporary_file("compare_mapping.yaml", text, strlen(text));
}

static NameMapping names_of(const char *text)
{
    NameMapping out;
    CHECK(mapping_read_names(file_of(text), arena, &out, &notices, &err));
    return out;
}

static LayerMapping layers_of(const char *text)
{
    LayerMapping out;
    CHECK(mapping_read_layers(file_of(text), arena, &out, &notices, &err));
    return out;
}

static ApiMapping apis_of(const char *text)
{
    ApiMapping out;
    CHECK(mapping_read_apis(file_of(text), arena, &out, &notices, &err));
    return out;
}

typedef struct Pair {
    Graph golden, target;
    OpMatch match;
    NodeMatch nodes;
} Pair;

typedef struct Frameworks {
    const char *golden, *target;
} Frameworks;

static const Frameworks pytorch = {"pytorch", "pytorch"};

static Pair *build_pair(OpLines golden, OpLines target, Frameworks frameworks, GraphRules rules)
{
    Pair *pair = ARENA_NEW(arena, Pair);
    GraphText texts[2] = {{golden.construct, golden.data, "{\"a\":[\"b\"]}", frameworks.golden},
                          {target.construct, target.data, "{\"a\":[\"b\"]}", frameworks.target}};
    graph_text_build("mapping_golden", &texts[0], rules, arena, &pair->golden, &notices);
    graph_text_build("mapping_target", &texts[1], rules, arena, &pair->target, &notices);
    return pair;
}

static void match(Pair *pair, const MatchOptions *options)
{
    MatchSides sides = {pair->golden.dump, pair->target.dump, &pair->golden, &pair->target};
    match_ops(&sides, options, arena, &pair->match);
    match_nodes(&pair->golden, &pair->target, &pair->match, arena, &pair->nodes);
}

static Pair *match_lines(const char *golden, const char *target, Frameworks frameworks,
                         const MatchOptions *options)
{
    Pair *pair =
        build_pair(op_lines(golden, arena), op_lines(target, arena), frameworks, GRAPH_VERNIER);
    match(pair, options);
    return pair;
}

static Str partner_node(const Pair *pair, const char *target)
{
    NodeId node = graph_text_find(&pair->target, target);
    NodeId golden = node == NODE_NONE ? NODE_NONE : pair->nodes.golden_of[node];
    return golden == NODE_NONE
               ? STR("-")
               : names_text(pair->golden.dump->names, pair->golden.nodes[golden].name);
}

// ---- names

static void names_of_mindspore_become_those_of_pytorch(void)
{
    CHECK_TEXT(mapping_api_name(STR("Mint.add"), arena), "Torch.add");
    CHECK_TEXT(mapping_api_name(STR("Mint.concat"), arena), "Torch.cat");
    CHECK_TEXT(mapping_api_name(STR("MintFunctional.gelu"), arena), "Functional.gelu");
    CHECK_TEXT(mapping_api_name(STR("MintDistributed.all_reduce"), arena),
               "Distributed.all_reduce");
    CHECK_TEXT(mapping_api_name(STR("Functional.dense"), arena), "Functional.linear");
    CHECK_TEXT(mapping_api_name(STR("Functional.softmax"), arena), "Functional.softmax");
    CHECK_TEXT(mapping_api_name(STR("Functional.matmul"), arena), "Torch.matmul");
    CHECK_TEXT(mapping_api_name(STR("Tensor.asnumpy"), arena), "Tensor.numpy");
    CHECK_TEXT(mapping_api_name(STR("Primitive.norm.RmsNorm"), arena), "Primitive.norm.RmsNorm");
}

static void what_the_other_side_calls_a_function_decides(void)
{
    Names *known = names_new(arena);
    names_add(known, STR("Functional.relu"));
    names_add(known, STR("Torch.softmax"));
    names_add(known, STR("Torch.concat"));
    CHECK_TEXT(mapping_api_among(STR("Mint.relu"), known, arena), "Functional.relu");
    CHECK_TEXT(mapping_api_among(STR("Functional.softmax"), known, arena), "Torch.softmax");
    CHECK_TEXT(mapping_api_among(STR("Mint.concat"), known, arena), "Torch.concat");
    CHECK_TEXT(mapping_api_among(STR("Mint.mul"), known, arena), "Torch.mul");
}

static void parts_of_a_cell_are_replaced_once(void)
{
    NameMapping cells = names_of("net.fc.Dense: model.head.Linear\nRow: TERow\nfc1: fc2\nfc2: fc3\n"
                                 "mlp.fc1: ffn.in\n");
    CHECK_TEXT(mapping_cell_path(&cells, STR("net.fc.Dense"), arena), "model.head.Linear");
    CHECK_TEXT(mapping_cell_path(&cells, STR("a.Row"), arena), "a.TERow");
    CHECK_TEXT(mapping_cell_path(&cells, STR("a.TERow"), arena), "a.TERow");
    CHECK_TEXT(mapping_cell_path(&cells, STR("fc1.fc2.Dense"), arena), "fc2.fc3.Dense");
    CHECK_TEXT(mapping_cell_path(&cells, STR("x.mlp.fc1.Dense"), arena), "x.ffn.in.Dense");
    CHECK_TEXT(mapping_cell_path(&cells, STR("fc10.Dense"), arena), "fc10.Dense");
}

static void fuzzy_names_of_msprobe_keep_its_oddities(void)
{
    CHECK_TEXT(msprobe_fuzzy_name(STR("Functional.conv2d.1.forward.input.0"), arena),
               "Functional.conv2d.forward.input.0");
    CHECK_TEXT(msprobe_fuzzy_name(STR("Module.fc.Linear.forward.0.input.0"), arena),
               "Module.fc.forward.0.input.0");
    CHECK_TEXT(msprobe_fuzzy_name(STR("Module.forward_net.fc.Linear.forward.0.input.0"), arena),
               "Module.forward_net.fc.Linear.");
    CHECK_TEXT(msprobe_fuzzy_name(STR("Tensor.mul.3.backward.output.0"), arena),
               "Tensor.mul.backward.output.0");
    StrBuf buffer;
    buffer = strbuf_new(arena);
    CHECK_TEXT(match_reduced_id(STR("Tensor.mul.20.forward"), &buffer), "Tensor.mul.forward");
    CHECK_TEXT(match_reduced_id(STR("Module.a_rank3.Linear.forward.0"), &buffer),
               "Module.a.Linear.forward.0");
}

// ---- layer mappings: docs/spec/graph.md X5

#define X5_TARGET                                                                      \
    "Functional.embedding.0.forward < "                                                \
    "Module.module.module.language_model.embedding.Embedding.forward.0;"               \
    "Module.module.module.language_model.embedding.Embedding.forward.0 < "             \
    "Module.module.module.language_model.TransformerLanguageModel.forward.0;"          \
    "Module.module.module.language_model.encoder.ParallelTransformer.forward.0 < "     \
    "Module.module.module.language_model.TransformerLanguageModel.forward.0;"          \
    "Module.module.module.language_model.TransformerLanguageModel.forward.0 < "        \
    "Module.module.module.GPTModel.forward.0;"                                         \
    "Module.module.module.GPTModel.forward.0 < Module.module.Float16Module.forward.0;" \
    "Module.module.Float16Module.forward.0;"                                           \
    "Module.module.module.language_model.encoder.ParallelTransformer.backward.0;"      \
    "Tensor.add.0.forward"
#define X5_GOLDEN                                                                   \
    "Functional.embedding.3.forward < "                                             \
    "Module.model.module.embedding.LanguageModelEmbedding.forward.0;"               \
    "Module.model.module.embedding.LanguageModelEmbedding.forward.0 < "             \
    "Module.model.module.GPT2Model.forward.0;"                                      \
    "Module.model.module.decoder.TransformerBlock.forward.0 < "                     \
    "Module.model.module.GPT2Model.forward.0;"                                      \
    "Module.model.module.GPT2Model.forward.0 < Module.model.FloatModule.forward.0;" \
    "Module.model.FloatModule.forward.0;"                                           \
    "Module.model.module.decoder.TransformerBlock.backward.0;Tensor.add.2.forward"
#define X5_MAPPING                \
    "TopLayer: {module: model}\n" \
    "GPTModel: {language_model.embedding: embedding, language_model.encoder: decoder}\n"

static void check_x5(const Pair *pair)
{
    CHECK_TEXT(partner_node(pair, "Module.module.Float16Module.forward.0"),
               "Module.model.FloatModule.forward.0");
    CHECK_TEXT(partner_node(pair, "Module.module.module.GPTModel.forward.0"),
               "Module.model.module.GPT2Model.forward.0");
    CHECK_TEXT(partner_node(
                   pair, "Module.module.module.language_model.TransformerLanguageModel.forward.0"),
               "-");
    CHECK_TEXT(
        partner_node(pair, "Module.module.module.language_model.embedding.Embedding.forward.0"),
        "Module.model.module.embedding.LanguageModelEmbedding.forward.0");
    CHECK_TEXT(
        partner_node(pair,
                     "Module.module.module.language_model.encoder.ParallelTransformer.backward.0"),
        "Module.model.module.decoder.TransformerBlock.backward.0");
    CHECK_TEXT(partner_node(pair, "Functional.embedding.0.forward"),
               "Functional.embedding.3.forward");
    CHECK_TEXT(partner_node(pair, "Tensor.add.0.forward"), "Tensor.add.2.forward");
}

static void a_layer_mapping_renames_children_by_the_class_of_their_layer(void)
{
    LayerMapping layers = layers_of(X5_MAPPING);
    MatchOptions options = {.layers = &layers, .by_layers = true};
    check_x5(match_lines(X5_GOLDEN, X5_TARGET, pytorch, &options));
}

static Pair *msprobe_pair_lines(const char *golden, const char *target, const MatchOptions *options)
{
    Pair *pair =
        build_pair(op_lines(golden, arena), op_lines(target, arena), pytorch, GRAPH_MSPROBE);
    CHECK(match_msprobe_nodes(&pair->golden, &pair->target, options, arena, &pair->nodes));
    return pair;
}

static void the_rules_of_msprobe_pair_nodes_by_a_layer_mapping_likewise(void)
{
    LayerMapping layers = layers_of(X5_MAPPING);
    MatchOptions options = {.layers = &layers, .by_layers = true};
    check_x5(msprobe_pair_lines(X5_GOLDEN, X5_TARGET, &options));
    MatchOptions no_file = {.by_layers = true};
    Pair *pair = msprobe_pair_lines(X5_GOLDEN, X5_TARGET, &no_file);
    CHECK_TEXT(partner_node(pair, "Tensor.add.0.forward"), "Tensor.add.2.forward");
    CHECK_TEXT(partner_node(pair, "Functional.embedding.0.forward"), "-");
    CHECK_TEXT(partner_node(pair, "Module.module.Float16Module.forward.0"), "-");
}

static void stages_of_a_pipeline_meet(void)
{
    MatchOptions options = {.by_layers = true};
    Pair *pair = match_lines("Module.net.layers.4.attn.A.forward.0;Module.net.layers.5.attn.A."
                             "forward.0;Module.net.ParallelTransformer.forward.0",
                             "Module.net.layers.0.attn.A.forward.0;Module.net.layers.1.attn.A."
                             "forward.0;Module.net.ParallelTransformer.forward.0",
                             pytorch, &options);
    CHECK_TEXT(partner_node(pair, "Module.net.layers.0.attn.A.forward.0"),
               "Module.net.layers.4.attn.A.forward.0");
    CHECK_TEXT(partner_node(pair, "Module.net.layers.1.attn.A.forward.0"),
               "Module.net.layers.5.attn.A.forward.0");
}

// ---- --fuzzy: docs/spec/graph.md X4, X13

#define X4_GOLDEN                                                                               \
    "Tensor.mul.15.forward < Module.m.Blk.forward.0;Tensor.mul.16.forward < "                   \
    "Module.m.Blk.forward.0;Tensor.sum.5.forward < Module.m.Blk.forward.0;"                     \
    "Tensor.div.2.forward < Module.m.Blk.forward.0;Module.m.Blk.forward.0;Torch.cat.3.forward;" \
    "Torch.cat.4.forward;Module.n.X.forward.1;Torch.abs.7.forward"
#define X4_TARGET                                                                            \
    "Tensor.mul.20.forward < Module.m.Blk.forward.0;Tensor.add.2.forward < "                 \
    "Module.m.Blk.forward.0;Tensor.mul.21.forward < Module.m.Blk.forward.0;"                 \
    "Tensor.sum.5.forward < Module.m.Blk.forward.0;Tensor.div.3.forward < "                  \
    "Module.m.Blk.forward.0;Module.m.Blk.forward.0;Torch.cat.0.forward;Torch.cat.1.forward;" \
    "Module.n.X.forward.0;Torch.abs.7.forward"

static void the_rules_of_msprobe_pair_apis_by_order_within_their_module(void)
{
    MatchOptions options = {.fuzzy = true};
    Pair *pair = msprobe_pair_lines(X4_GOLDEN, X4_TARGET, &options);
    CHECK_TEXT(partner_node(pair, "Tensor.mul.20.forward"), "Tensor.mul.15.forward");
    CHECK_TEXT(partner_node(pair, "Tensor.mul.21.forward"), "Tensor.mul.16.forward");
    CHECK_TEXT(partner_node(pair, "Tensor.add.2.forward"), "-");
    CHECK_TEXT(partner_node(pair, "Tensor.div.3.forward"), "Tensor.div.2.forward");
    CHECK_TEXT(partner_node(pair, "Torch.cat.1.forward"), "Torch.cat.4.forward");
    CHECK_TEXT(partner_node(pair, "Torch.abs.7.forward"), "Torch.abs.7.forward");
    CHECK_TEXT(partner_node(pair, "Module.m.Blk.forward.0"), "Module.m.Blk.forward.0");
    CHECK_TEXT(partner_node(pair, "Module.n.X.forward.0"), "-");
    MatchOptions both = {.fuzzy = true, .by_layers = true};
    pair = msprobe_pair_lines("Torch.add.5.forward", "Torch.add.0.forward", &both);
    CHECK_TEXT(partner_node(pair, "Torch.add.0.forward"), "Torch.add.5.forward");
}

static void call_numbers_do_not_count_when_the_user_says_so(void)
{
    MatchOptions options = {.fuzzy = true};
    Pair *pair = match_lines(X4_GOLDEN, X4_TARGET, pytorch, &options);
    CHECK_TEXT(partner_node(pair, "Tensor.mul.20.forward"), "Tensor.mul.15.forward");
    CHECK_TEXT(partner_node(pair, "Torch.cat.0.forward"), "Torch.cat.3.forward");
    CHECK_TEXT(partner_node(pair, "Module.n.X.forward.0"), "Module.n.X.forward.1");
    CHECK_TEXT(partner_node(pair, "Tensor.add.2.forward"), "-");
}

// ---- data mappings

static void a_data_mapping_comes_before_names(void)
{
    NameMapping data = names_of("Torch.a.0.forward.input.0: Torch.a.1.forward.input.0\n"
                                "Torch.b.0.forward.output.0: N/A\n");
    MatchOptions options = {.data = &data};
    Pair *pair =
        match_lines("Torch.a.0.forward;Torch.a.1.forward;Torch.b.0.forward;Torch.c.0.forward",
                    "Torch.a.0.forward;Torch.b.0.forward;Torch.c.0.forward", pytorch, &options);
    CHECK_TEXT(partner_node(pair, "Torch.a.0.forward"), "Torch.a.1.forward");
    CHECK_TEXT(partner_node(pair, "Torch.b.0.forward"), "-");
    CHECK_TEXT(partner_node(pair, "Torch.c.0.forward"), "Torch.c.0.forward");
    CHECK(pair->match.counts.mapped == 1 && pair->match.counts.by_name == 1);
}

static void what_is_written_gives_the_same_pairs_again(void)
{
    static const char golden[] =
        "Torch.norm.0.forward;Tensor.add.0.forward;Torch.norm.1.forward;Tensor.add.1.forward;"
        "Torch.x.0.forward;Module.a.fc.L.forward.0;Module.a.fc.L.parameters_grad";
    static const char target[] =
        "Torch.norm.0.forward;Torch.norm.1.forward;Tensor.add.0.forward;Torch.y.0.forward;"
        "Torch.x.0.forward;Module.b.fc.L.forward.0;Module.b.fc.L.parameters_grad.2";
    Pair *pair =
        build_pair(op_lines(golden, arena), op_lines(target, arena), pytorch, GRAPH_VERNIER);
    CompareOptions options = {0};
    Comparison one, two;
    compare_graphs(&pair->golden, &pair->target, &options, arena, &one);
    NameMapping rows = {0};
    mapping_collect(&one, arena, &rows);
    Sink *sink = sink_memory(arena);
    mapping_write(&rows, sink);
    Str text = sink_bytes(sink);
    NameMapping back = names_of(str_cstr(arena, text));
    sink_discard(sink);
    CHECK(back.count == rows.count && back.count > 4);
    MatchOptions match_options = {.data = &back};
    options.match = &match_options;
    compare_graphs(&pair->golden, &pair->target, &options, arena, &two);
    CHECK(one.op_count == two.op_count && one.unmatched_target == 0);
    for (uint32_t i = 0; i < one.op_count; i++)
        CHECK(one.ops[i].golden == two.ops[i].golden && one.ops[i].target == two.ops[i].target);
}

static void names_that_yaml_would_misread_are_quoted(void)
{
    NamePair items[] = {{.target = STR("a: b #\t\"x\""), .golden = STR("- c")},
                        {.target = STR("1.5"), .golden = STR("é")}};
    NameMapping rows = {.items = items, .count = 2};
    Sink *sink = sink_memory(arena);
    mapping_write(&rows, sink);
    NameMapping back = names_of(str_cstr(arena, sink_bytes(sink)));
    sink_discard(sink);
    CHECK(back.count == 2);
    CHECK_TEXT(mapping_find(&back, STR("a: b #\t\"x\""))->golden, "- c");
    CHECK_TEXT(mapping_find(&back, STR("1.5"))->golden, "é");
}

static void ranks_that_disagree_are_counted(void)
{
    NamePair one[] = {{.target = STR("a"), .golden = STR("b")}};
    NamePair two[] = {{.target = STR("a"), .golden = STR("c")},
                      {.target = STR("d"), .golden = STR("e")}};
    NameMapping first = {.items = one, .count = 1}, second = {.items = two, .count = 2}, all = {0};
    Names *seen = names_new(arena);
    CHECK(mapping_join(&all, &first, seen, arena) == 0);
    CHECK(mapping_join(&all, &second, seen, arena) == 1);
    CHECK(all.count == 2);
    CHECK_TEXT(all.items[0].golden, "b");
}

// ---- API mappings

#define TENSOR(norm)                                                                          \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2],\"Max\":1,\"Min\":" \
    "0,\"Mean\":0,\"Norm\":" norm "}"

static void arguments_follow_the_lists_of_the_api_mapping(void)
{
    static const char *const spellings[] = {
        "ms_api: Functional.take\npt_api: Torch.pick\nms_args: [0, 1]\npt_args: [1, 0]\n"
        "ms_output: [0]\npt_output: [0]\n",
        "- ms_api: Functional.take\n  pt_api: Torch.pick\n  ms_args: ['0', '1']\n"
        "  pt_args: ['1', '0']\n  ms_outputs: [0]\n  pt_outputs: [0]\n"};
    OpLines golden = {.construct = "{}",
                      .data = "{\"Torch.pick.0.forward\":{\"input_args\":[" TENSOR("1") "," TENSOR(
                          "2") "," TENSOR("3") "],\"output\":[" TENSOR("4") "]}}"};
    OpLines target = {.construct = "{}",
                      .data = "{\"Functional.take.0.forward\":{\"input_args\":[" TENSOR(
                          "2") "," TENSOR("1") "," TENSOR("3") "],\"output\":[" TENSOR("4") "]}}"};
    for (size_t i = 0; i < 2; i++) {
        ApiMapping apis = apis_of(spellings[i]);
        MatchOptions options = {.apis = &apis};
        Pair *pair = build_pair(golden, target, pytorch, GRAPH_VERNIER);
        match(pair, &options);
        CHECK_TEXT(partner_node(pair, "Functional.take.0.forward"), "Torch.pick.0.forward");
        CHECK(pair->match.golden_slot_of[0] == 1 && pair->match.golden_slot_of[1] == 0);
        CHECK(pair->match.golden_slot_of[2] == UINT32_MAX);  // the lists leave it out
        CHECK(pair->match.golden_slot_of[3] == 3);
    }
}

static void an_argument_by_name_is_the_one_at_its_position(void)
{
    OpLines golden = {.construct = "{}",
                      .data = "{\"Functional.linear.0.forward\":{\"input_args\":[" TENSOR(
                          "1") "," TENSOR("2") "," TENSOR("3") "],\"output\":[]}}"};
    OpLines target = {
        .construct = "{}",
        .data = "{\"Functional.linear.0.forward\":{\"input_args\":[" TENSOR(
            "1") "],\"input_kwargs\":{\"bias\":" TENSOR("3") ",\"weight\":" TENSOR("2") "},"
                                                                                        "\"output\""
                                                                                        ":[]}}"};
    Pair *pair = build_pair(golden, target, pytorch, GRAPH_VERNIER);
    match(pair, NULL);
    CHECK(pair->match.golden_slot_of[0] == 0 && pair->match.golden_slot_of[1] == 2 &&
          pair->match.golden_slot_of[2] == 1);
}

// ---- frameworks

static void a_cell_is_a_module_whatever_its_class(void)
{
    Frameworks frameworks = {"pytorch", "mindspore"};
    Pair *pair = match_lines("Functional.linear.0.forward < Module.net.fc.Linear.forward.0;"
                             "Module.net.fc.Linear.forward.0;Torch.cat.0.forward;"
                             "Module.net.fc.Linear.parameters_grad",
                             "Functional.dense.0.forward < Cell.net.fc.Dense.forward.0;"
                             "Cell.net.fc.Dense.forward.0;Mint.concat.0.forward;"
                             "Cell.net.fc.Dense.parameters_grad",
                             frameworks, NULL);
    CHECK_TEXT(partner_node(pair, "Cell.net.fc.Dense.forward.0"), "Module.net.fc.Linear.forward.0");
    CHECK_TEXT(partner_node(pair, "Functional.dense.0.forward"), "Functional.linear.0.forward");
    CHECK_TEXT(partner_node(pair, "Mint.concat.0.forward"), "Torch.cat.0.forward");
    CHECK(pair->match.counts.by_name == 4 && pair->match.counts.renamed == 0);
}

// ---- rows under the rules of msprobe

static Str golden_row(const MsprobeTest *test, const char *target)
{
    return msprobe_test_cell(test, target, "Bench Name");
}

static MsprobeTest *rows_of(const char *golden, const char *target, Frameworks frameworks,
                            Rules rules, const MatchOptions *options)
{
    MsprobeTest *test = msprobe_test_new();
    test->match = options;
    msprobe_test_graph(test->arena, "golden", "statistics", golden, frameworks.golden,
                       &test->golden);
    msprobe_test_graph(test->arena, "target", "statistics", target, frameworks.target,
                       &test->target);
    msprobe_test_pair(test, rules);
    msprobe_test_judge(test);
    return test;
}

// docs/spec/compare.md W5: a mapping counts golden's backward calls anew, but not the target's.
static void backward_rows_cross_under_a_cell_mapping_of_msprobe(void)
{
    static const char golden[] = "{\"Module.fc.Dense.backward.1\":" IO(
        SAME_INPUT, SAME_INPUT) ","
                                "\"Module.fc.Dense.backward.0\":" IO(SAME_INPUT, SAME_INPUT) "}";
    static const char target[] = "{\"Cell.fc.Dense.backward.1\":" IO(
        SAME_INPUT, SAME_INPUT) ","
                                "\"Cell.fc.Dense.backward.0\":" IO(SAME_INPUT, SAME_INPUT) "}";
    Frameworks frameworks = {"pytorch", "mindspore"};
    MatchOptions options = {.by_cells = true};
    MsprobeTest *test = rows_of(golden, target, frameworks, RULES_MSPROBE26, &options);
    CHECK_TEXT(golden_row(test, "Cell.fc.Dense.backward.1.input.0"),
               "Module.fc.Dense.backward.0.input.0");
    CHECK_TEXT(golden_row(test, "Cell.fc.Dense.backward.0.input.0"),
               "Module.fc.Dense.backward.1.input.0");
    msprobe_test_end(test);
    test = rows_of(golden, target, frameworks, RULES_MSPROBE8, &options);
    CHECK_TEXT(golden_row(test, "Cell.fc.Dense.backward.1.input.0"),
               "Module.fc.Dense.backward.1.input.0");
    msprobe_test_end(test);
    // The default rules pair them right.
    OpLines lines[2] = {{golden, "{}"}, {target, "{}"}};
    Pair *pair = build_pair(lines[0], lines[1], frameworks, GRAPH_VERNIER);
    match(pair, &options);
    CHECK_TEXT(partner_node(pair, "Cell.fc.Dense.backward.1"), "Module.fc.Dense.backward.1");
}

// docs/spec/compare.md W6
static void equal_rows_of_two_frameworks_are_errors_under_msprobe(void)
{
#define MINDSPORE                                                                             \
    "{\"type\":\"mindspore.Tensor\",\"dtype\":\"Float32\",\"shape\":[4,8],\"Max\":2,\"Min\":" \
    "-1,\"Mean\":0.25,\"Norm\":10}"
    Frameworks frameworks = {"pytorch", "mindspore"};
    MatchOptions options = {.by_apis = true};
    static const char golden[] = "{\"Torch.add.0.forward\":" IO(SAME_INPUT, SAME_INPUT) "}";
    static const char target[] = "{\"Mint.add.0.forward\":" IO(MINDSPORE, MINDSPORE) "}";
    MsprobeTest *test = rows_of(golden, target, frameworks, RULES_MSPROBE26, &options);
    CHECK_TEXT(golden_row(test, "Mint.add.0.forward.input.0"), "Torch.add.0.forward.input.0");
    CHECK_TEXT(msprobe_test_cell(test, "Mint.add.0.forward.input.0", "Requires_grad Consistent"),
               "False");
    CHECK_TEXT(msprobe_test_verdict(test, "Mint.add.0.forward.input.0"), "error REQGRAD DTYPE");
    msprobe_test_end(test);
    // The default rules: the same.
    OpLines lines[2] = {{golden, "{}"}, {target, "{}"}};
    Pair *pair = build_pair(lines[0], lines[1], frameworks, GRAPH_VERNIER);
    CompareOptions compare = {0};
    Comparison out;
    compare_graphs(&pair->golden, &pair->target, &compare, arena, &out);
    CHECK(out.status == STATUS_SAME && out.first.kind == DIVERGE_NONE);
}

static void rows_of_msprobe_follow_a_data_mapping_and_api_lists(void)
{
    static const char golden[] =
        "{\"Torch.pick.0.forward\":" IO(SAME_INPUT "," SAME_INPUT, SAME_INPUT) "}";
    static const char target[] =
        "{\"Functional.take.0.forward\":" IO(SAME_INPUT "," SAME_INPUT, SAME_INPUT) "}";
    NameMapping data =
        names_of("Functional.take.0.forward.input.0: Torch.pick.0.forward.input.1\n");
    MatchOptions by_rows = {.data = &data};
    MsprobeTest *test = rows_of(golden, target, pytorch, RULES_MSPROBE26, &by_rows);
    CHECK_TEXT(golden_row(test, "Functional.take.0.forward.input.0"),
               "Torch.pick.0.forward.input.1");
    CHECK_TEXT(golden_row(test, "Functional.take.0.forward.output.0"), "N/A");
    msprobe_test_end(test);
    ApiMapping apis = apis_of("ms_api: Functional.take\npt_api: Torch.pick\nms_args: [0]\n"
                              "pt_args: [1]\nms_outputs: [0]\npt_outputs: [0]\n");
    MatchOptions by_apis = {.apis = &apis, .by_apis = true};
    test = rows_of(golden, target, pytorch, RULES_MSPROBE26, &by_apis);
    CHECK_TEXT(golden_row(test, "Functional.take.0.forward.input.0"),
               "Torch.pick.0.forward.input.1");
    CHECK_TEXT(golden_row(test, "Functional.take.0.forward.input.1"), "N/A");
    CHECK_TEXT(golden_row(test, "Functional.take.0.forward.output.0"),
               "Torch.pick.0.forward.output.0");
    msprobe_test_end(test);
}

static void fuzzy_rows_of_msprobe_meet_in_order(void)
{
    static const char golden[] = "{\"Tensor.mul.15.forward\":" IO(
        SAME_INPUT, SAME_INPUT) ","
                                "\"Tensor.div.2.forward\":" IO(
                                    SAME_INPUT, SAME_INPUT) ","
                                                            "\"Tensor.mul.16.forward\":" IO(
                                                                SAME_INPUT, SAME_INPUT) "}";
    static const char target[] = "{\"Tensor.mul.20.forward\":" IO(
        SAME_INPUT, SAME_INPUT) ","
                                "\"Tensor.add.2.forward\":" IO(
                                    SAME_INPUT, SAME_INPUT) ","
                                                            "\"Tensor.mul.21.forward\":" IO(
                                                                SAME_INPUT, SAME_INPUT) "}";
    MatchOptions options = {.fuzzy = true};
    MsprobeTest *test = rows_of(golden, target, pytorch, RULES_MSPROBE8, &options);
    CHECK_TEXT(golden_row(test, "Tensor.mul.20.forward.input.0"), "Tensor.mul.15.forward.input.0");
    CHECK_TEXT(golden_row(test, "Tensor.add.2.forward.input.0"), "N/A");
    CHECK_TEXT(golden_row(test, "Tensor.mul.21.forward.output.0"),
               "Tensor.mul.16.forward.output.0");
    CHECK(test->msprobe.rows.count == 6);
    msprobe_test_end(test);
}

// The user's names are those of golden as they stand, with what a wrapper added.
static void a_cell_mapping_is_about_names_as_they_stand(void)
{
    NameMapping cells =
        names_of("a.fc.Linear: module.b.fc.Linear\nb.fc.Linear: module.a.fc.Linear");
    Pair *pair =
        match_lines("Module.module.a.fc.Linear.forward.0;Module.module.b.fc.Linear.forward.0",
                    "Module.a.fc.Linear.forward.0;Module.b.fc.Linear.forward.0", pytorch,
                    &(MatchOptions){.cells = &cells});
    CHECK(pair->match.golden_of[0] == 1 && pair->match.golden_of[1] == 0);
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(names_of_mindspore_become_those_of_pytorch);
    CHECK_RUN(what_the_other_side_calls_a_function_decides);
    CHECK_RUN(parts_of_a_cell_are_replaced_once);
    CHECK_RUN(fuzzy_names_of_msprobe_keep_its_oddities);
    CHECK_RUN(a_layer_mapping_renames_children_by_the_class_of_their_layer);
    CHECK_RUN(the_rules_of_msprobe_pair_nodes_by_a_layer_mapping_likewise);
    CHECK_RUN(stages_of_a_pipeline_meet);
    CHECK_RUN(the_rules_of_msprobe_pair_apis_by_order_within_their_module);
    CHECK_RUN(call_numbers_do_not_count_when_the_user_says_so);
    CHECK_RUN(a_data_mapping_comes_before_names);
    CHECK_RUN(what_is_written_gives_the_same_pairs_again);
    CHECK_RUN(names_that_yaml_would_misread_are_quoted);
    CHECK_RUN(ranks_that_disagree_are_counted);
    CHECK_RUN(arguments_follow_the_lists_of_the_api_mapping);
    CHECK_RUN(an_argument_by_name_is_the_one_at_its_position);
    CHECK_RUN(a_cell_is_a_module_whatever_its_class);
    CHECK_RUN(backward_rows_cross_under_a_cell_mapping_of_msprobe);
    CHECK_RUN(equal_rows_of_two_frameworks_are_errors_under_msprobe);
    CHECK_RUN(rows_of_msprobe_follow_a_data_mapping_and_api_lists);
    CHECK_RUN(fuzzy_rows_of_msprobe_meet_in_order);
    CHECK_RUN(a_cell_mapping_is_about_names_as_they_stand);
    arena_release(arena);
    return CHECK_RESULT;
}
