// SPDX-License-Identifier: Apache-2.0
#include "compare/nonfinite/nonfinite.h"

#include <math.h>

bool nonfinite_told(const Dump *dump, const Slot *slot)
{
    double ignored;
    return slot->kind == SLOT_TENSOR && (nonfinite_stat(dump, slot, STAT_MAX, &ignored) ||
                                         nonfinite_stat(dump, slot, STAT_MEAN, &ignored) ||
                                         (!dump->hashed && nonfinite_norm_alone(slot)));
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
