// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/tensor_metrics.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "compare/tensor/tensor_metrics_ulp.h"

const Kernel *kernel_choose(void)
{
    const Kernel *best = kernel_neon() ? kernel_neon() : kernel_avx2();
    return best ? best : kernel_plain();
}

// Blocks of 1,024 elements fit the first cache; 256 of them are a chunk, the unit that goes to a
// thread. Block sums are added with compensation, chunk results in order: the error of a sum is
// that of about 70 additions however long the tensor is.

enum {
    CHUNK_BLOCKS = 256,
    BATCH_CHUNKS = 64,
    ULP_ALL_ELEMENTS = 262144  // beyond, the distribution of distances comes from a sample
};

#define CHUNK_ELEMENTS ((uint64_t)CHUNK_BLOCKS * BLOCK_ELEMENTS)

// A sum with the part that rounding lost (Neumaier 1974).
typedef struct Sum {
    double sum, lost;
} Sum;

typedef struct Partial {
    Sum nn, bb, nb, dd;
    double max_abs, max_relative;
    uint64_t worst;
    uint64_t thousandth, five_thousandths, golden_zero;
    uint64_t finite, golden_nan, target_nan, golden_inf, target_inf;
    uint64_t mismatch, first_mismatch;
    bool equal;
    UlpCounts ulp;
} Partial;

// Both tensors as they are compared: squeezed, complex ones as parts.
typedef struct Pair {
    Tensor golden, target;
    RelativeRule rule;
    UlpFormat ulp;
    DType ulp_dtype;
    const Kernel *kernel;
    bool own;
    bool floats;      // both dtypes fit float32
    bool comparable;  // equal bytes mean equal values
    uint64_t first_chunk;
    Partial *partials;
} Pair;

static void sum_add(Sum *to, double value)
{
    double total = to->sum + value;
    if (fabs(to->sum) >= fabs(value))
        to->lost += (to->sum - total) + value;
    else
        to->lost += (value - total) + to->sum;
    to->sum = total;
}

static double sum_value(Sum sum)
{
    return isfinite(sum.lost) ? sum.sum + sum.lost : sum.sum;
}

static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

// Finds the largest difference of a block, and where it is first, if it exceeds what is known.
static void find_worst(const Block *block, uint64_t first, Partial *out)
{
    double target[BLOCK_ELEMENTS], golden[BLOCK_ELEMENTS];
    const double *n = doubles_of(block->target, block->target_dtype, block->count, target);
    const double *b = doubles_of(block->golden, block->golden_dtype, block->count, golden);
    for (uint32_t i = 0; i < block->count; i++) {
        double x = block->target_neg != (block->target_conj && i % 2) ? -n[i] : n[i];
        double y = block->golden_neg != (block->golden_conj && i % 2) ? -b[i] : b[i];
        double size = fabs(x - y);
        if (size > out->max_abs && isfinite(x) && isfinite(y)) {
            out->max_abs = size;
            out->worst = first + i;
        }
    }
}

static void add_ulp(const Pair *pair, const Block *block, uint64_t first, const BlockResult *result,
                    UlpCounts *out)
{
    bool whole = block->count == BLOCK_ELEMENTS && result->finite == BLOCK_ELEMENTS;
    if (!pair->own)
        return;
    if (!pair->floats) {
        ulp_add_block(out, block, pair->ulp_dtype);
    } else if (!result->has_ulp) {
        ulp_add_equal(out, result->finite);
    } else if (whole && pair->golden.count > ULP_ALL_ELEMENTS) {
        ulp_add_sample(out, result->ulp, first / BLOCK_ELEMENTS, result->max_ulp);
    } else {
        ulp_add(out, result->ulp, block->count, result->max_ulp);
        ulp_remove_equal(out, block->count - result->finite);
    }
}

static void add_block(const Pair *pair, const Block *block, uint64_t first, BlockResult *result,
                      Partial *out)
{
    sum_add(&out->nn, result->nn);
    sum_add(&out->bb, result->bb);
    sum_add(&out->nb, result->nb);
    sum_add(&out->dd, result->dd);
    out->max_relative = larger(out->max_relative, result->max_relative);
    out->thousandth += result->thousandth;
    out->five_thousandths += result->five_thousandths;
    out->golden_zero += result->golden_zero;
    out->finite += result->finite;
    out->golden_nan += result->golden_nan;
    out->target_nan += result->target_nan;
    out->golden_inf += result->golden_inf;
    out->target_inf += result->target_inf;
    if (result->mismatch && out->mismatch == 0)
        out->first_mismatch = first + result->first_mismatch;
    out->mismatch += result->mismatch;
    out->equal = out->equal && block->equal;
    if (result->max_abs > out->max_abs)
        find_worst(block, first, out);
    add_ulp(pair, block, first, result, &out->ulp);
}

typedef union RawBlock {
    double aligned;
    unsigned char bytes[BLOCK_ELEMENTS * 8];
} RawBlock;

static void compare_block(const Pair *pair, uint64_t first, size_t count, BlockResult *result,
                          Partial *out)
{
    RawBlock golden, target;
    Block block = {.golden = tensor_elements(&pair->golden, first, count, &golden),
                   .target = tensor_elements(&pair->target, first, count, &target),
                   .golden_dtype = pair->golden.dtype,
                   .target_dtype = pair->target.dtype,
                   .golden_neg = pair->golden.neg,
                   .target_neg = pair->target.neg,
                   .golden_conj = pair->golden.conj,
                   .target_conj = pair->target.conj,
                   .count = count,
                   .inf_sign = pair->own,
                   .known_relative = pair->floats ? (float)out->max_relative : 0,
                   .rule = &pair->rule,
                   .ulp = pair->own && pair->floats ? &pair->ulp : NULL};
    block.equal = pair->comparable &&
                  memcmp(block.golden, block.target, count * dtype_size(pair->golden.dtype)) == 0;
    if (pair->floats)
        kernel_float_block(pair->kernel, &block, result);
    else
        kernel_double_block(&block, result);
    add_block(pair, &block, first, result, out);
}

static void compare_chunk(void *context, size_t index)
{
    const Pair *pair = context;
    Partial *out = &pair->partials[index];
    BlockResult result;
    uint64_t first = (pair->first_chunk + index) * CHUNK_ELEMENTS;
    uint64_t end =
        pair->golden.count - first < CHUNK_ELEMENTS ? pair->golden.count : first + CHUNK_ELEMENTS;
    memset(out, 0, sizeof *out);
    out->equal = true;
    out->worst = out->first_mismatch = ELEMENT_NONE;
    for (; first < end; first += BLOCK_ELEMENTS)
        compare_block(pair, first, end - first < BLOCK_ELEMENTS ? end - first : BLOCK_ELEMENTS,
                      &result, out);
}

static void join(Partial *to, const Partial *from)
{
    sum_add(&to->nn, sum_value(from->nn));
    sum_add(&to->bb, sum_value(from->bb));
    sum_add(&to->nb, sum_value(from->nb));
    sum_add(&to->dd, sum_value(from->dd));
    to->max_relative = larger(to->max_relative, from->max_relative);
    to->thousandth += from->thousandth;
    to->five_thousandths += from->five_thousandths;
    to->golden_zero += from->golden_zero;
    to->finite += from->finite;
    to->golden_nan += from->golden_nan;
    to->target_nan += from->target_nan;
    to->golden_inf += from->golden_inf;
    to->target_inf += from->target_inf;
    if (to->mismatch == 0)
        to->first_mismatch = from->first_mismatch;
    to->mismatch += from->mismatch;
    to->equal = to->equal && from->equal;
    if (from->max_abs > to->max_abs) {
        to->max_abs = from->max_abs;
        to->worst = from->worst;
    }
    ulp_join(&to->ulp, &from->ulp);
}

static void compare_all(Pair *pair, int jobs, Partial *out)
{
    uint64_t chunks = (pair->golden.count + CHUNK_ELEMENTS - 1) / CHUNK_ELEMENTS;
    uint64_t batch = chunks < BATCH_CHUNKS ? chunks : BATCH_CHUNKS;
    Arena *arena = arena_new();
    pair->partials = ARENA_ARRAY(arena, Partial, batch);
    memset(out, 0, sizeof *out);
    out->equal = true;
    out->worst = out->first_mismatch = ELEMENT_NONE;
    for (uint64_t done = 0; done < chunks; done += batch) {
        size_t count = (size_t)(chunks - done < batch ? chunks - done : batch);
        pair->first_chunk = done;
        threads_run(count, jobs, compare_chunk, pair);
        for (size_t i = 0; i < count; i++)
            join(out, &pair->partials[i]);
    }
    arena_release(arena);
}

// A complex tensor as real numbers: both parts as a last axis, or the real part alone.
static Tensor parts(const Tensor *tensor, bool both)
{
    Tensor out = *tensor;
    if (dtype_class(tensor->dtype) != CLASS_COMPLEX)
        return out;
    out.dtype = tensor->dtype == DTYPE_C64 ? DTYPE_F32 : DTYPE_F64;
    for (uint32_t axis = 0; axis < out.rank; axis++)
        out.stride[axis] *= 2;
    if (both && out.rank < TENSOR_MAX_RANK) {
        out.shape[out.rank] = 2;
        out.stride[out.rank++] = 1;
        out.count *= 2;
    }
    out.conj = both && tensor->conj;
    tensor_check_contiguous(&out);
    return out;
}

static double own_epsilon(DType dtype)
{
    return dtype == DTYPE_F16 ? 0 : ldexp(1, -52);
}

static RelativeRule relative_rule(const Tensor *golden, const Tensor *target, Rules rules,
                                  bool floats)
{
    if (rules == RULES_VERNIER)
        return (RelativeRule){.own = true};
    if (rules == RULES_MSPROBE26) {
        double epsilon = floats ? ldexp(1, -23) : ldexp(1, -52);
        return (RelativeRule){.golden_epsilon = epsilon, .target_epsilon = epsilon};
    }
    return (RelativeRule){.half = golden->dtype == DTYPE_F16 && target->dtype == DTYPE_F16,
                          .golden_epsilon = own_epsilon(golden->dtype),
                          .target_epsilon = own_epsilon(target->dtype)};
}

static void make_pair(const Tensor *golden, const Tensor *target, Rules rules, Pair *out)
{
    bool own = rules == RULES_VERNIER;
    bool both = own && dtype_class(golden->dtype) == CLASS_COMPLEX &&
                dtype_class(target->dtype) == CLASS_COMPLEX;
    *out = (Pair){.golden = parts(golden, both), .target = parts(target, both), .own = own};
    out->floats = dtype_fits_float(golden->dtype) && dtype_fits_float(target->dtype);
    out->comparable = golden->dtype == target->dtype && golden->neg == target->neg &&
                      golden->conj == target->conj;
    out->rule = relative_rule(golden, target, rules, out->floats);
    out->ulp_dtype = ulp_coarser(out->golden.dtype, out->target.dtype);
    out->ulp = ulp_format(out->ulp_dtype);
    out->kernel = kernel_choose();
}

static void set_cell(TensorMetrics *out, ElementMetric metric, double value)
{
    out->kind[metric] = (uint8_t)(isnan(value) ? ELEMENT_NAN : ELEMENT_NUMBER);
    out->value[metric] = isnan(value) ? 0 : value;
}

static void set_all(TensorMetrics *out, ElementCell kind)
{
    for (int i = 0; i < ELEMENT_METRICS; i++) {
        out->kind[i] = (uint8_t)kind;
        out->value[i] = 0;
    }
}

static double cosine(const TensorMetrics *metrics, double dot)
{
    const double least = ldexp(1, -52);
    bool target_zero = metrics->target_norm <= least, golden_zero = metrics->golden_norm <= least;
    if (metrics->bit_equal || (target_zero && golden_zero))
        return 1;
    if (target_zero || golden_zero)
        return (double)NAN;
    return dot / (metrics->target_norm * metrics->golden_norm);
}

// Under vernier's rules tiny tensors have a direction too.
static double cosine_own(const TensorMetrics *metrics, double dot)
{
    if (metrics->bit_equal || (metrics->target_norm == 0 && metrics->golden_norm == 0))
        return 1;
    if (metrics->target_norm == 0 || metrics->golden_norm == 0)
        return (double)NAN;
    double value = dot / metrics->target_norm / metrics->golden_norm;
    return value > 1 ? 1 : value < -1 ? -1 : value;
}

static void set_norms(const Partial *sums, TensorMetrics *out)
{
    double distance = sqrt(sum_value(sums->dd));
    out->target_norm = sqrt(sum_value(sums->nn));
    out->golden_norm = sqrt(sum_value(sums->bb));
    out->norm_error = distance == 0 ? 0 : distance / out->golden_norm;
    out->snr_db = distance == 0 ? (double)INFINITY : 20 * log10(out->golden_norm / distance);
}

static double element_value(const Tensor *tensor, uint64_t index)
{
    RawBlock raw;
    double value;
    const void *at = tensor_elements(tensor, index, 1, &raw);
    double found = doubles_of(at, tensor->dtype, 1, &value)[0];
    return tensor->neg != (tensor->conj && index % 2 == 1) ? -found : found;
}

static void set_worst(const Pair *pair, const Partial *sums, TensorMetrics *out)
{
    uint64_t parts_each = pair->golden.count / (out->count ? out->count : 1);
    out->worst = sums->worst;
    out->first_mismatch = sums->first_mismatch;
    if (sums->worst != ELEMENT_NONE) {
        out->worst_golden = element_value(&pair->golden, sums->worst);
        out->worst_target = element_value(&pair->target, sums->worst);
        out->worst /= parts_each;
    }
    if (sums->first_mismatch != ELEMENT_NONE)
        out->first_mismatch /= parts_each;
}

static void set_counts(const Pair *pair, const Partial *sums, TensorMetrics *out)
{
    out->finite = sums->finite;
    out->golden_nan = sums->golden_nan;
    out->target_nan = sums->target_nan;
    out->golden_inf = sums->golden_inf;
    out->target_inf = sums->target_inf;
    out->nonfinite_mismatch = sums->mismatch;
    out->golden_zero = sums->golden_zero;
    out->bit_equal = sums->equal && pair->comparable && !out->shape_differs;
    out->ulp_dtype = pair->ulp_dtype;
    out->ulp_max = pair->own && sums->finite ? (double)sums->ulp.largest : (double)NAN;
    out->ulp_p99 = pair->own ? ulp_quantile(&sums->ulp, 0.99) : (double)NAN;
    set_worst(pair, sums, out);
}

static void set_figures(const Pair *pair, const Partial *sums, TensorMetrics *out)
{
    double dot = sum_value(sums->nb), size = (double)pair->golden.count;
    if (pair->own)
        size = (double)(sums->finite + sums->mismatch);
    bool integers = dtype_class(pair->ulp_dtype) != CLASS_FLOAT;
    bool exact = pair->own && integers;  // beyond 2^53 doubles are not
    set_cell(out, ELEMENT_COSINE, pair->own ? cosine_own(out, dot) : cosine(out, dot));
    set_cell(out, ELEMENT_EUCLIDEAN, sqrt(sum_value(sums->dd)));
    set_cell(out, ELEMENT_MAX_ABS, exact ? (double)sums->ulp.largest : sums->max_abs);
    set_cell(out, ELEMENT_MAX_RELATIVE, sums->max_relative);
    set_cell(out, ELEMENT_THOUSANDTH, (double)sums->thousandth / size);
    set_cell(out, ELEMENT_FIVE_THOUSANDTHS, (double)sums->five_thousandths / size);
}

static void compute(const Tensor *golden, const Tensor *target, Rules rules, int jobs,
                    TensorMetrics *out)
{
    Pair pair;
    Partial sums;
    make_pair(golden, target, rules, &pair);
    compare_all(&pair, jobs, &sums);
    set_counts(&pair, &sums, out);
    set_norms(&sums, out);
    if (sums.mismatch)
        out->state = ELEMENTS_NONFINITE;
    if (pair.own ? sums.finite == 0 : sums.mismatch > 0)
        set_all(out, ELEMENT_NA);
    else
        set_figures(&pair, &sums, out);
}

static double round_as(double value, DType dtype)
{
    if (dtype == DTYPE_F64)
        return value;
    return dtype == DTYPE_F16 ? (double)f16_round((float)value) : (double)(float)value;
}

// The dtype in which NumPy subtracts two scalars: that of the finer one, bfloat16 and float8 being
// float32.
static DType scalar_dtype(DType a, DType b)
{
    if (dtype_class(a) != CLASS_FLOAT || dtype_class(b) != CLASS_FLOAT || a == DTYPE_F64 ||
        b == DTYPE_F64)
        return DTYPE_F64;
    return a == DTYPE_F16 && b == DTYPE_F16 ? DTYPE_F16 : DTYPE_F32;
}

// Unsigned integers wrap around.
static double scalar_distance(double n, double b, DType dtype)
{
    double difference = n - b;
    if (dtype_class(dtype) == CLASS_UNSIGNED && difference < 0)
        return difference + ldexp(1, (int)dtype_size(dtype) * 8);
    return fabs(difference);
}

static double scalar_relative(double n, double b, const Pair *pair, Rules rules)
{
    // NumPy 1: a 0-d double or integer next to float32 counts as float32.
    DType dtype =
        rules == RULES_MSPROBE26 ? DTYPE_F32 : scalar_dtype(pair->golden.dtype, pair->target.dtype);
    double golden_epsilon = rules == RULES_MSPROBE26 ? ldexp(1, -23) : pair->rule.golden_epsilon;
    double target_epsilon = rules == RULES_MSPROBE26 ? ldexp(1, -23) : pair->rule.target_epsilon;
    double x = round_as(n + (b == 0 ? target_epsilon : 0), dtype);
    double y = round_as(b + (b == 0 ? golden_epsilon : 0), dtype);
    return fabs(round_as(round_as(x - y, dtype) / y, dtype));
}

static void compute_scalar(const Tensor *golden, const Tensor *target, Rules rules,
                           TensorMetrics *out)
{
    Pair pair;
    Partial sums;
    make_pair(golden, target, rules, &pair);
    compare_all(&pair, 1, &sums);
    set_counts(&pair, &sums, out);
    set_norms(&sums, out);
    double n = element_value(&pair.target, 0), b = element_value(&pair.golden, 0);
    DType dtype = scalar_dtype(golden->dtype, target->dtype);
    if (golden->dtype == target->dtype && dtype_class(golden->dtype) == CLASS_UNSIGNED)
        dtype = golden->dtype;
    out->state = ELEMENTS_SCALAR;
    set_all(out, ELEMENT_UNSUPPORTED);
    double distance = scalar_distance(n, b, dtype);
    set_cell(out, ELEMENT_MAX_ABS,
             dtype_class(dtype) == CLASS_FLOAT ? round_as(distance, dtype) : distance);
    set_cell(out, ELEMENT_MAX_RELATIVE, scalar_relative(n, b, &pair, rules));
}

static void start(const Tensor *golden, const Tensor *target, TensorMetrics *out)
{
    *out = (TensorMetrics){.count = target->count,
                           .dtype_differs = golden->dtype != target->dtype,
                           .shape_differs = !tensor_same_shape(golden, target),
                           .first_mismatch = ELEMENT_NONE,
                           .worst = ELEMENT_NONE,
                           .first_differing = ELEMENT_NONE,
                           .norm_error = (double)NAN,
                           .snr_db = (double)NAN,
                           .ulp_max = (double)NAN,
                           .ulp_p99 = (double)NAN};
}

static void set_state(TensorMetrics *out, ElementState state, ElementCell kind)
{
    out->state = state;
    set_all(out, kind);
}

// The older generation compares shapes as they are.
static void compare_msprobe8(const Tensor *golden, const Tensor *target, int jobs,
                             TensorMetrics *out)
{
    if (target->rank == 0 && golden->rank == 0) {
        compute_scalar(golden, target, RULES_MSPROBE8, out);
        return;
    }
    if (out->shape_differs) {
        set_state(out, ELEMENTS_SHAPE, ELEMENT_SHAPE_DIFFERS);
        return;
    }
    compute(golden, target, RULES_MSPROBE8, jobs, out);
    if (target->count == 1 && out->state == ELEMENTS_COMPUTED)
        out->kind[ELEMENT_COSINE] = ELEMENT_UNSUPPORTED;
}

// As doubles: beyond 2^53 neighbours may count as equal where the dtypes differ; of one dtype the
// bytes decide.
static bool elements_differ(const Tensor *b, const void *golden, const Tensor *n,
                            const void *target, size_t at, double values[2])
{
    size_t size = dtype_size(b->dtype);
    const unsigned char *one = (const unsigned char *)golden + at * size;
    const unsigned char *two = (const unsigned char *)target + at * dtype_size(n->dtype);
    if (b->dtype == n->dtype && memcmp(one, two, size) == 0)
        return false;
    values[0] = *doubles_of(one, b->dtype, 1, &values[0]);
    values[1] = *doubles_of(two, n->dtype, 1, &values[1]);
    return b->dtype == n->dtype || values[0] != values[1];
}

static void count_differing(const Tensor *b, const Tensor *n, TensorMetrics *out)
{
    double golden_buffer[BLOCK_ELEMENTS], target_buffer[BLOCK_ELEMENTS], values[2];
    for (uint64_t first = 0; first < b->count; first += BLOCK_ELEMENTS) {
        uint64_t left = b->count - first;
        size_t count = left < BLOCK_ELEMENTS ? (size_t)left : BLOCK_ELEMENTS;
        const void *golden = tensor_elements(b, first, count, golden_buffer);
        const void *target = tensor_elements(n, first, count, target_buffer);
        for (size_t i = 0; i < count; i++) {
            if (!elements_differ(b, golden, n, target, i, values))
                continue;
            if (out->differing++ == 0) {
                out->first_differing = first + i;
                out->first_golden = values[0];
                out->first_target = values[1];
            }
        }
    }
}

void tensor_metrics(const Tensor *golden, const Tensor *target, Rules rules, int jobs,
                    TensorMetrics *out)
{
    start(golden, target, out);
    Tensor b = tensor_squeeze(golden), n = tensor_squeeze(target);
    bool same = tensor_same_shape(&b, &n);
    if (target->count == 0) {
        set_state(out, ELEMENTS_EMPTY, ELEMENT_UNSUPPORTED);
        out->bit_equal = same && !out->dtype_differs && !out->shape_differs;
    } else if (rules == RULES_MSPROBE8) {
        compare_msprobe8(golden, target, jobs, out);
    } else if (!same) {
        set_state(out, ELEMENTS_SHAPE, ELEMENT_SHAPE_DIFFERS);
    } else if (rules == RULES_MSPROBE26 && n.rank == 0) {
        compute_scalar(&b, &n, rules, out);
    } else {
        compute(&b, &n, rules, jobs, out);
        if (rules == RULES_VERNIER && !out->bit_equal && dtype_is_whole(b.dtype) &&
            dtype_is_whole(n.dtype))
            count_differing(&b, &n, out);
    }
}

void tensor_metrics_missing(ElementState state, TensorMetrics *out)
{
    Tensor none = {0};
    start(&none, &none, out);
    set_state(out, state, ELEMENT_UNSUPPORTED);
}

const char *element_metric_text(ElementMetric metric)
{
    static const char *const texts[ELEMENT_METRICS] = {"Cosine",
                                                       "EucDist",
                                                       "MaxAbsErr",
                                                       "MaxRelativeErr",
                                                       "One Thousandth Err Ratio",
                                                       "Five Thousandths Err Ratio"};
    return texts[metric];
}
