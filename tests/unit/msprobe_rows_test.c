// SPDX-License-Identifier: Apache-2.0
#include "compare/compare.h"
#include "msprobe_fixture.h"

// The worked examples W0 to W2 and W4 to W7 of the compare specification.

static const char difference_columns[8][16] = {
    "Max diff",       "Min diff",       "Mean diff",       "L2norm diff",
    "MaxRelativeErr", "MinRelativeErr", "MeanRelativeErr", "NormRelativeErr"};

static Str cells_joined(const MsprobeTest *test, const char *row, const char *const *columns,
                        size_t count)
{
    StrBuf text;
    text = strbuf_new(test->arena);
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&text, "%s" STR_FMT, i ? " " : "",
                      STR_ARG(msprobe_test_cell(test, row, columns[i])));
    return strbuf_str(&text);
}

static Str differences(const MsprobeTest *test, const char *row)
{
    const char *columns[8];
    for (int i = 0; i < 8; i++)
        columns[i] = difference_columns[i];
    return cells_joined(test, row, columns, 8);
}

static Str statistics(const MsprobeTest *test, const char *row)
{
    static const char *const columns[] = {"NPU max",   "NPU min",   "NPU mean",   "NPU l2norm",
                                          "Bench max", "Bench min", "Bench mean", "Bench l2norm"};
    return cells_joined(test, row, columns, 8);
}

// clang-format off
#define W0(norm, max) \
    "{\"Module.fc.Linear.forward.0\":{\"input_args\":[" \
    LEAF("torch.float32", "[4,3]", "2.0", "-2.0", "0.5", "8.0", ",\"requires_grad\":false") \
    ",null],\"input_kwargs\":{\"scale\":{\"type\":\"int\",\"value\":3}}" \
    ",\"parameters\":{\"weight\":" \
    LEAF("torch.float32", "[2,3]", "0.5", "-0.5", "0.0", "1.5", ",\"requires_grad\":true") \
    "},\"output\":[" \
    LEAF("torch.float32", "[4,2]", "1.5", "-1.0", "0.25", norm, ",\"requires_grad\":true") "]}" \
    ",\"Module.fc.Linear.parameters_grad\":{\"weight\":[" \
    LEAF("torch.float32", "[2,3]", max, "-0.25", "0.0", "0.75", ",\"requires_grad\":false") "]}}"
// clang-format on

static void w0_all_rows_of_a_module_stand_in_order_with_their_cells(void)
{
    static const char *const names[] = {
        "Module.fc.Linear.forward.0.input.0",     "Module.fc.Linear.forward.0.input.1",
        "Module.fc.Linear.forward.0.input.scale", "Module.fc.Linear.forward.0.parameters.weight",
        "Module.fc.Linear.forward.0.output.0",    "Module.fc.Linear.parameters_grad.weight"};
    MsprobeTest *test = msprobe_test(W0("2.2", "0.25"), W0("2.0", "0.2"), RULES_MSPROBE26);
    CHECK(test->msprobe.rows.count == 6);
    Cell cells[64];
    for (size_t i = 0; i < 6; i++) {
        memset(cells, 0, sizeof cells);
        CHECK(test->table.next(test->table.state, cells));
        CHECK_TEXT(cells[0].text, names[i]);
        CHECK_TEXT(cells[1].text, names[i]);
    }
    CHECK_TEXT(msprobe_test_cell(test, names[0], "NPU Tensor Shape"), "[4, 3]");
    CHECK_TEXT(msprobe_test_cell(test, names[0], "NPU Requires_grad"), "False");
    CHECK_TEXT(statistics(test, names[0]), "2.0 -2.0 0.5 8.0 2.0 -2.0 0.5 8.0");
    CHECK_TEXT(differences(test, names[0]), "0 0 0 0 0 0 0 0");
    CHECK_TEXT(msprobe_test_cell(test, names[1], "NPU Dtype"), "None");
    CHECK_TEXT(msprobe_test_cell(test, names[1], "NPU Requires_grad"), "N/A");
    CHECK_TEXT(msprobe_test_cell(test, names[1], "Requires_grad Consistent"), "True");
    CHECK_TEXT(statistics(test, names[1]), "None None None None None None None None");
    CHECK_TEXT(msprobe_test_cell(test, names[2], "NPU Dtype"), "<class 'int'>");
    CHECK_TEXT(statistics(test, names[2]), "3 3 3 3 3 3 3 3");
    CHECK_TEXT(differences(test, names[4]), "0 0 0 0.20000000000000018 0 0 0 10.000000000000009%");
    CHECK_TEXT(msprobe_test_verdict(test, names[4]), "warning NORM10X");
    CHECK_TEXT(differences(test, names[5]), "0.04999999999999999 0 0 0 24.999999999999993% 0 0 0");
    CHECK_TEXT(msprobe_test_cell(test, names[5], "Result"), "pass");
    CHECK_TEXT(msprobe_test_cell(test, names[5], "Err_message"), "[]");
    msprobe_test_end(test);
}

static void w0_generation_8_colours_nothing_and_has_numbers(void)
{
    MsprobeTest *test = msprobe_test(W0("2.2", "0.25"), W0("2.0", "0.2"), RULES_MSPROBE8);
    const char *output = "Module.fc.Linear.forward.0.output.0";
    for (size_t i = 0; i < test->msprobe.rows.count; i++)
        CHECK(test->msprobe.rows.items[i].colour == COLOUR_NONE);
    CHECK_TEXT(differences(test, output),
               "0.0 0.0 0.0 0.20000000000000018 0.0% 0.0% 0.0% 10.000000000000009%");
    CHECK_TEXT(
        msprobe_test_cell(test, "Module.fc.Linear.parameters_grad.weight", "MeanRelativeErr"),
        "N/A");
    CHECK_TEXT(msprobe_test_cell(test, output, "Result"), "");
    CHECK_TEXT(msprobe_test_cell(test, output, "Err_message"), "");
    msprobe_test_end(test);
}

#define W1(gelu, silu, big, out)                                                                 \
    "{\"Functional.gelu.0.forward\":" IO(SAME_INPUT, gelu) ",\"Functional.silu.0.forward\":" IO( \
        SAME_INPUT, silu) ",\"Functional.big.0.forward\":" IO(big, out) "}"

static const char w1_target[] = W1(T("1.6", "-1", "0.25", "3.2"), T("1.2", "-1", "0.25", "2.4"),
                                   T("14", "-1", "0.25", "10"), T("140", "-1", "0.25", "10"));
static const char w1_golden[] = W1(T("1", "-1", "0.25", "2"), T("1", "-1", "0.25", "2"),
                                   T("12", "-1", "0.25", "10"), T("120", "-1", "0.25", "10"));

static void w1_three_systems_judge_the_same_rows(void)
{
    MsprobeTest *b = msprobe_test(w1_target, w1_golden, RULES_MSPROBE26);
    const char *gelu = "Functional.gelu.0.forward.output.0";
    const char *silu = "Functional.silu.0.forward.output.0";
    const char *big = "Functional.big.0.forward.output.0";
    CHECK_TEXT(msprobe_test_cell(b, gelu, "Max diff"), "0.6000000000000001");
    CHECK_TEXT(msprobe_test_cell(b, gelu, "MaxRelativeErr"), "60.00000000000001%");
    CHECK_TEXT(msprobe_test_cell(b, gelu, "NormRelativeErr"), "60.00000000000001%");
    CHECK_TEXT(msprobe_test_verdict(b, gelu), "error NORMREL NORM10X");
    CHECK_TEXT(msprobe_test_cell(b, silu, "Max diff"), "0.19999999999999996");
    CHECK_TEXT(msprobe_test_verdict(b, silu), "warning NORM10X");
    CHECK_TEXT(msprobe_test_cell(b, big, "MaxRelativeErr"), "16.666666666666664%");
    CHECK_TEXT(msprobe_test_verdict(b, big), "pass");
    msprobe_test_end(b);
    MsprobeTest *a = msprobe_test(w1_target, w1_golden, RULES_MSPROBE8);
    CHECK_TEXT(msprobe_test_colour(a, "Functional.gelu.0.forward.input.0"), "none");
    CHECK_TEXT(msprobe_test_colour(a, gelu), "red");
    CHECK_TEXT(msprobe_test_colour(a, silu), "yellow");
    CHECK_TEXT(msprobe_test_colour(a, "Functional.big.0.forward.input.0"), "none");
    CHECK_TEXT(msprobe_test_colour(a, big), "yellow");
    CHECK_TEXT(msprobe_test_cell(a, gelu, "Result"), "");
    msprobe_test_end(a);
}

// One op of one output, or of one input.
typedef struct Special {
    const char *target, *golden;  // the leaf
    bool output;
    const char *column, *difference, *relative;  // of generation 26
    const char *verdict;
    const char *result, *colour;  // of generation 8; NULL: not told
} Special;

#define SCALAR(type, value) "{\"type\":\"" type "\",\"value\":" value "}"
#define GRAD                ",\"requires_grad\":true"

static void check_rules(const Special *special, Rules rules)
{
    Arena *arena = arena_new();
    const char *head = special->output ? "{\"Functional.f.0.forward\":{\"input_args\":[" SAME_INPUT
                                         "],\"output\":["
                                       : "{\"Functional.f.0.forward\":{\"input_args\":[";
    Str target = str_printf(arena, "%s%s,null]}}", head, special->target);
    Str golden = str_printf(arena, "%s%s,null]}}", head, special->golden);
    MsprobeTest *test = msprobe_test(target.data, golden.data, rules);
    const char *row =
        special->output ? "Functional.f.0.forward.output.0" : "Functional.f.0.forward.input.0";
    bool norm = strcmp(special->column, "Norm") == 0;
    if (rules == RULES_MSPROBE26) {
        CHECK_TEXT(msprobe_test_cell(test, row, norm ? "L2norm diff" : "Max diff"),
                   special->difference);
        CHECK_TEXT(msprobe_test_cell(test, row, norm ? "NormRelativeErr" : "MaxRelativeErr"),
                   special->relative);
        CHECK_TEXT(msprobe_test_verdict(test, row), special->verdict);
    } else {
        CHECK_TEXT(msprobe_test_cell(test, row, "Result"), special->result);
        if (special->colour)
            CHECK_TEXT(msprobe_test_colour(test, row), special->colour);
    }
    msprobe_test_end(test);
    arena_release(arena);
}

static void check_special(Special special)
{
    check_rules(&special, RULES_MSPROBE26);
    check_rules(&special, RULES_MSPROBE8);
}

static void w2_special_values_have_msprobes_cells_and_verdicts(void)
{
    check_special((Special){T("NaN", "-1", "0.25", "10"), T("1.0", "-1", "0.25", "10"), true, "Max",
                            "Nan", "Nan", "error NONFINITE", "", "none"});
    check_special((Special){T("Infinity", "-1", "0.25", "10"), T("-Infinity", "-1", "0.25", "10"),
                            false, "Max", "inf", "inf", "pass", "", "red"});
    check_special((Special){T("0.0", "-1", "0.25", "10"), T("1.0", "-1", "0.25", "10"), false,
                            "Max", "-1.0", "100.0%", "pass", "Warning", NULL});
    check_special((Special){T("1", "-1", "0.25", "2.0"), T("1", "-1", "0.25", "0"), false, "Norm",
                            "2.0", "inf", "pass", "Warning", NULL});
    check_special((Special){SCALAR("int", "3"), SCALAR("int", "4"), false, "Max", "-1.0", "25.0%",
                            "error SCALAR", "", "none"});
    check_special((Special){SCALAR("str", "\"none\""), SCALAR("str", "\"mean\""), false, "Max",
                            "Diff", "Diff", "error SCALAR", "", "none"});
    check_special((Special){"null", "null", false, "Max", "0", "0", "pass", "", "none"});
    check_special((Special){SCALAR("bool", "true"), SCALAR("bool", "true"), false, "Max", "0", "0",
                            "pass", "", "none"});
    check_special((Special){SCALAR("str", "\"npu:0\""), SCALAR("str", "\"cuda:0\""), false, "Max",
                            "N/A", "N/A", "error SCALAR", "", "none"});
    check_special((Special){LEAF("torch.int64", "[4]", "1", "0", "null", "null", GRAD),
                            LEAF("torch.int32", "[4]", "1", "0", "null", "null", GRAD), true, "Max",
                            "N/A", "N/A", "pass", "N/A", "yellow"});
    check_special((Special){LEAF("torch.float32", "[4]", "1", "0", "0.5", "3", GRAD),
                            LEAF("torch.bfloat16", "[4]", "1", "0", "0.5", "1", GRAD), true, "Norm",
                            "2.0", "200.0%", "error NORMREL DTYPE NORM10X", "Warning", "none"});
    check_special((Special){LEAF("torch.float32", "[3,2]", "1", "0", "0.5", "3", GRAD),
                            LEAF("torch.float32", "[2,3]", "1", "0", "0.5", "3", GRAD), true, "Max",
                            "0", "0", "error SHAPE", "N/A", "yellow"});
}

#define SUM(dtype, md5, more) \
    LEAF(dtype, "[4]", "1", "0", "0.5", "1", ",\"md5\":\"" md5 "0000\"" more)
#define W4(first, grad, count, dtype, other, memory)                                               \
    "{\"Functional.f.0.forward\":" IO(                                                             \
        SUM("torch.float32", first, grad) "," SCALAR("int", count) ",null",                        \
        SUM(dtype, "cccc", "")) ",\"Torch.empty.0.forward\":" IO("{\"type\":\"int\",\"value\":4}", \
                                                                 SUM("torch.float32", memory,      \
                                                                     "")) "}"

static void w4_checksums(void)
{
    const char *target =
        W4("bbbb", ",\"requires_grad\":true", "3", "torch.float32", "cccc", "aaaa");
    const char *golden = W4("bbbb", ",\"requires_grad\":false", "4", "torch.int32", "cccc", "aaab");
    MsprobeTest *b = msprobe_test(target, golden, RULES_MSPROBE26);
    CHECK(b->table.column_count == 13);
    CHECK_TEXT(msprobe_test_verdict(b, "Functional.f.0.forward.input.0"), "pass");
    CHECK_TEXT(msprobe_test_cell(b, "Functional.f.0.forward.input.0", "Requires_grad Consistent"),
               "False");
    CHECK_TEXT(msprobe_test_cell(b, "Functional.f.0.forward.input.1", "NPU MD5"), "6dd28e9b");
    CHECK_TEXT(msprobe_test_cell(b, "Functional.f.0.forward.input.1", "BENCH MD5"), "f3b61b38");
    CHECK_TEXT(msprobe_test_verdict(b, "Functional.f.0.forward.input.1"), "error CRC");
    CHECK_TEXT(msprobe_test_cell(b, "Functional.f.0.forward.input.2", "NPU MD5"), "N/A");
    CHECK_TEXT(msprobe_test_verdict(b, "Functional.f.0.forward.input.2"), "pass");
    CHECK_TEXT(msprobe_test_cell(b, "Functional.f.0.forward.output.0", "BENCH MD5"), "N/A");
    CHECK_TEXT(msprobe_test_verdict(b, "Functional.f.0.forward.output.0"), "warning MD5MISS");
    CHECK_TEXT(msprobe_test_verdict(b, "Torch.empty.0.forward.output.0"), "pass");
    msprobe_test_end(b);
    MsprobeTest *a = msprobe_test(target, golden, RULES_MSPROBE8);
    CHECK(a->table.column_count == 12);
    CHECK_TEXT(msprobe_test_cell(a, "Functional.f.0.forward.input.0", "Result"), "pass");
    CHECK_TEXT(msprobe_test_cell(a, "Functional.f.0.forward.input.1", "Result"), "Different");
    CHECK_TEXT(msprobe_test_cell(a, "Functional.f.0.forward.input.2", "Result"), "pass");
    CHECK_TEXT(msprobe_test_cell(a, "Functional.f.0.forward.output.0", "Result"), "N/A");
    CHECK_TEXT(msprobe_test_cell(a, "Torch.empty.0.forward.output.0", "Result"), "Different");
    msprobe_test_end(a);
}

#define CALL(name) "\"Functional.r." name "\":" IN(SAME_INPUT)
#define FORWARDS   CALL("0.forward") "," CALL("1.forward") "," CALL("2.forward") ","

static void w5_backward_calls_are_counted_anew_in_generation_26_only(void)
{
    const char *target =
        "{" FORWARDS CALL("2.backward") "," CALL("1.backward") "," CALL("0.backward") "}";
    const char *golden = "{" FORWARDS CALL("1.backward") "," CALL("0.backward") "}";
    MsprobeTest *b = msprobe_test(target, golden, RULES_MSPROBE26);
    CHECK_TEXT(msprobe_test_cell(b, "Functional.r.2.backward.input.0", "Bench Name"),
               "Functional.r.1.backward.input.0");
    CHECK_TEXT(msprobe_test_cell(b, "Functional.r.1.backward.input.0", "Bench Name"),
               "Functional.r.0.backward.input.0");
    CHECK_TEXT(msprobe_test_cell(b, "Functional.r.0.backward.input.0", "Bench Name"), "N/A");
    CHECK_TEXT(msprobe_test_cell(b, "Functional.r.2.forward.input.0", "Bench Name"),
               "Functional.r.2.forward.input.0");
    msprobe_test_end(b);
    MsprobeTest *a = msprobe_test(target, golden, RULES_MSPROBE8);
    CHECK_TEXT(msprobe_test_cell(a, "Functional.r.2.backward.input.0", "Bench Name"), "N/A");
    CHECK_TEXT(msprobe_test_cell(a, "Functional.r.1.backward.input.0", "Bench Name"),
               "Functional.r.1.backward.input.0");
    msprobe_test_end(a);
}

static void w6_across_frameworks_every_tensor_row_is_an_error(void)
{
    MsprobeTest *test = msprobe_test_new();
    msprobe_test_graph(test->arena, "golden", "statistics",
                       "{\"Functional.f.0.forward\":" IN(
                           LEAF("torch.float32", "[4]", "1", "0", "0.5", "1", GRAD)) "}",
                       "pytorch", &test->golden);
    msprobe_test_graph(
        test->arena, "target", "statistics",
        "{\"Functional.f.0.forward\":" IN(LEAF("Float32", "[4]", "1", "0", "0.5", "1", "")) "}",
        "mindspore", &test->target);
    msprobe_test_pair(test, RULES_MSPROBE26);
    msprobe_test_judge(test);
    const char *row = "Functional.f.0.forward.input.0";
    CHECK_TEXT(differences(test, row), "0 0 0 0 0 0 0 0");
    CHECK_TEXT(msprobe_test_cell(test, row, "NPU Requires_grad"), "N/A");
    CHECK_TEXT(msprobe_test_cell(test, row, "Requires_grad Consistent"), "False");
    CHECK_TEXT(msprobe_test_verdict(test, row), "error REQGRAD DTYPE");
    msprobe_test_end(test);
}

#define W7(norm)                                                                                  \
    "{\"Functional.linear.0.forward\":" IO(                                                       \
        SAME_INPUT,                                                                               \
        T("1", "-1", "0",                                                                         \
          "1")) ",\"Distributed.all_reduce.0.forward\":" IO(SAME_INPUT,                           \
                                                            T("1", "-1", "0",                     \
                                                              "1")) ",\"Functional.linear.1."     \
                                                                    "forward\":" IO(              \
                                                                        SAME_INPUT,               \
                                                                        T("1", "-1", "0",         \
                                                                          norm)) ",\""            \
                                                                                 "Dis"            \
                                                                                 "tri"            \
                                                                                 "but"            \
                                                                                 "ed."            \
                                                                                 "all"            \
                                                                                 "_re"            \
                                                                                 "duc"            \
                                                                                 "e."             \
                                                                                 "1."             \
                                                                                 "for"            \
                                                                                 "war"            \
                                                                                 "d\""            \
                                                                                 ":" IO(          \
                                                                                     SAME_INPUT,  \
                                                                                     T("1", "-1", \
                                                                                       "0",       \
                                                                                       "1")) "}"

static void w7_the_one_op_that_differs_is_the_first_divergence(void)
{
    MsprobeTest *test = msprobe_test(W7("3"), W7("1"), RULES_MSPROBE26);
    Comparison comparison;
    CompareOptions options = {.rules = RULES_MSPROBE26};
    compare_graphs(&test->golden, &test->target, &options, test->arena, &comparison);
    msprobe_fill_comparison(&test->msprobe, test->arena, &comparison);
    CHECK(comparison.first.kind == DIVERGE_OUTPUT);
    CHECK(comparison.op_counts[STATUS_ERROR] == 1 && comparison.op_counts[STATUS_PASS] == 3);
    const OpPair *first = &comparison.ops[comparison.first.op];
    CHECK_TEXT(names_text(test->target.dump->names, test->target.dump->ops[first->target].name),
               "Functional.linear.1.forward");
    CHECK(comparison.status == STATUS_ERROR);
    msprobe_test_end(test);
}

static void ops_without_direction_are_dropped_by_generation_26_only(void)
{
    const char *data = "{\"Functional.odd.0\":" IN(SAME_INPUT) ",\"x.forward\":" IN(
        SAME_INPUT) ",\"Functional.f.0.forward\":" IN(SAME_INPUT) "}";
    MsprobeTest *b = msprobe_test(data, data, RULES_MSPROBE26);
    CHECK(b->msprobe.rows.count == 1);
    msprobe_test_end(b);
    MsprobeTest *a = msprobe_test(data, data, RULES_MSPROBE8);
    CHECK(a->msprobe.rows.count == 3);
    msprobe_test_end(a);
}

static void equal_names_give_every_combination(void)
{
    const char *data =
        "{\"Module.fc.Linear.parameters_grad\":{\"w\":[" SAME_INPUT "," SAME_INPUT "]}}";
    MsprobeTest *test = msprobe_test(data, data, RULES_MSPROBE26);
    CHECK(test->msprobe.rows.count == 4);
    msprobe_test_end(test);
}

static void many_equal_names_pair_up_one_to_one(void)
{
    Arena *arena = arena_new();
    StrBuf data;
    data = strbuf_new(arena);
    strbuf_printf(&data, "{\"Module.fc.Linear.parameters_grad\":{\"w\":[null");
    for (int i = 1; i < 1000; i++)
        strbuf_printf(&data, ",null");
    strbuf_printf(&data, "]}}");
    MsprobeTest *test = msprobe_test(data.data, data.data, RULES_MSPROBE26);
    CHECK(test->msprobe.rows.count == 1000);
    CHECK(test->msprobe.rows.items[999].golden != SLOT_NONE);
    msprobe_test_end(test);
    arena_release(arena);
}

static void checksums_on_one_side_are_refused(void)
{
    Arena *arena = arena_new();
    MsprobeComparison msprobe;
    Graph golden, target;
    Error err;
    msprobe_test_graph(arena, "g", "statistics",
                       "{\"Functional.f.0.forward\":" IN(SUM("torch.float32", "aaaa", "")) "}",
                       "pytorch", &golden);
    msprobe_test_graph(arena, "t", "statistics", "{\"Functional.f.0.forward\":" IN(SAME_INPUT) "}",
                       "pytorch", &target);
    CHECK(!msprobe_pair(&golden, &target, RULES_MSPROBE26, NULL, arena, &msprobe, &err));
    CHECK(strstr(err.text, "checksums"));
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(w0_all_rows_of_a_module_stand_in_order_with_their_cells);
    CHECK_RUN(w0_generation_8_colours_nothing_and_has_numbers);
    CHECK_RUN(w1_three_systems_judge_the_same_rows);
    CHECK_RUN(w2_special_values_have_msprobes_cells_and_verdicts);
    CHECK_RUN(w4_checksums);
    CHECK_RUN(w5_backward_calls_are_counted_anew_in_generation_26_only);
    CHECK_RUN(w6_across_frameworks_every_tensor_row_is_an_error);
    CHECK_RUN(w7_the_one_op_that_differs_is_the_first_divergence);
    CHECK_RUN(ops_without_direction_are_dropped_by_generation_26_only);
    CHECK_RUN(equal_names_give_every_combination);
    CHECK_RUN(many_equal_names_pair_up_one_to_one);
    CHECK_RUN(checksums_on_one_side_are_refused);
    return CHECK_RESULT;
}
