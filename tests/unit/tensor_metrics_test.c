// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/tensor_metrics.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "check.h"
#include "compare/tensor/tensor_metrics_kernel.h"
#include "compare/tensor/tensor_metrics_ulp.h"
#include "read/table/csv_file.h"
#include "read/tensor/tensor_file.h"

#define NO ((double)NAN)  // in a table of wanted cells: see the state

static Tensor vector(DType dtype, const void *data, uint64_t count)
{
    Tensor out = {.data = data};
    CHECK(tensor_set_shape(&out, dtype, 1, &count));
    return out;
}

static Tensor scalar(DType dtype, const void *data)
{
    Tensor out = {.data = data};
    CHECK(tensor_set_shape(&out, dtype, 0, NULL));
    return out;
}

static bool close_to(double got, double want)
{
    return got == want || fabs(got - want) <= 6e-13 || fabs(got - want) <= 1e-11 * fabs(want);
}

// Cosine as the table shows it: above 0.9999 with 6 decimals.
static double shown(const TensorMetrics *got, int metric)
{
    double value = got->value[metric];
    return metric == ELEMENT_COSINE && value > 0.9999 ? round(value * 1e6) / 1e6 : value;
}

static void check_cells(const TensorMetrics *got, const double want[ELEMENT_METRICS], int line)
{
    for (int i = 0; i < ELEMENT_METRICS; i++) {
        bool nan_wanted = isnan(want[i]);
        if (nan_wanted ? got->kind[i] != ELEMENT_NAN
                       : got->kind[i] != ELEMENT_NUMBER || !close_to(shown(got, i), want[i])) {
            fprintf(stderr, "line %d: %s: kind %d, %.17g, want %.17g\n", line,
                    element_metric_text((ElementMetric)i), got->kind[i], got->value[i], want[i]);
            check_failures++;
        }
    }
}

#define CELLS(...) check_cells(&got, (const double[ELEMENT_METRICS]){__VA_ARGS__}, __LINE__)

static TensorMetrics compare(Tensor target, Tensor golden, Rules rules)
{
    TensorMetrics out;
    tensor_metrics(&golden, &target, rules, 1, &out);
    return out;
}

static bool all_cells(const TensorMetrics *got, ElementCell kind)
{
    for (int i = 0; i < ELEMENT_METRICS; i++)
        if (got->kind[i] != kind)
            return false;
    return true;
}

// Worked examples of msProbe's tensor mode (docs/metrics.md), both generations.
static void float32_examples_give_msprobes_cells(void)
{
    const float b[] = {1, 2, 3, 4}, n1[] = {1.0001f, 2.003f, 3.02f, 4}, n2[] = {-1, 2, -3, 4};
    const float n3[] = {2, 3, 4, 5};
    for (Rules rules = RULES_MSPROBE26; rules <= RULES_MSPROBE8; rules++) {
        TensorMetrics got = compare(vector(DTYPE_F32, n1, 4), vector(DTYPE_F32, b, 4), rules);
        CELLS(0.999996, 0.02022397998084014, 0.019999980927, 0.006666660309, 0.5, 0.75);
        got = compare(vector(DTYPE_F32, n2, 4), vector(DTYPE_F32, b, 4), rules);
        CELLS(0.333333333333, 6.324555320336759, 6, 2, 0.5, 0.5);
        got = compare(vector(DTYPE_F32, n3, 4), vector(DTYPE_F32, b, 4), rules);
        CELLS(0.99380799, 2, 1, 1, 0, 0);
        CHECK(got.state == ELEMENTS_COMPUTED && !got.bit_equal);
    }
}

static void zeros_get_the_epsilon_of_the_generation(void)
{
    const uint16_t n16[] = {0x3c01, 0x4005, 0x3800}, b16[] = {0x3c00, 0x4000, 0};
    TensorMetrics got =
        compare(vector(DTYPE_F16, n16, 3), vector(DTYPE_F16, b16, 3), RULES_MSPROBE26);
    CELLS(0.976088441359, 0.5000963118299885, 0.5, 4194304, 0.333333333333, 0.666666666667);
    got = compare(vector(DTYPE_F16, n16, 3), vector(DTYPE_F16, b16, 3), RULES_MSPROBE8);
    CHECK(isinf(got.value[ELEMENT_MAX_RELATIVE]));
    got = compare(vector(DTYPE_F16, b16, 3), vector(DTYPE_F16, b16, 3), RULES_MSPROBE8);
    CELLS(1, 0, 0, NO, 0.666666666667, 0.666666666667);
    const float tiny[] = {0, 0, 1e-8f}, zero[] = {0, 0, 0};
    got = compare(vector(DTYPE_F32, tiny, 3), vector(DTYPE_F32, zero, 3), RULES_MSPROBE26);
    CELLS(NO, 9.99999993922529e-09, 9.99999993922529e-09, 0.083886027336, 0.666666666667,
          0.666666666667);
    got = compare(vector(DTYPE_F32, tiny, 3), vector(DTYPE_F32, zero, 3), RULES_MSPROBE8);
    CHECK(fabs(got.value[ELEMENT_MAX_RELATIVE] - 45035996) < 4);
    const float n[] = {0, 1, 2}, b[] = {0, 0, 2};
    got = compare(vector(DTYPE_F32, n, 3), vector(DTYPE_F32, b, 3), RULES_MSPROBE26);
    CELLS(0.894427191, 1, 1, 8388608, 0.666666666667, 0.666666666667);
    got = compare(vector(DTYPE_F32, n, 3), vector(DTYPE_F32, b, 3), RULES_MSPROBE8);
    CHECK(got.value[ELEMENT_MAX_RELATIVE] == 4503599627370496);
}

static void an_all_zero_target_has_no_cosine(void)
{
    const float zero[] = {0, 0}, one[] = {1, 1};
    TensorMetrics got =
        compare(vector(DTYPE_F32, zero, 2), vector(DTYPE_F32, one, 2), RULES_MSPROBE26);
    CELLS(NO, 1.4142135623730951, 1, 1, 0, 0);
}

static void integers_are_compared_as_doubles(void)
{
    const int64_t n[] = {1, 0, 5}, b[] = {1, 2, 0};
    for (Rules rules = RULES_MSPROBE26; rules <= RULES_MSPROBE8; rules++) {
        TensorMetrics got = compare(vector(DTYPE_I64, n, 3), vector(DTYPE_I64, b, 3), rules);
        CELLS(0.087705801931, 5.385164807134504, 5, 2.251799813685248e16, 0.333333333333,
              0.333333333333);
    }
}

static void infinities_at_one_place_are_equal_to_msprobe_whatever_their_sign(void)
{
    const float inf = INFINITY, plus[] = {1, inf, 3}, minus[] = {1, -inf, 3};
    TensorMetrics got =
        compare(vector(DTYPE_F32, plus, 3), vector(DTYPE_F32, plus, 3), RULES_MSPROBE26);
    CELLS(1, 0, 0, 0, 1, 1);
    got = compare(vector(DTYPE_F32, plus, 3), vector(DTYPE_F32, minus, 3), RULES_MSPROBE26);
    CELLS(1, 0, 0, 0, 1, 1);
    got = compare(vector(DTYPE_F32, plus, 3), vector(DTYPE_F32, minus, 3), RULES_VERNIER);
    CHECK(got.state == ELEMENTS_NONFINITE && got.nonfinite_mismatch == 1);
    CHECK(got.first_mismatch == 1 && got.finite == 2);
    CHECK(close_to(got.value[ELEMENT_THOUSANDTH], 2.0 / 3));
}

static void a_nan_on_one_side_leaves_no_metric_to_msprobe(void)
{
    const float n[] = {1, 2, 3}, b[] = {1, NAN, 3};
    TensorMetrics got = compare(vector(DTYPE_F32, n, 3), vector(DTYPE_F32, b, 3), RULES_MSPROBE26);
    CHECK(got.state == ELEMENTS_NONFINITE && all_cells(&got, ELEMENT_NA));
    CHECK(got.golden_nan == 1 && got.target_nan == 0);
    got = compare(vector(DTYPE_F32, n, 3), vector(DTYPE_F32, b, 3), RULES_VERNIER);
    CHECK(got.kind[ELEMENT_COSINE] == ELEMENT_NUMBER && got.first_mismatch == 1);
}

static void equal_nans_do_not_count_as_close(void)
{
    const float n[] = {1.5f, NAN, 3, NAN}, b[] = {1, NAN, 3, NAN};
    TensorMetrics got = compare(vector(DTYPE_F32, n, 4), vector(DTYPE_F32, b, 4), RULES_VERNIER);
    CHECK(got.state == ELEMENTS_COMPUTED && got.finite == 2 && got.nonfinite_mismatch == 0);
    CHECK(got.value[ELEMENT_THOUSANDTH] == 0.5);
    CHECK(got.ulp_p99 == 4194304);
    got = compare(vector(DTYPE_F32, n, 4), vector(DTYPE_F32, b, 4), RULES_MSPROBE26);
    CHECK(got.value[ELEMENT_THOUSANDTH] == 0.75);
}

static void scalars_have_two_metrics_to_msprobe_and_all_to_vernier(void)
{
    const float n = 1.5f, b = 1;
    for (Rules rules = RULES_MSPROBE26; rules <= RULES_MSPROBE8; rules++) {
        TensorMetrics got = compare(scalar(DTYPE_F32, &n), scalar(DTYPE_F32, &b), rules);
        CHECK(got.state == ELEMENTS_SCALAR && got.kind[ELEMENT_COSINE] == ELEMENT_UNSUPPORTED);
        CHECK(got.value[ELEMENT_MAX_ABS] == 0.5 && got.value[ELEMENT_MAX_RELATIVE] == 0.5);
        CHECK(got.kind[ELEMENT_THOUSANDTH] == ELEMENT_UNSUPPORTED);
    }
    TensorMetrics got =
        compare(vector(DTYPE_F32, &n, 1), vector(DTYPE_F32, &b, 1), RULES_MSPROBE26);
    CHECK(got.state == ELEMENTS_SCALAR && got.kind[ELEMENT_EUCLIDEAN] == ELEMENT_UNSUPPORTED);
    got = compare(vector(DTYPE_F32, &n, 1), vector(DTYPE_F32, &b, 1), RULES_MSPROBE8);
    CHECK(got.kind[ELEMENT_COSINE] == ELEMENT_UNSUPPORTED && got.value[ELEMENT_EUCLIDEAN] == 0.5);
    CHECK(got.value[ELEMENT_THOUSANDTH] == 0 && got.value[ELEMENT_MAX_ABS] == 0.5);
    got = compare(scalar(DTYPE_F32, &n), scalar(DTYPE_F32, &b), RULES_VERNIER);
    CELLS(1, 0.5, 0.5, 0.5, 0, 0);
    const uint8_t three = 3, five = 5;
    got = compare(scalar(DTYPE_U8, &three), scalar(DTYPE_U8, &five), RULES_MSPROBE26);
    CHECK(got.value[ELEMENT_MAX_ABS] == 254);
    got = compare(scalar(DTYPE_U8, &three), scalar(DTYPE_U8, &five), RULES_VERNIER);
    CHECK(got.value[ELEMENT_MAX_ABS] == 2);
}

static void empty_and_missing_tensors_are_unsupported(void)
{
    const float any = 0;
    TensorMetrics got =
        compare(vector(DTYPE_F32, &any, 0), vector(DTYPE_F32, &any, 0), RULES_MSPROBE26);
    CHECK(got.state == ELEMENTS_EMPTY && all_cells(&got, ELEMENT_UNSUPPORTED));
    tensor_metrics_missing(ELEMENTS_UNREADABLE, &got);
    CHECK(got.state == ELEMENTS_UNREADABLE && all_cells(&got, ELEMENT_UNSUPPORTED));
}

static void axes_of_size_one_are_dropped_before_shapes_are_compared(void)
{
    const float ones[] = {1, 1, 1, 1, 1, 1};
    Tensor n = {.data = (const unsigned char *)ones}, b = n;
    CHECK(tensor_set_shape(&n, DTYPE_F32, 3, (const uint64_t[]){2, 1, 3}));
    CHECK(tensor_set_shape(&b, DTYPE_F32, 2, (const uint64_t[]){2, 3}));
    TensorMetrics got = compare(n, b, RULES_MSPROBE26);
    CELLS(1, 0, 0, 0, 1, 1);
    CHECK(got.shape_differs && !got.bit_equal);
    got = compare(n, b, RULES_MSPROBE8);
    CHECK(got.state == ELEMENTS_SHAPE && all_cells(&got, ELEMENT_SHAPE_DIFFERS));
    got = compare(n, vector(DTYPE_F32, ones, 6), RULES_VERNIER);
    CHECK(got.state == ELEMENTS_SHAPE && all_cells(&got, ELEMENT_SHAPE_DIFFERS));
}

// The graph examples: x = [1,2,3,4], y = [2,4,6,8].
static void graph_examples_give_their_cosines(void)
{
    const float y[] = {2, 4, 6, 8}, a[] = {2, 4, 6, 2}, c[] = {2, 4, 6, 9.6f};
    const float d[] = {1.01f * 2, 1.01f * 4, 1.01f * 6, 1.01f * 8};
    TensorMetrics got = compare(vector(DTYPE_F32, a, 4), vector(DTYPE_F32, y, 4), RULES_MSPROBE26);
    CHECK(close_to(got.value[ELEMENT_COSINE], 0.848528137424));
    CHECK(got.value[ELEMENT_MAX_RELATIVE] == 0.75 && got.value[ELEMENT_THOUSANDTH] == 0.75);
    got = compare(vector(DTYPE_F32, c, 4), vector(DTYPE_F32, y, 4), RULES_MSPROBE26);
    CHECK(close_to(got.value[ELEMENT_COSINE], 0.99596016066));
    CHECK(close_to(got.value[ELEMENT_MAX_RELATIVE], 0.200000047684));
    got = compare(vector(DTYPE_F32, d, 4), vector(DTYPE_F32, y, 4), RULES_MSPROBE26);
    CHECK(close_to(got.value[ELEMENT_MAX_RELATIVE], 0.009999990463));
    CHECK(got.value[ELEMENT_THOUSANDTH] == 0);
}

static void vernier_measures_zero_golden_elements_without_an_epsilon(void)
{
    const float n[] = {0, 1e-8f, 2.002f}, b[] = {0, 0, 2};
    TensorMetrics got = compare(vector(DTYPE_F32, n, 3), vector(DTYPE_F32, b, 3), RULES_VERNIER);
    CHECK(close_to(got.value[ELEMENT_MAX_RELATIVE], (double)((2.002f - 2.0f) / 2.0f)));
    CHECK(got.golden_zero == 1 && got.worst == 2 && got.worst_golden == 2);
    CHECK(close_to(got.value[ELEMENT_FIVE_THOUSANDTHS], 2.0 / 3));
    CHECK(fabs(got.norm_error - 1e-3) < 1e-6 && fabs(got.snr_db - 60) < 0.01);
}

static void ulp_distances_are_counted_in_the_coarser_dtype(void)
{
    const float b[] = {1, 2, -1, 0}, n[] = {nextafterf(1, 2), 2, nextafterf(-1, 0), 1e-45f};
    TensorMetrics got = compare(vector(DTYPE_F32, n, 4), vector(DTYPE_F32, b, 4), RULES_VERNIER);
    CHECK(got.ulp_max == 1 && got.ulp_p99 == 1 && got.ulp_dtype == DTYPE_F32);
    const uint16_t bf[] = {0x3f80, 0x4001, 0xbf80, 0x8000};  // 1, 2.015625, -1, -0
    got = compare(vector(DTYPE_BF16, bf, 4), vector(DTYPE_F32, b, 4), RULES_VERNIER);
    CHECK(got.ulp_max == 1 && got.ulp_dtype == DTYPE_BF16);
    const uint16_t h[] = {0x3c00, 0x4000, 0xbc00, 0x0003};  // the last: 3 * 2^-24
    got = compare(vector(DTYPE_F16, h, 4), vector(DTYPE_F32, b, 4), RULES_VERNIER);
    CHECK(got.ulp_max == 3 && got.ulp_dtype == DTYPE_F16);
    const double d[] = {1, 2, -1, -5e-324}, e[] = {1, 2, -1, 5e-324};
    got = compare(vector(DTYPE_F64, d, 4), vector(DTYPE_F64, e, 4), RULES_VERNIER);
    CHECK(got.ulp_max == 2);
}

static void large_integers_are_compared_exactly(void)
{
    const int64_t n[] = {INT64_MAX, 5}, b[] = {INT64_MAX - 1, 5};
    TensorMetrics got = compare(vector(DTYPE_I64, n, 2), vector(DTYPE_I64, b, 2), RULES_VERNIER);
    CHECK(got.value[ELEMENT_MAX_ABS] == 1 && !got.bit_equal);
}

static void imaginary_parts_count(void)
{
    const float n[] = {1, 2, 3, 4}, b[] = {1, 2, 3, 5};
    Tensor target = vector(DTYPE_C64, n, 2), golden = vector(DTYPE_C64, b, 2);
    TensorMetrics got = compare(target, golden, RULES_VERNIER);
    CHECK(got.value[ELEMENT_MAX_ABS] == 1 && got.worst == 1 && got.worst_golden == 5);
    got = compare(target, golden, RULES_MSPROBE26);
    CELLS(1, 0, 0, 0, 1, 1);
    target.conj = true;
    got = compare(target, golden, RULES_VERNIER);
    CHECK(got.value[ELEMENT_MAX_ABS] == 9 && got.worst_target == -4);
}

static void strides_and_byte_order_do_not_change_the_result(void)
{
    const float rows[] = {1, 2, 3, 4, 5, 6}, columns[] = {1, 4, 2, 5, 3, 6};
    Tensor b = {.data = (const unsigned char *)rows}, n = {.data = (const unsigned char *)columns};
    CHECK(tensor_set_shape(&b, DTYPE_F32, 2, (const uint64_t[]){2, 3}));
    CHECK(tensor_set_shape(&n, DTYPE_F32, 2, (const uint64_t[]){2, 3}));
    n.stride[0] = 1;
    n.stride[1] = 2;
    tensor_check_contiguous(&n);
    TensorMetrics got = compare(n, b, RULES_VERNIER);
    CHECK(!n.contiguous && got.bit_equal);
    const unsigned char big[] = {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0};
    Tensor swapped = vector(DTYPE_F32, big, 2);
    swapped.big_endian = true;
    got = compare(swapped, vector(DTYPE_F32, rows, 2), RULES_VERNIER);
    CHECK(got.bit_equal);
}

// A little generator, so that the test needs no file.
static float next_value(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)((double)(*state >> 40) / 8388608.0 - 1);
}

enum { MANY = 700001 };

static void the_number_of_threads_does_not_change_a_bit(void)
{
    float *n = malloc(MANY * sizeof *n), *b = malloc(MANY * sizeof *b);
    uint64_t state = 7;
    for (size_t i = 0; i < MANY; i++) {
        b[i] = next_value(&state);
        n[i] = b[i] * (1 + 1e-3f * next_value(&state));
    }
    Tensor target = vector(DTYPE_F32, n, MANY), golden = vector(DTYPE_F32, b, MANY);
    TensorMetrics one, many;
    tensor_metrics(&golden, &target, RULES_VERNIER, 1, &one);
    for (int jobs = 2; jobs <= 64; jobs *= 3) {
        tensor_metrics(&golden, &target, RULES_VERNIER, jobs, &many);
        CHECK(memcmp(&one.value, &many.value, sizeof one.value) == 0);
        CHECK(one.worst == many.worst && one.ulp_p99 == many.ulp_p99);
    }
    long double sum = 0;
    for (size_t i = 0; i < MANY; i++)
        sum += (long double)b[i] * (long double)b[i];
    CHECK(fabsl(sqrtl(sum) - (long double)one.golden_norm) < 2e-14L * sqrtl(sum));
    free(n);
    free(b);
}

static void check_kernels_agree(DType dtype, const void *golden, const void *target, size_t count)
{
    static BlockResult one, two;
    RelativeRule rule = {.own = true};
    UlpFormat format = ulp_format(dtype);
    Block block = {.golden = golden,
                   .target = target,
                   .golden_dtype = dtype,
                   .target_dtype = dtype,
                   .count = count,
                   .rule = &rule,
                   .ulp = &format};
    memset(&one, 0, sizeof one);
    memset(&two, 0, sizeof two);
    kernel_float_block(kernel_plain(), &block, &one);
    kernel_float_block(kernel_choose(), &block, &two);
    CHECK(memcmp(&one, &two, sizeof one) == 0);
}

// Odd: both zeros; wild: any bits, NaN and Inf among them.
static void every_instruction_set_gives_the_same_bits(void)
{
    static float n[BLOCK_ELEMENTS], b[BLOCK_ELEMENTS];
    static uint16_t x[BLOCK_ELEMENTS], y[BLOCK_ELEMENTS];
    uint64_t state = 3;
    for (int wild = 0; wild < 3; wild++) {
        for (size_t i = 0; i < BLOCK_ELEMENTS; i++) {
            n[i] = next_value(&state);
            b[i] = wild && i % 7 == 0 ? 0 : next_value(&state);
            x[i] = (uint16_t)(state >> 40 & (wild > 1 ? 0xffff : 0xbbff));
            y[i] = (uint16_t)(state >> 20 & (wild > 1 ? 0xffff : 0xbbff));
            y[i] |= wild ? 0 : 1;
        }
        n[14] = wild ? 0 : n[14];
        n[21] = wild > 1 ? NAN : n[21];
        for (size_t count = 1; count <= BLOCK_ELEMENTS; count += 31) {
            check_kernels_agree(DTYPE_F32, b, n, count);
            check_kernels_agree(DTYPE_BF16, x, y, count);
            check_kernels_agree(DTYPE_F16, x, y, count);
        }
    }
}

static void small_floats_have_their_values(void)
{
    CHECK(f16_value(0x0001) == ldexpf(1, -24) && f16_value(0x03ff) == 1023 * ldexpf(1, -24));
    CHECK(f16_value(0x7bff) == 65504 && isinf(f16_value(0xfc00)) && isnan(f16_value(0x7e00)));
    CHECK(e4m3fn_value(0x7e) == 448 && isnan(e4m3fn_value(0xff)) &&
          e4m3fn_value(1) == 0.001953125f);
    CHECK(e5m2_value(0x7b) == 57344 && isinf(e5m2_value(0x7c)) && e5m2_value(1) == ldexpf(1, -16));
    CHECK(e8m0_value(127) == 1 && e8m0_value(0) == ldexpf(1, -127) && isnan(e8m0_value(255)));
    for (uint32_t bits = 0; bits < 0x7c00; bits++)
        CHECK(f16_round(f16_value((uint16_t)bits)) == f16_value((uint16_t)bits));
    CHECK(f16_round(65520) == INFINITY && f16_round(65519) == 65504 && f16_round(1e-9f) == 0);
}

static bool name_in_list(Str list, int which, Str *out)
{
    size_t at = 0, from = 0;
    for (int quote = 0; quote < 2 * which + 2; quote++) {
        from = at;
        at = str_find_char(list, '\'', at);
        if (at++ == SIZE_MAX)
            return false;
    }
    *out = str_slice(list, from, at - 1);
    return true;
}

static bool open_side(const char *folder, Str list, int which, Arena *arena, TensorFile *out)
{
    Str name;
    Error err;
    Notices notices;
    notices_init(&notices, arena);
    if (!name_in_list(list, which, &name) || !str_ends(name, STR(".pt")))
        return false;
    bool good = tensor_open(path_join(arena, folder, name), out, &notices, &err);
    if (!good)
        fprintf(stderr, "%s: %s\n", err.file, err.text);
    CHECK(good);
    return good;
}

static void check_cell(Str want, const TensorMetrics *got, int metric)
{
    static const char *const words[] = {[ELEMENT_NAN] = "Nan",
                                        [ELEMENT_UNSUPPORTED] = "unsupported",
                                        [ELEMENT_SHAPE_DIFFERS] = "shape unmatched",
                                        [ELEMENT_NA] = "N/A"};
    double number;
    char buffer[128];
    bool good = number_of_text(want, &number) && !isnan(number)
                    ? got->kind[metric] == ELEMENT_NUMBER && close_to(shown(got, metric), number)
                    : got->kind[metric] != ELEMENT_NUMBER &&
                          str_equal(want, str_of(words[got->kind[metric]]));
    snprintf(buffer, sizeof buffer, "%s: kind %d, %.17g",
             element_metric_text((ElementMetric)metric), got->kind[metric], got->value[metric]);
    if (!good) {
        fprintf(stderr, "want " STR_FMT ", got %s\n", STR_ARG(want), buffer);
        check_failures++;
    }
}

static size_t check_report(const char *root, const char *target)
{
    Arena *arena = arena_new();
    File file;
    Error err;
    Csv csv;
    size_t checked = 0;
    const char *report =
        str_cstr(arena, str_printf(arena, "%s/reference/compare/%s.csv", root, target));
    const char *folder[2] = {
        str_cstr(arena, str_printf(arena, "%s/%s/step0/rank/dump_tensor_data", root, target)),
        str_cstr(arena, str_printf(arena, "%s/bench/step0/rank/dump_tensor_data", root))};
    if (file_kind(folder[0]) != FILE_FOLDER)
        for (int i = 0; i < 2; i++)
            folder[i] = str_cstr(
                arena, str_replace(arena, str_of(folder[i]), STR("/rank/"), STR("/rank0/")));
    if (!file_open(report, &file, &err)) {
        arena_release(arena);
        return 0;
    }
    csv_open(&csv, report, file.text, ',', arena);
    if (csv_next(&csv))
        csv_take_header(&csv);
    while (csv_next(&csv)) {
        Str list = csv_cell(&csv, csv_column(&csv, "Data_name"));
        TensorFile n, b;
        if (!open_side(folder[0], list, 0, arena, &n))
            continue;
        if (open_side(folder[1], list, 1, arena, &b)) {
            TensorMetrics got;
            tensor_metrics(&b.tensor, &n.tensor, RULES_MSPROBE26, 1, &got);
            for (int i = 0; i < ELEMENT_METRICS; i++)
                check_cell(csv_cell(&csv, csv_column(&csv, element_metric_text((ElementMetric)i))),
                           &got, i);
            tensor_close(&b);
            checked++;
        }
        tensor_close(&n);
    }
    file_close(&file);
    arena_release(arena);
    return checked;
}

static void msprobes_reports_are_met_cell_by_cell(void)
{
    static const char *const cases[][2] = {
        {"mlp-mix-tensor", "target_linear_bf16"},
        {"mlp-mix-tensor", "target_nan"},
        {"cnn-mix-tensor", "target_bn_eps"},
        {"cnn-mix-tensor", "target_noise"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char root[512];
        snprintf(root, sizeof root, "%s/data/dumps/%s", SHARED_DIR, cases[i][0]);
        if (file_kind(root) != FILE_FOLDER)
            CHECK_SKIP("the sample set");
        CHECK(check_report(root, cases[i][1]) > 30);
    }
}

int main(void)
{
    CHECK_RUN(float32_examples_give_msprobes_cells);
    CHECK_RUN(zeros_get_the_epsilon_of_the_generation);
    CHECK_RUN(an_all_zero_target_has_no_cosine);
    CHECK_RUN(integers_are_compared_as_doubles);
    CHECK_RUN(infinities_at_one_place_are_equal_to_msprobe_whatever_their_sign);
    CHECK_RUN(a_nan_on_one_side_leaves_no_metric_to_msprobe);
    CHECK_RUN(equal_nans_do_not_count_as_close);
    CHECK_RUN(scalars_have_two_metrics_to_msprobe_and_all_to_vernier);
    CHECK_RUN(empty_and_missing_tensors_are_unsupported);
    CHECK_RUN(axes_of_size_one_are_dropped_before_shapes_are_compared);
    CHECK_RUN(graph_examples_give_their_cosines);
    CHECK_RUN(vernier_measures_zero_golden_elements_without_an_epsilon);
    CHECK_RUN(ulp_distances_are_counted_in_the_coarser_dtype);
    CHECK_RUN(large_integers_are_compared_exactly);
    CHECK_RUN(imaginary_parts_count);
    CHECK_RUN(strides_and_byte_order_do_not_change_the_result);
    CHECK_RUN(the_number_of_threads_does_not_change_a_bit);
    CHECK_RUN(every_instruction_set_gives_the_same_bits);
    CHECK_RUN(small_floats_have_their_values);
    CHECK_RUN_SHARED(msprobes_reports_are_met_cell_by_cell);
    return CHECK_RESULT;
}
