// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/probe_signs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "read/tensor/tensor_file.h"

static int compare_sides(const void *left, const void *right)
{
    const MonitorSide *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return str_compare(a->name, b->name);
}

static MonitorSide *sorted(const MonitorSides *sides, Arena *arena)
{
    MonitorSide *items = ARENA_ARRAY(arena, MonitorSide, sides->count + 1);
    for (size_t i = 0; i < sides->count; i++)
        items[i] = sides->items[i];
    if (sides->count)
        qsort(items, sides->count, sizeof *items, compare_sides);
    return items;
}

// Booleans, or bytes of which only the sign counts.
static bool holds_signs(const Tensor *tensor)
{
    bool one_byte =
        tensor->dtype == DTYPE_BOOL || tensor->dtype == DTYPE_U8 || tensor->dtype == DTYPE_I8;
    return one_byte && tensor->contiguous;
}

static uint64_t count_equal(const Tensor *a, const Tensor *b)
{
    uint64_t equal = 0;
    if (a->dtype == DTYPE_I8)
        for (uint64_t i = 0; i < a->count; i++)
            equal += (a->data[i] < 128 && a->data[i] > 0) == (b->data[i] < 128 && b->data[i] > 0);
    else
        for (uint64_t i = 0; i < a->count; i++)
            equal += (a->data[i] != 0) == (b->data[i] != 0);
    return equal;
}

typedef struct Agreement {
    uint64_t equal, count;
} Agreement;

static bool compare_opened(const MonitorSide *side, const Tensor *golden, const Tensor *target,
                           Agreement *out, Notices *notices)
{
    bool same = tensor_same_shape(golden, target) && golden->dtype == target->dtype;
    if (!same || !holds_signs(golden) || !holds_signs(target)) {
        notices_add(
            notices, NOTICE_WARNING, WHERE_FILE(side->path), "%s",
            same ? tr("expected booleans: the signs of a gradient")
                 : tr("shape or type differs from that of golden; its signs are not compared"));
        return false;
    }
    *out = (Agreement){count_equal(golden, target), target->count};
    return target->count > 0;
}

static bool compare_files(const MonitorSide *golden, const MonitorSide *target, Agreement *out,
                          Notices *notices)
{
    TensorFile left, right;
    Error err;
    if (!tensor_open(golden->path, &left, notices, &err)) {
        notices_add_error(notices, &err);
        return false;
    }
    if (!tensor_open(target->path, &right, notices, &err)) {
        notices_add_error(notices, &err);
        tensor_close(&left);
        return false;
    }
    bool good = compare_opened(target, &left.tensor, &right.tensor, out, notices);
    tensor_close(&right);
    tensor_close(&left);
    return good;
}

static void add_value(ProbeValues *out, const MonitorSide *at, Str name, Agreement agreement,
                      Arena *arena)
{
    *ARRAY_PUSH(arena, out) = (ProbeValue){
        .name = name,
        .rank = at->rank,
        .step = at->step,
        .value = (double)agreement.equal / (double)agreement.count,
    };
}

void probe_signs_compare(const MonitorSides *golden, const MonitorSides *target, Arena *arena,
                         ProbeValues *out, Notices *notices)
{
    const MonitorSide *left = sorted(golden, arena), *right = sorted(target, arena);
    Agreement total = {0};
    for (size_t i = 0, k = 0; i < target->count; i++) {
        while (k < golden->count && compare_sides(&left[k], &right[i]) < 0)
            k++;
        Agreement own;
        if (k < golden->count && compare_sides(&left[k], &right[i]) == 0 &&
            compare_files(&left[k], &right[i], &own, notices)) {
            add_value(out, &right[i], right[i].name, own, arena);
            total.equal += own.equal;
            total.count += own.count;
        }
        bool last = i + 1 == target->count || right[i + 1].rank != right[i].rank ||
                    right[i + 1].step != right[i].step;
        if (last && total.count)
            add_value(out, &right[i], STR("summary"), total, arena);
        if (last)
            total = (Agreement){0};
    }
}
