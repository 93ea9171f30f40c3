// SPDX-License-Identifier: Apache-2.0
#include "compare/compare.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "compare/judge/judge.h"
#include "compare/pair_facts.h"
#include "graph_text.h"

// Two runs of a small model, written out; each test changes one thing in the target.

static Arena *arena;
static Notices notices;

#define T(dtype, shape, max, min, mean, norm)                                             \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"" dtype "\",\"shape\":" shape ",\"Max\":" max \
    ",\"Min\":" min ",\"Mean\":" mean ",\"Norm\":" norm ",\"requires_grad\":false}"
#define F32(max, norm) T("torch.float32", "[4, 8]", max, "-1.5", "0.01", norm)
#define WEIGHT         T("torch.float32", "[8, 8]", "0.5", "-0.5", "0.001", "2.25")

static const char construct[] =
    "{\"Module.fc.Linear.forward.0\":null,\"Functional.linear.0.forward\":\"Module.fc.Linear."
    "forward.0\","
    "\"Functional.gelu.0.forward\":null,\"Functional.dropout.0.forward\":null}";

// linear → gelu → dropout; the pieces that tests exchange.
typedef struct Run {
    const char *input, *weight, *linear, *gelu, *dropout_p, *dropout, *middle;
} Run;

static const Run clean = {.input = F32("1.5", "4.0"),
                          .weight = WEIGHT,
                          .linear = F32("2.5", "6.0"),
                          .gelu = F32("2.25", "5.0"),
                          .dropout_p = "0.1",
                          .dropout = F32("2.2", "4.75"),
                          .middle = "gelu.0"};

static Graph build(const char *name, const Run *run)
{
    Graph graph;
    Str data = str_printf(
        arena,
        "{\"Functional.linear.0.forward\":{\"input_args\":[%s,%s],\"input_kwargs\":{},\"output\":[%"
        "s]},"
        "\"Module.fc.Linear.forward.0\":{\"input_args\":[%s],\"input_kwargs\":{},\"output\":[%s]},"
        "\"Functional.%s.forward\":{\"input_args\":[%s],\"input_kwargs\":{},\"output\":[%s]},"
        "\"Functional.dropout.0.forward\":{\"input_args\":[%s],\"input_kwargs\":{\"p\":{\"type\":"
        "\"float\",\"value\":%s}},\"output\":[%s]}}",
        run->input, run->weight, run->linear, run->input, run->linear, run->middle, run->linear,
        run->gelu, run->gelu, run->dropout_p, run->dropout);
    GraphText text = {.construct = construct, .data = data.data};
    graph_text_build(name, &text, GRAPH_VERNIER, arena, &graph, &notices);
    return graph;
}

static Comparison compare(const Run *golden, const Run *target)
{
    Graph *graphs = ARENA_ARRAY(arena, Graph, 2);
    Comparison out;
    CompareOptions options = {0};
    graphs[0] = build("golden", golden);
    graphs[1] = build("target", target);
    compare_graphs(&graphs[0], &graphs[1], &options, arena, &out);
    return out;
}

static PairFacts facts_of(const Run *golden, const Run *target)
{
    Comparison comparison = compare(golden, target);
    PairFacts facts;
    facts_collect(&comparison, 0, arena, &facts);
    return facts;
}

static void a_run_against_itself_is_the_same_bit_for_bit(void)
{
    Comparison comparison = compare(&clean, &clean);
    CHECK(comparison.status == STATUS_SAME);
    CHECK(comparison.first.kind == DIVERGE_NONE);
    CHECK(comparison.largest_error == 0);
    CHECK(comparison.slot_counts[STATUS_SAME] == comparison.slot_count);
}

static void a_wrong_result_is_found_at_the_op_that_computed_it(void)
{
    Run target = clean;
    target.gelu = F32("2.25", "5.01");
    target.dropout = F32("2.2", "4.76");
    PairFacts facts = facts_of(&clean, &target);
    CHECK(facts.first.kind == DIVERGE_OUTPUT);
    CHECK_TEXT(facts.first.target, "Functional.gelu.0.forward");
    CHECK_TEXT(facts.first.slot, "output.0");
    CHECK(fabs(facts.first.value - 0.002) < 1e-9 && facts.first.worst_input == 0);
    CHECK(facts.first.later == 1 && isnan(facts.first.noise));
    CHECK(fabs(facts.would_pass_at[STAT_NORM] - 0.0021052631578947) < 1e-9);
}

static void a_wrong_argument_explains_more_than_its_result(void)
{
    Run target = clean;
    target.dropout_p = "0.2";
    target.dropout = F32("2.2", "4.0");
    PairFacts facts = facts_of(&clean, &target);
    CHECK(facts.first.kind == DIVERGE_ARGUMENT);
    CHECK_TEXT(facts.first.slot, "input.p");
    CHECK_TEXT(facts.first.target_value, "0.2");
    CHECK_TEXT(facts.first.golden_value, "0.1");
}

static void a_weight_that_differs_beyond_the_floor_is_named(void)
{
    Run target = clean;
    target.weight = T("torch.float32", "[8, 8]", "0.5", "-0.5", "0.001", "2.2500002");
    Run golden = clean;
    PairFacts facts = facts_of(&golden, &target);
    // One weight of one: most weights differ, so they are taken for noise.
    CHECK(facts.first.kind == DIVERGE_NONE && facts.status == STATUS_PASS);
    target.weight = T("torch.float32", "[8, 8]", "0.5", "-0.5", "0.001", "2.3");
    facts = facts_of(&golden, &target);
    CHECK(facts.first.kind == DIVERGE_PARAMETER);
    CHECK_TEXT(facts.first.slot, "input.1");
}

static void an_input_that_no_op_produced_is_called_an_input(void)
{
    Run target = clean;
    target.input = F32("1.5", "4.5");
    PairFacts facts = facts_of(&clean, &target);
    CHECK(facts.first.kind == DIVERGE_INPUT);
    CHECK_TEXT(facts.first.target, "Functional.linear.0.forward");
}

static void an_op_that_was_exchanged_names_both(void)
{
    Run target = clean;
    target.middle = "silu.0";
    target.gelu = F32("2.25", "5.5");
    target.dropout = F32("2.2", "5.25");
    PairFacts facts = facts_of(&clean, &target);
    CHECK(facts.first.kind == DIVERGE_MISSING && facts.first.replaced);
    CHECK_TEXT(facts.first.target, "Functional.silu.0.forward");
    CHECK_TEXT(facts.first.golden, "Functional.gelu.0.forward");
    CHECK(facts.unmatched_golden == 1 && facts.unmatched_target == 1);
}

static void an_exchanged_op_that_nothing_feels_is_named_and_no_divergence(void)
{
    Run target = clean;
    target.middle = "silu.0";
    PairFacts facts = facts_of(&clean, &target);
    CHECK(facts.first.kind == DIVERGE_NONE && facts.status == STATUS_PASS);
    CHECK(facts.coverage.left_count == 2 && facts.unmatched_golden == 0);
}

static void differences_below_the_floor_of_the_dtype_pass(void)
{
    Run target = clean;
    target.linear = F32("2.5", "6.0000006");
    PairFacts facts = facts_of(&clean, &target);
    CHECK(facts.status == STATUS_PASS && facts.first.kind == DIVERGE_NONE);
    CHECK(facts.largest_error > 0);
}

// `before` ops that agree to the bit, then one whose input, of bfloat16, no op gave.
static Graph build_hidden(const char *name, int before, const char *hidden)
{
    Graph graph;
    StrBuf data = strbuf_new(arena);
    strbuf_add_char(&data, '{');
    for (int i = 0; i < before; i++)
        strbuf_printf(&data, "\"Torch.exp.%d.forward\":{\"input_args\":[%s],\"output\":[%s]},", i,
                      F32("1.5", "4.0"), F32("2.5", "6.0"));
    strbuf_printf(&data, "\"Torch.tanh.0.forward\":{\"input_args\":[%s],\"output\":[%s]}}", hidden,
                  T("torch.bfloat16", "[4, 8]", "0.75", "-0.75", "0.0", "2.0"));
    GraphText text = {.construct = "{}", .data = strbuf_str(&data).data};
    graph_text_build(name, &text, GRAPH_VERNIER, arena, &graph, &notices);
    return graph;
}

static DivergenceKind kind_of_hidden(int before, const char *norm)
{
    Graph *graphs = ARENA_ARRAY(arena, Graph, 2);
    Comparison comparison;
    CompareOptions options = {0};
    graphs[0] =
        build_hidden("golden", before, T("torch.bfloat16", "[4, 8]", "1.0", "-1.0", "0.0", "2.5"));
    Str other =
        str_printf(arena,
                   "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.bfloat16\",\"shape\":[4, 8],"
                   "\"Max\":1.0,\"Min\":-1.0,\"Mean\":0.0,\"Norm\":%s}",
                   norm);
    graphs[1] = build_hidden("target", before, other.data);
    compare_graphs(&graphs[0], &graphs[1], &options, arena, &comparison);
    return comparison.first.kind;
}

// One step of bfloat16 at 2.5 is 2^-6.
static void after_much_that_is_equal_to_the_bit_one_step_passes_and_two_do_not(void)
{
    CHECK(kind_of_hidden(ROUNDS_ALIKE, "2.515625") == DIVERGE_NONE);
    CHECK(kind_of_hidden(ROUNDS_ALIKE, "2.53125") == DIVERGE_INPUT);
    CHECK(kind_of_hidden(ROUNDS_ALIKE - 1, "2.53125") == DIVERGE_NONE);
}

static void not_a_number_on_one_side_is_an_error_on_both_the_same(void)
{
    Run target = clean;
    target.gelu = F32("NaN", "NaN");
    target.dropout = F32("NaN", "NaN");
    PairFacts facts = facts_of(&clean, &target);
    CHECK(facts.first.kind == DIVERGE_OUTPUT && facts.first.reason == REASON_NONFINITE);
    CHECK(isnan(facts.would_pass_at[STAT_NORM]));
    CHECK(facts_of(&target, &target).status == STATUS_SAME);
    Run infinite = clean, negative = clean;
    infinite.gelu = F32("Infinity", "Infinity");
    negative.gelu = F32("-Infinity", "Infinity");
    CHECK(facts_of(&infinite, &negative).first.kind == DIVERGE_OUTPUT);
}

static void another_dtype_or_shape_never_passes(void)
{
    Run target = clean;
    target.linear = T("torch.bfloat16", "[4, 8]", "2.5", "-1.5", "0.01", "6.0");
    PairFacts facts = facts_of(&clean, &target);
    CHECK(facts.first.reason == REASON_DTYPE);
    CHECK_TEXT(facts.first.target_value, "torch.bfloat16");
    target.linear = T("torch.float32", "[8, 4]", "2.5", "-1.5", "0.01", "6.0");
    CHECK(facts_of(&clean, &target).first.reason == REASON_SHAPE);
}

static void dtypes_of_frameworks_are_equal_up_to_their_spelling(void)
{
    Run target = clean;
    target.linear = T("Float32", "[4, 8]", "2.5", "-1.5", "0.01", "6.0");
    CHECK(facts_of(&clean, &target).status == STATUS_SAME);
}

static void swapping_the_sides_mirrors_the_report(void)
{
    Run target = clean;
    target.gelu = F32("2.25", "5.01");
    target.dropout = F32("2.2", "4.76");
    Comparison one = compare(&clean, &target), two = compare(&target, &clean);
    CHECK(one.first.kind == two.first.kind && one.first.op == two.first.op);
    CHECK(one.op_count == two.op_count);
    for (uint32_t i = 0; i < one.op_count; i++)
        CHECK(one.ops[i].status == two.ops[i].status);
    target.middle = "silu.0";
    PairFacts there = facts_of(&clean, &target), back = facts_of(&target, &clean);
    CHECK(str_equal(there.first.target, back.first.golden));
    CHECK(str_equal(there.first.golden, back.first.target));
}

static void a_worse_difference_never_gets_a_better_status(void)
{
    Status last = STATUS_SAME;
    for (int step = 0; step <= 60; step++) {
        Run target = clean;
        double norm = 6.0 * (1 + 1e-9 * pow(1.6, step));
        Str text = str_printf(arena,
                              "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4,"
                              "8],\"Max\":2.5,\"Min\":-1.5,\"Mean\":0.01,\"Norm\":%.17g}",
                              norm);
        target.linear = text.data;
        Comparison comparison = compare(&clean, &target);
        CHECK(status_worst(comparison.status, last) == comparison.status);
        last = comparison.status;
    }
    CHECK(last == STATUS_ERROR);
}

static Comparison compare_texts(const char *golden_data, const char *target_data)
{
    GraphText left = {.construct = "{}", .data = golden_data};
    GraphText right = {.construct = "{}", .data = target_data};
    Graph *graphs = ARENA_ARRAY(arena, Graph, 2);
    Comparison out;
    CompareOptions options = {0};
    graph_text_build("one", &left, GRAPH_VERNIER, arena, &graphs[0], &notices);
    graph_text_build("two", &right, GRAPH_VERNIER, arena, &graphs[1], &notices);
    options.mode = compare_mode(graphs[0].dump, graphs[1].dump);
    compare_graphs(&graphs[0], &graphs[1], &options, arena, &out);
    return out;
}

// A first op, unless `first` is false; many ops that depend on nothing; an op that takes the first
// one's result, or its input where the first one is missing.
static const char *far_apart(bool first, const char *taken)
{
    StrBuf text;
    text = strbuf_new(arena);
    strbuf_add_char(&text, '{');
    if (first)
        strbuf_printf(&text, "\"Tensor.mul_.0.forward\":{\"input_args\":[%s],\"output\":[%s]},",
                      F32("1.5", "4.0"), F32("1.5", "4.5"));
    for (int i = 0; i < 40; i++)
        strbuf_printf(&text, "\"Torch.exp.%d.forward\":{\"input_args\":[],\"output\":[%s]},", i,
                      WEIGHT);
    strbuf_printf(&text, "\"Tensor.add_.0.forward\":{\"input_args\":[%s],\"output\":[%s]}}", taken,
                  taken);
    return str_cstr(arena, strbuf_str(&text));
}

static void a_missing_op_is_named_however_far_before_its_result_is_used(void)
{
    const char *with = far_apart(true, F32("1.5", "4.5"));
    const char *without = far_apart(false, F32("1.5", "4.0"));
    Comparison there = compare_texts(with, without), back = compare_texts(without, with);
    CHECK(there.first.kind == DIVERGE_MISSING && there.ops[there.first.op].golden == 0);
    CHECK(back.first.kind == DIVERGE_MISSING && back.ops[back.first.op].target == 0);
    Comparison other = compare_texts(with, far_apart(false, F32("1.5", "9.0")));
    CHECK(other.first.kind == DIVERGE_MISSING && other.ops[other.first.op].golden == 0);
    other = compare_texts(far_apart(false, F32("1.5", "9.0")), far_apart(true, F32("1.5", "8.0")));
    CHECK(other.first.kind == DIVERGE_INPUT);  // not what the extra op gave
}

static void an_error_with_clean_inputs_starts_here_else_it_is_inherited(void)
{
    Run target = clean;
    target.gelu = F32("2.25", "5.5");
    target.dropout = F32("2.2", "5.25");
    Comparison comparison = compare(&clean, &target);
    for (uint32_t i = 0; i < comparison.op_count; i++) {
        const OpPair *op = &comparison.ops[i];
        Str name = names_text(comparison.target->dump->names,
                              comparison.target->dump->ops[op->target].name);
        CHECK(op->inherited == str_equal(name, STR("Functional.dropout.0.forward")));
    }
}

static void nothing_in_common_is_no_agreement(void)
{
    GraphText left = {.construct = "{}",
                      .data = "{\"Torch.a.0.forward\":{\"output\":[" WEIGHT "]}}"};
    GraphText right = {.construct = "{}",
                       .data = "{\"Torch.b.0.forward\":{\"output\":[" WEIGHT "]}}"};
    Graph golden, target;
    Comparison out;
    CompareOptions options = {0};
    graph_text_build("left", &left, GRAPH_VERNIER, arena, &golden, &notices);
    graph_text_build("right", &right, GRAPH_VERNIER, arena, &target, &notices);
    compare_graphs(&golden, &target, &options, arena, &out);
    CHECK(out.compared == 0 && out.unmatched_golden == 1 && out.unmatched_target == 1);
}

static void gradients_pair_by_their_order_not_by_their_number(void)
{
    Comparison out =
        compare_texts("{\"Module.fc.Linear.parameters_grad\":{\"weight\":[" WEIGHT "]}}",
                      "{\"Module.fc.Linear.parameters_grad.7\":{\"weight\":[" WEIGHT "]}}");
    CHECK(out.status == STATUS_SAME && out.compared == 1);
}

static void an_op_cut_before_its_output_is_missing_data_not_different(void)
{
    Comparison out = compare_texts("{\"Torch.a.0.forward\":{\"input_args\":[" WEIGHT
                                   "],\"output\":[" WEIGHT "]}}",
                                   "{\"Torch.a.0.forward\":{\"input_args\":[" WEIGHT "]}}");
    CHECK(out.first.kind == DIVERGE_NONE && out.slot_counts[STATUS_NO_DATA] == 1);
}

static void a_gradient_that_one_run_lacks_is_a_difference(void)
{
    Comparison out =
        compare_texts("{\"Torch.a.0.backward\":{\"input\":[" WEIGHT "],\"output\":[" WEIGHT "]}}",
                      "{\"Torch.a.0.backward\":{\"input\":[" WEIGHT "],\"output\":[null]}}");
    CHECK(out.first.kind == DIVERGE_OUTPUT);
}

static void a_bias_gradient_that_is_zero_by_mathematics_is_not_accused(void)
{
#define GRAD(bias)                                                                           \
    "{\"Functional.conv2d.0.backward\":{\"input\":[" F32("1.0", "3.0") "],\"output\":[" F32( \
        "1.0", "2.0") "," WEIGHT                                                             \
                      "," T("torch.float32", "[8]", bias, "-1e-08", "1e-09", bias) "]}}"
    Comparison out = compare_texts(GRAD("3e-08"), GRAD("4.5e-08"));
    CHECK(out.first.kind == DIVERGE_NONE && out.status == STATUS_PASS);
}

static void a_gradient_that_vanishes_on_one_side_is_no_cancellation(void)
{
#define VANISHING(max, norm)                                                               \
    "{\"Functional.conv2d.0.backward\":{\"input\":[" F32("1.0", "3.0") "],\"output\":[" T( \
        "torch.float32", "[4, 8]", max, "-1e-31", "1e-32", norm) "]}}"
    const char *kept = VANISHING("1.0", "2.0"), *vanished = VANISHING("1e-30", "2e-30");
    CHECK(compare_texts(kept, vanished).first.kind == DIVERGE_OUTPUT);
    CHECK(compare_texts(vanished, kept).first.kind == DIVERGE_OUTPUT);
}

static void an_argument_that_one_side_gives_alone_is_called_an_argument(void)
{
#define GIVEN(arguments)                                                                  \
    "{\"Tensor.add.0.forward\":{\"input_args\":[" WEIGHT "],\"input_kwargs\":{" arguments \
    "},\"output\":[" WEIGHT "]}}"
    const char *with = GIVEN("\"alpha\":{\"type\":\"float\",\"value\":2.0}"), *without = GIVEN("");
    CHECK(compare_texts(with, without).first.kind == DIVERGE_ARGUMENT);
    CHECK(compare_texts(without, with).first.kind == DIVERGE_ARGUMENT);
}

// Dumps of newer checksums have no statistics.
static void without_statistics_checksums_tell_weights_from_results(void)
{
#define SUM(text) \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[8],\"md5\":\"" text "\"}"
// clang-format off
#define SUMS(weight, result) \
    "{\"Torch.exp.0.forward\":{\"input_args\":[" SUM("0000000a") "],\"output\":[" SUM("0000000b") \
    "]}" \
    ",\"Functional.linear.0.forward\":{\"input_args\":[" SUM(result) "," SUM(weight) \
    "],\"output\":[" SUM("0000000d") "]}" \
    ",\"Module.fc.Linear.forward.0\":{\"input_args\":[" SUM(result) "],\"output\":[" \
    SUM("0000000d") "],\"parameters\":{\"weight\":" SUM(weight) "}}}"
    // clang-format on
    Comparison out = compare_texts(SUMS("00000001", "0000000b"), SUMS("00000002", "0000000b"));
    CHECK(out.first.kind == DIVERGE_PARAMETER && out.first.op == 1);
    out = compare_texts(SUMS("00000001", "0000000b"), SUMS("00000001", "0000000c"));
    CHECK(out.first.kind == DIVERGE_INPUT && out.first.op == 1);
}

static void devices_and_addresses_are_no_arguments_of_the_model(void)
{
#define OP(value)                                                                     \
    "{\"Torch.ones.0.forward\":{\"input_args\":[{\"type\":\"str\",\"value\":\"" value \
    "\"}],\"output\":[" WEIGHT "]}}"
    CHECK(compare_texts(OP("cuda:0"), OP("npu:0")).status == STATUS_SAME);
    CHECK(compare_texts(OP("<Op at 0x7f00>"), OP("<Op at 0x55aa>")).status == STATUS_SAME);
    CHECK(compare_texts(OP("sum"), OP("mean")).first.kind == DIVERGE_ARGUMENT);
}

static void a_dtype_as_argument_is_equal_up_to_its_spelling(void)
{
#define CAST(type, value)                                                                 \
    "{\"Tensor.to.0.forward\":{\"input_args\":[{\"type\":\"" type "\",\"value\":\"" value \
    "\"}],\"output\":[" WEIGHT "]}}"
    CHECK(compare_texts(CAST("torch.dtype", "torch.int64"), CAST("mindspore.dtype", "Int64"))
              .status == STATUS_SAME);
    CHECK(compare_texts(CAST("torch.dtype", "torch.int64"), CAST("mindspore.dtype", "Int32"))
              .first.kind == DIVERGE_ARGUMENT);
}

static void the_aligned_tree_counts_every_op_once(void)
{
    Run target = clean;
    target.middle = "silu.0";
    Comparison out = compare(&clean, &target);
    uint64_t ops = 0;
    for (int s = 0; s < STATUS_COUNT; s++)
        ops += out.tree[0].counts[s];
    CHECK(ops == out.op_count && out.tree[0].end == out.tree_count);
    for (uint32_t i = 1; i < out.tree_count; i++) {
        const TreeNode *parent = &out.tree[out.tree[i].parent];
        CHECK(out.tree[i].parent < i && out.tree[i].end <= parent->end);
        CHECK(out.tree[i].depth == parent->depth + 1);
        CHECK(status_worst((Status)parent->rollup, (Status)out.tree[i].rollup) ==
              (Status)parent->rollup);
    }
}

// Norms of float32, the last one of another input, with products of bfloat16 between them.
static Graph build_products(const char *name, int products, int apis, const char *norm)
{
    static const char *const names[] = {"matmul", "bmm", "addmm"};
    enum { NORMS = 6 };
    Graph graph;
    StrBuf data = strbuf_new(arena);
    strbuf_add_char(&data, '{');
    for (int i = 0; i < NORMS; i++) {
        if (i < products)
            strbuf_printf(&data, "\"Torch.%s.%d.forward\":{\"input_args\":[],\"output\":[%s]},",
                          names[i % apis], i,
                          T("torch.bfloat16", "[4, 8]", "0.75", "-0.75", "0.0", "2.0"));
        strbuf_printf(&data,
                      "\"Torch.norm.%d.forward\":{\"input_args\":[{\"type\":\"torch.Tensor\","
                      "\"dtype\":\"torch.float32\",\"shape\":[4, 8],\"Max\":2.5,\"Min\":-1.5,"
                      "\"Mean\":0.01,\"Norm\":%s}],\"output\":[%s]}%s",
                      i, i == NORMS - 1 ? norm : "6.0", F32("1.5", "4.0"),
                      i == NORMS - 1 ? "}" : ",");
    }
    GraphText text = {.construct = "{}", .data = strbuf_str(&data).data};
    graph_text_build(name, &text, GRAPH_VERNIER, arena, &graph, &notices);
    return graph;
}

static DivergenceKind kind_of_products(int golden_products, int target_products, int apis)
{
    Graph *graphs = ARENA_ARRAY(arena, Graph, 2);
    Comparison comparison;
    graphs[0] = build_products("golden", golden_products, apis, "6.0");
    graphs[1] = build_products("target", target_products, apis, "6.012");
    compare_graphs(&graphs[0], &graphs[1], &(CompareOptions){0}, arena, &comparison);
    return comparison.first.kind;
}

static void what_one_side_did_not_record_was_computed_in_its_precision_all_the_same(void)
{
    CHECK(kind_of_products(0, 0, 3) == DIVERGE_INPUT);
    CHECK(kind_of_products(6, 6, 3) == DIVERGE_NONE);
    CHECK(kind_of_products(0, 6, 3) == DIVERGE_NONE);
    CHECK(kind_of_products(6, 0, 3) == DIVERGE_NONE);
}

// Casts that only the target makes may be what makes the difference.
static void calls_of_one_api_on_one_side_do_not_widen_what_passes(void)
{
    CHECK(kind_of_products(0, 2, 1) != DIVERGE_NONE);
    CHECK(kind_of_products(0, 6, 1) != DIVERGE_NONE);
    CHECK(kind_of_products(0, 4, 3) != DIVERGE_NONE);
}

// Ops of bfloat16 forward, if `forward`; two of float32 backward with inputs that are equal.
static Graph build_backward(const char *name, bool forward, const char *gradient)
{
    Graph graph;
    StrBuf data = strbuf_new(arena);
    strbuf_add_char(&data, '{');
    for (int i = 0; i < 4 && forward; i++)
        strbuf_printf(&data, "\"Torch.matmul.%d.forward\":{\"input_args\":[],\"output\":[%s]},", i,
                      T("torch.bfloat16", "[4, 8]", "0.75", "-0.75", "0.0", "2.0"));
    strbuf_printf(&data,
                  "\"Torch.matmul.3.backward\":{\"input\":[%s],\"output\":[%s]},"
                  "\"Torch.matmul.2.backward\":{\"input\":[%s],\"output\":[%s]}}",
                  F32("1.5", "4.0"), F32("1.5", "4.0"), F32("1.5", "4.0"), gradient);
    GraphText text = {.construct = "{}", .data = strbuf_str(&data).data};
    graph_text_build(name, &text, GRAPH_VERNIER, arena, &graph, &notices);
    return graph;
}

static DivergenceKind kind_of_backward(bool forward)
{
    Graph *graphs = ARENA_ARRAY(arena, Graph, 2);
    Comparison comparison;
    graphs[0] = build_backward("golden", forward, F32("2.5", "6.0"));
    graphs[1] = build_backward("target", true, F32("2.5", "6.0005"));
    compare_graphs(&graphs[0], &graphs[1], &(CompareOptions){0}, arena, &comparison);
    return comparison.first.kind;
}

// A backward call also takes what its forward call kept.
static void
gradients_of_forward_calls_that_were_not_recorded_are_not_off_by_their_own_rounding(void)
{
    CHECK(kind_of_backward(true) == DIVERGE_OUTPUT);
    CHECK(kind_of_backward(false) == DIVERGE_NONE);
}

// A module that only the target holds, around the one op of both; without results of its own.
static DivergenceKind kind_of_silent_module(const char *parent)
{
    Graph *graphs = ARENA_ARRAY(arena, Graph, 2);
    Comparison comparison;
    const char *same = F32("1.5", "4.0");
    // Of more names than a list holds.
    Str call = str_printf(arena,
                          "\"Torch.sin.0.forward\":{\"input_args\":[]},"
                          "\"Torch.sqrt.0.forward\":{\"input_args\":[]},"
                          "\"Torch.cos.0.forward\":{\"input_args\":[]},"
                          "\"Torch.exp.0.forward\":{\"input_args\":[]},"
                          "\"Module.a.A.forward.0\":{\"input_args\":[%s],\"output\":[%s]},"
                          "\"Torch.tanh.0.forward\":{\"input_args\":[%s],\"output\":[%s]}",
                          same, same, same, same);
    Str both = str_printf(arena, "{" STR_FMT ",\"Module.net.Net.forward.0\":{\"input_args\":[%s]}}",
                          STR_ARG(call), F32("1.5", "4.0"));
    Str alone = str_printf(arena, "{" STR_FMT "}", STR_ARG(call));
    Str tree = str_printf(arena, "{\"Torch.tanh.0.forward\":%s,\"Module.net.Net.forward.0\":null}",
                          parent);
    GraphText golden = {.construct = "{}", .data = str_cstr(arena, alone)};
    GraphText target = {.construct = str_cstr(arena, tree), .data = str_cstr(arena, both)};
    graph_text_build("golden", &golden, GRAPH_VERNIER, arena, &graphs[0], &notices);
    graph_text_build("target", &target, GRAPH_VERNIER, arena, &graphs[1], &notices);
    compare_graphs(&graphs[0], &graphs[1], &(CompareOptions){0}, arena, &comparison);
    return comparison.first.kind;
}

static void a_module_that_tells_no_result_is_what_it_holds(void)
{
    CHECK(kind_of_silent_module("\"Module.net.Net.forward.0\"") == DIVERGE_NONE);
    CHECK(kind_of_silent_module("null") == DIVERGE_MISSING);
}

// A chain of ops; some only one side has, one in 50 differs, bfloat16 begins in the middle.
static Graph chain(const char *name, size_t count, bool target)
{
    StrBuf text;
    text = strbuf_new(arena);
    for (size_t i = 0; i < count; i++) {
        if (i % 97 == (target ? 5 : 55))
            continue;
        const char *dtype = i > count / 2 && i % 3 == 0 ? "torch.bfloat16" : "torch.float32";
        double norm = (double)i + (target && i % 50 == 7 ? 1.01 : 1);
        strbuf_printf(
            &text,
            "%s\"Torch.%s.%zu.forward\":{\"input_args\":[],\"input_kwargs\":{},\"output\":[{"
            "\"type\":\"torch.Tensor\",\"dtype\":\"%s\",\"shape\":[4],\"Max\":1.5,\"Min\":-1.5,"
            "\"Mean\":0.5,\"Norm\":%.17g,\"requires_grad\":false}]}",
            text.size ? "," : "{", i % 2 ? "exp" : "log", i, dtype, norm);
    }
    strbuf_add_char(&text, '}');
    Graph graph;
    GraphText parts = {.construct = "{}", .data = str_cstr(arena, strbuf_str(&text))};
    graph_text_build(name, &parts, GRAPH_VERNIER, arena, &graph, &notices);
    return graph;
}

static void any_number_of_threads_gives_the_same_comparison(void)
{
    enum { OPS = 5000 };
    Graph golden = chain("golden", OPS, false), target = chain("target", OPS, true);
    Comparison one, other;
    compare_graphs(&golden, &target, &(CompareOptions){.jobs = 1}, arena, &one);
    CHECK(one.unmatched_golden > 0 && one.unmatched_target > 0);
    CHECK(one.op_counts[STATUS_ERROR] > OPS / 100);
    for (int jobs = 2; jobs <= 5; jobs++) {
        compare_graphs(&golden, &target, &(CompareOptions){.jobs = jobs}, arena, &other);
        CHECK(one.op_count == other.op_count && one.slot_count == other.slot_count);
        CHECK(memcmp(one.ops, other.ops, one.op_count * sizeof *one.ops) == 0);
        CHECK(memcmp(one.slots, other.slots, one.slot_count * sizeof *one.slots) == 0);
        CHECK(one.first.op == other.first.op && one.status == other.status);
    }
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(a_run_against_itself_is_the_same_bit_for_bit);
    CHECK_RUN(a_wrong_result_is_found_at_the_op_that_computed_it);
    CHECK_RUN(a_wrong_argument_explains_more_than_its_result);
    CHECK_RUN(a_weight_that_differs_beyond_the_floor_is_named);
    CHECK_RUN(an_input_that_no_op_produced_is_called_an_input);
    CHECK_RUN(an_op_that_was_exchanged_names_both);
    CHECK_RUN(an_exchanged_op_that_nothing_feels_is_named_and_no_divergence);
    CHECK_RUN(differences_below_the_floor_of_the_dtype_pass);
    CHECK_RUN(after_much_that_is_equal_to_the_bit_one_step_passes_and_two_do_not);
    CHECK_RUN(not_a_number_on_one_side_is_an_error_on_both_the_same);
    CHECK_RUN(another_dtype_or_shape_never_passes);
    CHECK_RUN(dtypes_of_frameworks_are_equal_up_to_their_spelling);
    CHECK_RUN(swapping_the_sides_mirrors_the_report);
    CHECK_RUN(a_worse_difference_never_gets_a_better_status);
    CHECK_RUN(a_missing_op_is_named_however_far_before_its_result_is_used);
    CHECK_RUN(an_error_with_clean_inputs_starts_here_else_it_is_inherited);
    CHECK_RUN(nothing_in_common_is_no_agreement);
    CHECK_RUN(gradients_pair_by_their_order_not_by_their_number);
    CHECK_RUN(an_op_cut_before_its_output_is_missing_data_not_different);
    CHECK_RUN(a_gradient_that_one_run_lacks_is_a_difference);
    CHECK_RUN(a_bias_gradient_that_is_zero_by_mathematics_is_not_accused);
    CHECK_RUN(a_gradient_that_vanishes_on_one_side_is_no_cancellation);
    CHECK_RUN(an_argument_that_one_side_gives_alone_is_called_an_argument);
    CHECK_RUN(without_statistics_checksums_tell_weights_from_results);
    CHECK_RUN(devices_and_addresses_are_no_arguments_of_the_model);
    CHECK_RUN(a_dtype_as_argument_is_equal_up_to_its_spelling);
    CHECK_RUN(the_aligned_tree_counts_every_op_once);
    CHECK_RUN(what_one_side_did_not_record_was_computed_in_its_precision_all_the_same);
    CHECK_RUN(calls_of_one_api_on_one_side_do_not_widen_what_passes);
    CHECK_RUN(gradients_of_forward_calls_that_were_not_recorded_are_not_off_by_their_own_rounding);
    CHECK_RUN(a_module_that_tells_no_result_is_what_it_holds);
    CHECK_RUN(any_number_of_threads_gives_the_same_comparison);
    arena_release(arena);
    return CHECK_RESULT;
}
