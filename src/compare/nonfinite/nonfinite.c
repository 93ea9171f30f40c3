// SPDX-License-Identifier: Apache-2.0
#include "compare/nonfinite/nonfinite.h"

#include <math.h>

typedef struct ApiRule {
    const char *api;  // without a trailing underscore
    unsigned flags;
} ApiRule;

// Source: the documentation of torch and mindspore.mint. What docs/spec/graph.md §2.12 tolerates is
// a part of it; buffers of collectives are told from their contributions in comm_call.c.
static const ApiRule rules[] = {
    {"empty", API_UNDEFINED | API_OVERWRITES},
    {"empty_like", API_UNDEFINED | API_OVERWRITES},
    {"empty_strided", API_UNDEFINED | API_OVERWRITES},
    {"empty_permuted", API_UNDEFINED | API_OVERWRITES},
    {"empty_with_format", API_UNDEFINED | API_OVERWRITES},
    {"new_empty", API_UNDEFINED | API_OVERWRITES},
    {"new_empty_strided", API_UNDEFINED | API_OVERWRITES},
    {"resize", API_UNDEFINED | API_OVERWRITES},
    {"fill", API_OVERWRITES | API_FILLS},
    {"full", API_OVERWRITES | API_FILLS},
    {"full_like", API_OVERWRITES | API_FILLS},
    {"new_full", API_OVERWRITES | API_FILLS},
    {"tensor", API_FILLS},
    {"new_tensor", API_FILLS},
    {"scalar_tensor", API_FILLS},
    {"as_tensor", API_FILLS},
    {"zero", API_OVERWRITES},
    {"zeros_like", API_OVERWRITES},
    {"ones_like", API_OVERWRITES},
    {"new_zeros", API_OVERWRITES},
    {"new_ones", API_OVERWRITES},
    {"rand_like", API_OVERWRITES},
    {"randn_like", API_OVERWRITES},
    {"randint_like", API_OVERWRITES},
    {"normal", API_OVERWRITES},
    {"uniform", API_OVERWRITES},
    {"random", API_OVERWRITES},
    {"bernoulli", API_OVERWRITES},
    {"exponential", API_OVERWRITES},
    {"isnan", API_OVERWRITES},
    {"isinf", API_OVERWRITES},
    {"isfinite", API_OVERWRITES},
    {"copy", API_FIRST_IS_RESULT},
    {"nan_to_num", API_PATCHES},
    {"where", API_FILLS | API_PATCHES},
    {"masked_fill", API_FILLS | API_PATCHES},
    {"masked_scatter", API_PATCHES},
    {"index_fill", API_FILLS | API_PATCHES},
    {"scatter", API_FILLS | API_PATCHES},
    {"__setitem__", API_FILLS | API_PATCHES},
    {"index_put", API_FILLS | API_PATCHES},
    {"clamp", API_FILLS | API_PATCHES},
    {"clip", API_FILLS | API_PATCHES},
    {"pad", API_FILLS},
    {"constant_pad_nd", API_FILLS},
    {"neg", API_FLIPS},
    {"negative", API_FLIPS},
    {"__neg__", API_FLIPS},
    {"abs", API_FLIPS},
    {"mul", API_FLIPS},
    {"__mul__", API_FLIPS},
    {"__rmul__", API_FLIPS},
    {"__imul__", API_FLIPS},
    {"sub", API_FLIPS},
    {"__sub__", API_FLIPS},
    {"__rsub__", API_FLIPS},
    {"__isub__", API_FLIPS},
    {"div", API_FLIPS},
    {"__truediv__", API_FLIPS},
    {"log", API_LOGARITHM},
};

unsigned nonfinite_api(Str api)
{
    bool in_place = str_ends(api, STR("_")) && !str_starts(api, STR("__"));
    Str name = str_slice(api, 0, api.size - (in_place ? 1 : 0));
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (str_equal(name, str_of(rules[i].api)))
            return rules[i].flags;
    return 0;
}

bool nonfinite_told(const Dump *dump, const Slot *slot)
{
    double ignored;
    return slot->kind == SLOT_TENSOR &&
           (nonfinite_stat(dump, slot, STAT_MAX, &ignored) ||
            nonfinite_stat(dump, slot, STAT_MEAN, &ignored) || nonfinite_norm_alone(slot));
}

Nonfinite nonfinite_of_scalar(const Dump *dump, const Slot *slot)
{
    double value;
    bool number = slot->tag[STAT_MAX] == TAG_REAL ||
                  str_equal(names_text(dump->names, slot->type), STR("float"));
    bool told = slot->kind == SLOT_SCALAR && number && nonfinite_stat(dump, slot, STAT_MAX, &value);
    return told ? nonfinite_kind(value) : 0;
}

bool nonfinite_is_mask(const Dump *dump, const Slot *slot)
{
    double largest;
    return nonfinite_of(dump, slot) == NONFINITE_MINUS &&
           nonfinite_stat(dump, slot, STAT_MAX, &largest) && (largest == 0 || isinf(largest));
}

bool nonfinite_is_lowest(const Dump *dump, const Slot *slot)
{
    double least;
    if (slot->kind != SLOT_TENSOR || !nonfinite_stat(dump, slot, STAT_MIN, &least) || isinf(least))
        return false;
    if (least <= -3.3e38)  // of float32 -3.4028e38, of bfloat16 -3.3895e38
        return true;
    Str dtype = names_text(dump->names, slot->dtype);
    bool half = str_ends(dtype, STR("float16")) || str_equal(dtype, STR("Float16"));
    return half && least <= -65504;
}

bool nonfinite_told_any(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].is_nan != TRI_ABSENT)
            return true;
    for (uint32_t i = 0; i < dump->slot_count; i++)
        if (nonfinite_told(dump, &dump->slots[i]))
            return true;
    return false;
}

bool nonfinite_any(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->slot_count; i++)
        if (nonfinite_of(dump, &dump->slots[i]) || nonfinite_of_scalar(dump, &dump->slots[i]))
            return true;
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].is_nan == TRI_TRUE)
            return true;
    return false;
}
