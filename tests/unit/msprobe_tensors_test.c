// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "compare/msprobe/msprobe_metrics.h"
#include "msprobe_fixture.h"

// The worked examples W3 of the compare specification: one op whose input is equal and whose output
// is the pair of tensors; no files are needed.

typedef struct Example {
    const char *name;
    DType dtype;
    size_t count;
    const void *target, *golden;
    const char *cells;            // the six of generation 26
    const char *verdict;          // of generation 26
    const char *result, *colour;  // of generation 8
} Example;

static Tensor tensor_of(DType dtype, const void *elements, size_t count)
{
    Tensor tensor = {.dtype = dtype, .contiguous = true, .data = elements};
    uint64_t shape[1] = {count};
    CHECK(tensor_set_shape(&tensor, dtype, 1, shape));
    tensor.data = elements;
    return tensor;
}

static void fill_metrics(MsprobeTest *test, const Example *example, Rules rules)
{
    static const float same[2] = {1, 2};
    Tensor input = tensor_of(DTYPE_F32, same, 2);
    Tensor target = tensor_of(example->dtype, example->target, example->count);
    Tensor golden = tensor_of(example->dtype, example->golden, example->count);
    TensorMetrics metrics;
    tensor_metrics(&input, &input, rules, 1, &metrics);
    msprobe_metrics_of(&metrics, &test->msprobe.metrics[0]);
    tensor_metrics(&golden, &target, rules, 1, &metrics);
    msprobe_metrics_of(&metrics, &test->msprobe.metrics[1]);
}

#define FILED(dtype, file)                                                                  \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"" dtype "\",\"shape\":[4],\"Max\":1,\"Min\":0," \
    "\"Mean\":null,\"Norm\":null,\"requires_grad\":false,\"data_name\":\"" file "\"}"

static const char data[] =
    "{\"Torch.f.0.forward\":" IO(FILED("torch.float32", "Torch.f.0.forward.input.0.pt"),
                                 FILED("torch.float32", "Torch.f.0.forward.output.0.pt")) "}";

static MsprobeTest *judged(const Example *example, Rules rules)
{
    MsprobeTest *test = msprobe_test_new();
    msprobe_test_graph(test->arena, "golden", "tensor", data, "pytorch", &test->golden);
    msprobe_test_graph(test->arena, "target", "tensor", data, "pytorch", &test->target);
    msprobe_test_pair(test, rules);
    CHECK(test->msprobe.mode == MODE_TENSOR && test->msprobe.rows.count == 2);
    fill_metrics(test, example, rules);
    msprobe_test_judge(test);
    return test;
}

static void check(Example example)
{
    static const char *const columns[] = {"Cosine",
                                          "EucDist",
                                          "MaxAbsErr",
                                          "MaxRelativeErr",
                                          "One Thousandth Err Ratio",
                                          "Five Thousandths Err Ratio"};
    const char *row = "Torch.f.0.forward.output.0";
    MsprobeTest *b = judged(&example, RULES_MSPROBE26);
    StrBuf cells;
    cells = strbuf_new(b->arena);
    for (int i = 0; i < 6; i++)
        strbuf_printf(&cells, "%s" STR_FMT, i ? " " : "",
                      STR_ARG(msprobe_test_cell(b, row, columns[i])));
    CHECK_TEXT(strbuf_str(&cells), example.cells);
    CHECK_TEXT(msprobe_test_verdict(b, row), example.verdict);
    CHECK_TEXT(msprobe_test_cell(b, row, "Data_name"),
               "['Torch.f.0.forward.output.0.pt', 'Torch.f.0.forward.output.0.pt']");
    msprobe_test_end(b);
    MsprobeTest *a = judged(&example, RULES_MSPROBE8);
    CHECK_TEXT(msprobe_test_cell(a, row, "Accuracy Reached or Not"), example.result);
    CHECK_TEXT(msprobe_test_colour(a, row), example.colour);
    msprobe_test_end(a);
}

// EucDist may be off by 1e-12: its last digits are those of a summation order.
static void w3_tensors(void)
{
    static const float n1[] = {1.0001f, 2.003f, 3.02f, 4}, b1[] = {1, 2, 3, 4};
    static const float n2[] = {-1, 2, -3, 4}, n3[] = {2, 3, 4, 5};
    static const int64_t n4[] = {1, 0, 5}, b4[] = {1, 2, 0};
    static const float n5[] = {1, INFINITY, 3}, b5[] = {1, -INFINITY, 3};
    static const float n6[] = {1, 2}, b6[] = {1, NAN};
    check((Example){.dtype = DTYPE_F32,
                    .count = 4,
                    .target = n1,
                    .golden = b1,
                    .cells = "0.999996 0.020223979980840138 0.019999980927 0.006666660309 0.5 0.75",
                    .verdict = "pass",
                    .result = "Yes",
                    .colour = "red"});
    check((Example){.dtype = DTYPE_F32,
                    .count = 4,
                    .target = n2,
                    .golden = b1,
                    .cells = "0.333333333333 6.324555320336759 6.0 2.0 0.5 0.5",
                    .verdict = "warning COSDROP",
                    .result = "No",
                    .colour = "red"});
    check((Example){.dtype = DTYPE_F32,
                    .count = 4,
                    .target = n3,
                    .golden = b1,
                    .cells = "0.99380799 2.0 1.0 1.0 0.0 0.0",
                    .verdict = "error THOUSANDTH",
                    .result = "Yes",
                    .colour = "red"});
    check((Example){.dtype = DTYPE_I64,
                    .count = 3,
                    .target = n4,
                    .golden = b4,
                    .cells = "0.087705801931 5.385164807134504 5.0 2.251799813685248e+16 "
                             "0.333333333333 0.333333333333",
                    .verdict = "warning COSDROP",
                    .result = "No",
                    .colour = "red"});
    check((Example){.dtype = DTYPE_F32,
                    .count = 3,
                    .target = n5,
                    .golden = b5,
                    .cells = "1.0 0.0 0.0 0.0 1.0 1.0",
                    .verdict = "pass",
                    .result = "Yes",
                    .colour = "none"});
    check((Example){.dtype = DTYPE_F32,
                    .count = 2,
                    .target = n6,
                    .golden = b6,
                    .cells = "N/A N/A N/A N/A N/A N/A",
                    .verdict = "pass",
                    .result = "No",
                    .colour = "none"});
}

static void rows_without_files_have_no_metrics(void)
{
    const char *bare = "{\"Torch.f.0.forward\":" IO(
        FILED("torch.float32", "-1"), FILED("torch.float32", "Torch.f.0.forward.output.0.pt")) "}";
    MsprobeTest *test = msprobe_test_new();
    msprobe_test_graph(test->arena, "golden", "tensor", bare, "pytorch", &test->golden);
    msprobe_test_graph(test->arena, "target", "tensor", bare, "pytorch", &test->target);
    msprobe_test_pair(test, RULES_MSPROBE26);
    Notices notices;
    notices_init(&notices, test->arena);
    msprobe_read_metrics(&test->msprobe, "/nonexistent", "/nonexistent", 2, &notices);
    msprobe_test_judge(test);
    CHECK_TEXT(msprobe_test_cell(test, "Torch.f.0.forward.input.0", "Cosine"), "unsupported");
    CHECK_TEXT(msprobe_test_cell(test, "Torch.f.0.forward.input.0", "Data_name"), "['-1', '-1']");
    CHECK_TEXT(msprobe_test_cell(test, "Torch.f.0.forward.output.0", "EucDist"), "unsupported");
    CHECK(notices.count == 1);
    msprobe_test_end(test);
}

int main(void)
{
    CHECK_RUN(w3_tensors);
    CHECK_RUN(rows_without_files_have_no_metrics);
    return CHECK_RESULT;
}
