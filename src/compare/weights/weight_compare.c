// SPDX-License-Identifier: Apache-2.0
#include "compare/weights/weight_compare.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "compare/weights/weight_order.h"

// Above so many elements a pair is shared between threads, below pairs are.
enum { LARGE_COUNT = 1 << 24 };

typedef struct Work {
    WeightComparison *out;
    Arena **arenas;
    Notices *notices;
    int jobs;
    bool large;  // which pairs are taken
} Work;

static bool equal_bytes(const Tensor *a, const Tensor *b)
{
    return a->contiguous && b->contiguous && a->dtype == b->dtype && tensor_same_shape(a, b) &&
           a->big_endian == b->big_endian && a->conj == b->conj && a->neg == b->neg &&
           (a->count == 0 || memcmp(a->data, b->data, a->count * dtype_size(a->dtype)) == 0);
}

static void set_equal(const Tensor *tensor, TensorMetrics *out)
{
    tensor_metrics_missing(ELEMENTS_COMPUTED, out);
    out->bit_equal = true;
    out->count = out->finite = tensor->count;
    out->norm_error = out->ulp_max = out->ulp_p99 = 0;
    out->kind[ELEMENT_COSINE] = out->kind[ELEMENT_MAX_ABS] = ELEMENT_NUMBER;
    out->value[ELEMENT_COSINE] = 1;
    out->value[ELEMENT_MAX_ABS] = 0;
}

static bool all_zero(const unsigned char *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

// What is in the rows from `rows` on.
static PaddingKind padding_of(const Tensor *whole, uint64_t rows)
{
    enum { CHUNK = 512 };
    double first_buffer[2 * CHUNK], buffer[2 * CHUNK];
    uint64_t row = whole->count / whole->shape[0];
    bool zero = true, equal = true;
    for (uint64_t at = 0; at < row; at += CHUNK) {
        size_t count = row - at < CHUNK ? (size_t)(row - at) : CHUNK;
        size_t size = count * dtype_size(whole->dtype);
        const void *first = tensor_elements(whole, rows * row + at, count, first_buffer);
        zero = zero && all_zero(first, size);
        for (uint64_t i = rows + 1; i < whole->shape[0] && equal; i++)
            equal = memcmp(tensor_elements(whole, i * row + at, count, buffer), first, size) == 0;
    }
    return !equal ? PADDING_VALUES : zero ? PADDING_ZERO : PADDING_EQUAL_ROWS;
}

static bool square(const Tensor *tensor)
{
    return tensor->rank == 2 && tensor->shape[0] == tensor->shape[1];
}

// A square weight of one name may lie transposed: only its values tell.
static bool fits_transposed(const WeightResult *result, const Tensor *golden, const Tensor *target)
{
    if (result->pair.forms || !square(golden) || !(result->metrics.norm_error > WEIGHT_NEAR))
        return false;
    WeightSpan span = {.transposed = true, .groups = 1, .rows = target->shape[0]};
    Tensor turned = weight_view(target, &span);
    return weight_distance(golden, &turned, WEIGHT_SAMPLES) < WEIGHT_NEAR;
}

static Status status_of(const TensorMetrics *metrics)
{
    if (metrics->bit_equal)
        return STATUS_SAME;
    // Integers have no rounding, and beyond 2^53 their sums do not tell that they differ.
    bool equal = metrics->state == ELEMENTS_COMPUTED && metrics->differing == 0;
    if (equal && metrics->dtype_differs && !(metrics->ulp_max > 1))
        return STATUS_PASS;
    return equal && metrics->worst == ELEMENT_NONE ? STATUS_PASS : STATUS_ERROR;
}

static double norm_relative(const TensorMetrics *metrics)
{
    double golden = metrics->golden_norm, target = metrics->target_norm;
    if (metrics->bit_equal || !isfinite(golden))
        return metrics->bit_equal ? 0 : (double)NAN;
    return target == golden ? 0 : fabs(target - golden) / golden;
}

static void measure(const Tensor *golden, const Tensor *target, int jobs, WeightResult *out)
{
    Tensor b = weight_view(golden, &out->pair.golden_span);
    Tensor n = weight_view(target, &out->pair.target_span);
    if (equal_bytes(&b, &n))
        set_equal(&b, &out->metrics);
    else
        tensor_metrics(&b, &n, RULES_VERNIER, jobs, &out->metrics);
    if (fits_transposed(out, golden, target)) {
        out->pair.forms |= WEIGHT_TRANSPOSED;
        out->pair.target_span.transposed = true;
        measure(golden, target, jobs, out);
        return;
    }
    if (b.count == 0 && n.count == 0) {
        out->empty = true;
        return;
    }
    out->status = status_of(&out->metrics);
    out->norm_relative = norm_relative(&out->metrics);
    if (out->pair.forms & WEIGHT_PADDED)
        out->padding = golden->shape[0] > target->shape[0] ? padding_of(golden, target->shape[0])
                                                           : padding_of(target, golden->shape[0]);
}

// A damaged file looks like another weight.
static void check_bytes(const Weights *weights, uint32_t index, const Tensor *tensor,
                        const WeightResult *result, Notices *notices)
{
    if (result->status != STATUS_SAME)
        weights_check_bytes(weights, index, tensor, notices);
}

static void compare_files(const Work *work, size_t index)
{
    WeightResult *result = &work->out->items[index];
    TensorFile golden, target;
    Error err;
    Notices *notices = &work->notices[index];
    if (!weights_tensor(work->out->golden, result->pair.golden, &golden, notices, &err)) {
        notices_add_error(notices, &err);
        return;
    }
    if (weights_tensor(work->out->target, result->pair.target, &target, notices, &err)) {
        measure(&golden.tensor, &target.tensor, work->large ? work->jobs : 1, result);
        check_bytes(work->out->golden, result->pair.golden, &golden.tensor, result, notices);
        check_bytes(work->out->target, result->pair.target, &target.tensor, result, notices);
        tensor_close(&target);
    } else {
        notices_add_error(notices, &err);
    }
    tensor_close(&golden);
}

static void compare_one(void *context, size_t index)
{
    const Work *work = context;
    WeightResult *result = &work->out->items[index];
    const WeightPair *pair = &result->pair;
    if (pair->golden == WEIGHT_NONE || pair->target == WEIGHT_NONE)
        return;
    bool large = work->out->golden->items[pair->golden].count > LARGE_COUNT;
    if (large != work->large)
        return;
    work->arenas[index] = arena_new();
    notices_init(&work->notices[index], work->arenas[index]);
    compare_files(work, index);
}

static void compare_all(WeightComparison *out, int jobs, Notices *notices)
{
    Arena *scratch = arena_new();
    Work work = {.out = out,
                 .arenas = ARENA_ARRAY(scratch, Arena *, out->count),
                 .notices = ARENA_ARRAY(scratch, Notices, out->count),
                 .jobs = jobs};
    threads_run(out->count, jobs, compare_one, &work);
    work.large = true;
    threads_run(out->count, 1, compare_one, &work);
    for (size_t i = 0; i < out->count; i++)
        if (work.arenas[i]) {
            notices_join(notices, &work.notices[i]);
            arena_release(work.arenas[i]);
        }
    arena_release(scratch);
}

// What is not comparable stands before every difference of values.
static double size_of(const WeightResult *result)
{
    double error = result->metrics.norm_error;
    bool known = isfinite(error) && !result->metrics.nonfinite_mismatch;
    return known ? error : (double)INFINITY;
}

static void sum_up(WeightComparison *out)
{
    out->worst = SIZE_MAX;
    for (size_t i = 0; i < out->count; i++) {
        const WeightResult *result = &out->items[i];
        const WeightPair *pair = &result->pair;
        out->status_counts[result->status] += !result->empty;
        out->empty += result->empty;
        out->alone[0] += pair->target == WEIGHT_NONE && !pair->unread;
        out->alone[1] += pair->golden == WEIGHT_NONE && !pair->unread;
        out->compared += result->status == STATUS_SAME || result->status == STATUS_PASS ||
                         result->status == STATUS_ERROR;
        if (result->status == STATUS_ERROR &&
            (out->worst == SIZE_MAX || size_of(result) > size_of(&out->items[out->worst])))
            out->worst = i;
    }
}

// A weight may be in several pairs, as a part of a fused one.
static void account_side(const WeightComparison *of, bool golden, Account *account)
{
    size_t count = golden ? of->golden->count : of->target->count;
    Arena *scratch = arena_new();
    bool *compared = ARENA_ARRAY(scratch, bool, count + 1);
    bool *empty = ARENA_ARRAY(scratch, bool, count + 1);
    for (size_t i = 0; i < of->count; i++) {
        const WeightResult *result = &of->items[i];
        uint32_t index = golden ? result->pair.golden : result->pair.target;
        if (index == WEIGHT_NONE)
            continue;
        compared[index] = compared[index] || result->status != STATUS_NO_DATA;
        empty[index] = result->empty;
    }
    account_see(account, count);
    for (size_t i = 0; i < count; i++)
        if (compared[i])
            account_compare(account, 1);
        else
            account_set_aside(account, empty[i] ? ASIDE_NO_VALUE : ASIDE_LOST, 1);
    arena_release(scratch);
}

void weight_compare(const Weights *golden, const Weights *target, int jobs, Arena *arena,
                    WeightComparison *out, Notices *notices)
{
    WeightPairs pairs;
    *out = (WeightComparison){.golden = golden, .target = target};
    weight_match(golden, target, jobs, arena, &pairs, notices);
    weight_order_check(golden, target, &pairs, notices);
    out->count = pairs.count;
    out->items = ARENA_ARRAY(arena, WeightResult, pairs.count);
    for (size_t i = 0; i < pairs.count; i++) {
        WeightResult *result = &out->items[i];
        const WeightPair *pair = &pairs.items[i];
        *result = (WeightResult){.pair = *pair, .norm_relative = (double)NAN};
        tensor_metrics_missing(ELEMENTS_NO_FILE, &result->metrics);
        bool alone = pair->golden == WEIGHT_NONE || pair->target == WEIGHT_NONE;
        result->status = alone && !pair->unread ? STATUS_UNMATCHED : STATUS_NO_DATA;
    }
    compare_all(out, jobs, notices);
    sum_up(out);
    account_side(out, true, &notices->account);
    account_side(out, false, &notices->account);
}
