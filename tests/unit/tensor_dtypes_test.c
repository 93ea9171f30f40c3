// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "check.h"
#include "compare/tensor/tensor_metrics.h"
#include "read/tensor/tensor_statistics.h"

// The element metrics and the statistics of every dtype, on values small enough to count by hand.

static Tensor vector(DType dtype, const void *data, uint64_t count)
{
    Tensor out = {.data = data};
    CHECK(tensor_set_shape(&out, dtype, 1, &count));
    return out;
}

static TensorMetrics compare(Tensor target, Tensor golden)
{
    TensorMetrics out;
    tensor_metrics(&golden, &target, RULES_VERNIER, 1, &out);
    return out;
}

// 3 and 4 elements that differ by 2 at the second place: 10 against 12.
static const int64_t i64[] = {1, 10, -3, 7}, i64_b[] = {1, 12, -3, 7};
static const int32_t i32[] = {1, 10, -3, 7}, i32_b[] = {1, 12, -3, 7};
static const int16_t i16[] = {1, 10, -3, 7}, i16_b[] = {1, 12, -3, 7};
static const int8_t i8[] = {1, 10, -3, 7}, i8_b[] = {1, 12, -3, 7};
static const uint64_t u64[] = {1, 10, 3, 7}, u64_b[] = {1, 12, 3, 7};
static const uint32_t u32[] = {1, 10, 3, 7}, u32_b[] = {1, 12, 3, 7};
static const uint16_t u16[] = {1, 10, 3, 7}, u16_b[] = {1, 12, 3, 7};
static const uint8_t u8[] = {1, 10, 3, 7}, u8_b[] = {1, 12, 3, 7};
static const double f64[] = {1, 10, -3, 7}, f64_b[] = {1, 12, -3, 7};
static const float f32[] = {1, 10, -3, 7}, f32_b[] = {1, 12, -3, 7};
static const uint16_t f16[] = {0x3c00, 0x4900, 0xc200, 0x4700};
static const uint16_t f16_b[] = {0x3c00, 0x4a00, 0xc200, 0x4700};
static const uint16_t bf16[] = {0x3f80, 0x4120, 0xc040, 0x40e0};
static const uint16_t bf16_b[] = {0x3f80, 0x4140, 0xc040, 0x40e0};
static const uint8_t e4m3[] = {0x38, 0x52, 0xc4, 0x4e}, e4m3_b[] = {0x38, 0x54, 0xc4, 0x4e};
static const uint8_t e5m2[] = {0x3c, 0x49, 0xc2, 0x47}, e5m2_b[] = {0x3c, 0x4a, 0xc2, 0x47};

typedef struct Case {
    DType dtype;
    const void *golden, *target;
    double ulp;      // between 10 and 12
    bool is_signed;  // the third element is -3
} Case;

static const Case cases[] = {
    {DTYPE_I64, i64, i64_b, 2, true},
    {DTYPE_I32, i32, i32_b, 2, true},
    {DTYPE_I16, i16, i16_b, 2, true},
    {DTYPE_I8, i8, i8_b, 2, true},
    {DTYPE_U64, u64, u64_b, 2, false},
    {DTYPE_U32, u32, u32_b, 2, false},
    {DTYPE_U16, u16, u16_b, 2, false},
    {DTYPE_U8, u8, u8_b, 2, false},
    {DTYPE_F64, f64, f64_b, 1125899906842624.0, true},  // 2 over 2^-49
    {DTYPE_F32, f32, f32_b, 2097152, true},             // 2 over 2^-20
    {DTYPE_F16, f16, f16_b, 256, true},
    {DTYPE_BF16, bf16, bf16_b, 32, true},
    {DTYPE_F8_E4M3FN, e4m3, e4m3_b, 2, true},
    {DTYPE_F8_E5M2, e5m2, e5m2_b, 1, true},
};
enum { CASES = sizeof cases / sizeof *cases };

static void a_difference_of_2_is_2_in_every_dtype(void)
{
    for (size_t i = 0; i < CASES; i++) {
        const Case *at = &cases[i];
        TensorMetrics got =
            compare(vector(at->dtype, at->target, 4), vector(at->dtype, at->golden, 4));
        CHECK(got.value[ELEMENT_MAX_ABS] == 2 && got.worst == 1 && !got.bit_equal);
        CHECK(got.worst_golden == 10 && got.worst_target == 12);
        CHECK(got.ulp_max == at->ulp && got.ulp_dtype == at->dtype);
        CHECK(fabs(got.golden_norm - sqrt(1 + 100 + 9 + 49)) < 1e-9);
        got = compare(vector(at->dtype, at->golden, 4), vector(at->dtype, at->golden, 4));
        CHECK(got.bit_equal && got.value[ELEMENT_MAX_ABS] == 0);
    }
}

static void statistics_are_those_of_the_values_in_every_dtype(void)
{
    for (size_t i = 0; i < CASES; i++) {
        TensorStatistics got;
        Tensor tensor = vector(cases[i].dtype, cases[i].golden, 4);
        tensor_statistics(&tensor, &got);
        CHECK(got.max == 10 && got.min == (cases[i].is_signed ? -3 : 1));
        CHECK(got.mean == (cases[i].is_signed ? 15.0 : 21.0) / 4);
        CHECK(fabs(got.norm - sqrt(159)) < 1e-12);
    }
    const uint8_t flags[] = {0, 1, 2, 0};
    TensorStatistics got;
    Tensor tensor = vector(DTYPE_BOOL, flags, 4);
    tensor_statistics(&tensor, &got);
    CHECK(got.max == 1 && got.min == 0 && got.mean == 0.5);
    const uint8_t scales[] = {127, 130};
    tensor = vector(DTYPE_F8_E8M0, scales, 2);
    tensor_statistics(&tensor, &got);
    CHECK(got.max == 8 && got.min == 1);
}

static void integers_of_two_widths_are_compared_as_numbers(void)
{
    const int64_t wide[] = {-1, 255, 70000};
    const int32_t usual[] = {-1, 255, 70000};
    const uint64_t top[] = {UINT64_MAX, UINT64_MAX - 5}, other[] = {UINT64_MAX, UINT64_MAX - 7};
    const int64_t negative[] = {-1, INT64_MIN};
    TensorMetrics got = compare(vector(DTYPE_I32, usual, 3), vector(DTYPE_I64, wide, 3));
    CHECK(got.value[ELEMENT_MAX_ABS] == 0 && got.ulp_max == 0);
    got = compare(vector(DTYPE_U64, other, 2), vector(DTYPE_U64, top, 2));
    CHECK(got.ulp_max == 2);
    // The two ends of both types: as far apart as numbers of 64 bits can be.
    got = compare(vector(DTYPE_U64, top, 2), vector(DTYPE_I64, negative, 2));
    CHECK(got.ulp_max > 1.8e19 && !got.bit_equal);
    const uint8_t flags[] = {0, 1, 1};
    const uint8_t numbers[] = {0, 1, 3};
    got = compare(vector(DTYPE_U8, numbers, 3), vector(DTYPE_BOOL, flags, 3));
    CHECK(got.value[ELEMENT_MAX_ABS] == 2 && got.worst == 2);
}

static void an_integer_beside_a_float_is_counted_in_the_float(void)
{
    const int32_t integers[] = {1, 2, 3};
    const float floats[] = {1, nextafterf(2, 3), 3};
    TensorMetrics got = compare(vector(DTYPE_F32, floats, 3), vector(DTYPE_I32, integers, 3));
    CHECK(got.ulp_dtype == DTYPE_F32 && got.ulp_max == 1);
    got = compare(vector(DTYPE_I32, integers, 3), vector(DTYPE_F32, floats, 3));
    CHECK(got.ulp_dtype == DTYPE_F32 && got.ulp_max == 1);
}

// PyTorch negates and conjugates by a mark in the file.
static void marks_of_negation_and_conjugation_count(void)
{
    const float values[] = {1, -2, 3, 4}, negative[] = {-1, 2, -3, -4};
    const double wide[] = {1, -2, 3, 4}, wide_negative[] = {-1, 2, -3, -4};
    Tensor target = vector(DTYPE_F32, negative, 4), golden = vector(DTYPE_F32, values, 4);
    target.neg = true;
    TensorMetrics got = compare(target, golden);
    CHECK(got.value[ELEMENT_MAX_ABS] == 0 && got.ulp_max == 0);
    got = compare(golden, target);
    CHECK(got.value[ELEMENT_MAX_ABS] == 0);
    golden.neg = true;
    got = compare(target, golden);
    CHECK(got.value[ELEMENT_MAX_ABS] == 8 && got.worst == 3);
    Tensor doubles = vector(DTYPE_F64, wide_negative, 4);
    doubles.neg = true;
    got = compare(doubles, vector(DTYPE_F64, wide, 4));
    CHECK(got.value[ELEMENT_MAX_ABS] == 0 && got.ulp_max == 0);
    // 1 - 2i and 3 + 4i, conjugated 1 + 2i and 3 - 4i.
    const float conjugated[] = {1, 2, 3, -4};
    target = vector(DTYPE_C64, conjugated, 2);
    golden = vector(DTYPE_C64, values, 2);
    golden.conj = true;
    got = compare(target, golden);
    CHECK(got.value[ELEMENT_MAX_ABS] == 0);
    TensorStatistics statistics;
    tensor_statistics(&golden, &statistics);
    CHECK(statistics.max == 3 && statistics.min == -4 && statistics.mean == 0.5);
    CHECK(fabs(statistics.norm - sqrt(30)) < 1e-12);
    const double wide_complex[] = {1, -2, 3, 4};
    golden = vector(DTYPE_C128, wide_complex, 2);
    golden.neg = true;
    tensor_statistics(&golden, &statistics);
    CHECK(statistics.max == 2 && statistics.min == -4 && statistics.mean == -1.5);
}

static void doubles_with_nan_and_infinity_are_compared_where_both_are_finite(void)
{
    const double golden[] = {1, (double)NAN, (double)INFINITY, 4, 5};
    const double target[] = {1.5, (double)NAN, (double)INFINITY, (double)NAN, 5};
    TensorMetrics got = compare(vector(DTYPE_F64, target, 5), vector(DTYPE_F64, golden, 5));
    CHECK(got.state == ELEMENTS_NONFINITE);
    CHECK(got.value[ELEMENT_MAX_ABS] == 0.5 && got.worst == 0);
    TensorStatistics statistics;
    Tensor tensor = vector(DTYPE_F64, golden, 5);
    tensor_statistics(&tensor, &statistics);
    CHECK(isnan(statistics.max) && isnan(statistics.min) && isnan(statistics.norm));
}

static void metrics_have_names(void)
{
    CHECK_TEXT(str_of(element_metric_text(ELEMENT_COSINE)), "Cosine");
}

int main(void)
{
    CHECK_RUN(a_difference_of_2_is_2_in_every_dtype);
    CHECK_RUN(statistics_are_those_of_the_values_in_every_dtype);
    CHECK_RUN(integers_of_two_widths_are_compared_as_numbers);
    CHECK_RUN(an_integer_beside_a_float_is_counted_in_the_float);
    CHECK_RUN(marks_of_negation_and_conjugation_count);
    CHECK_RUN(doubles_with_nan_and_infinity_are_compared_where_both_are_finite);
    CHECK_RUN(metrics_have_names);
    return CHECK_RESULT;
}
