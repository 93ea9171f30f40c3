// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/floor.h"

#include <math.h>
#include <string.h>

typedef struct DtypeName {
    Str name;  // lower case, without the framework's prefix
    Precision precision;
} DtypeName;

static const DtypeName dtypes[] = {
    {{"float32", 7}, PRECISION_F32},      {{"bfloat16", 8}, PRECISION_BF16},
    {{"float64", 7}, PRECISION_F64},      {{"double", 6}, PRECISION_F64},
    {{"complex128", 10}, PRECISION_F64},  {{"float", 5}, PRECISION_F32},
    {{"complex64", 9}, PRECISION_F32},    {{"float16", 7}, PRECISION_F16},
    {{"half", 4}, PRECISION_F16},         {{"complex32", 9}, PRECISION_F16},
    {{"bf16", 4}, PRECISION_BF16},        {{"float8_e4m3fn", 13}, PRECISION_F8},
    {{"float8_e5m2", 11}, PRECISION_F8},  {{"float8_e8m0fnu", 14}, PRECISION_F8},
    {{"float8e4m3fn", 12}, PRECISION_F8}, {{"float8e5m2", 10}, PRECISION_F8},
    {{"hifloat8", 8}, PRECISION_F8},      {{"hifloat8tensor", 14}, PRECISION_F8},
};

Precision precision_of(Str dtype)
{
    // By far the most; the answer is asked for several times a slot.
    if (str_equal(dtype, STR("torch.float32")) || str_equal(dtype, STR("Float32")))
        return PRECISION_F32;
    if (str_equal(dtype, STR("torch.bfloat16")) || str_equal(dtype, STR("BFloat16")))
        return PRECISION_BF16;
    Str name = str_behind(dtype, '.');
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (str_equal_nocase(name, dtypes[i].name))
            return dtypes[i].precision;
    return PRECISION_EXACT;
}

Precision precision_of_slot(const Names *names, const Slot *slot)
{
    static const Stat ends[] = {STAT_MAX, STAT_MIN};
    double value;
    if (slot->dtype != NAME_NONE)
        return precision_of(names_text(names, slot->dtype));
    for (int i = 0; i < 2; i++)
        if (slot->tag[ends[i]] == TAG_REAL && slot_stat(slot, ends[i], &value) && isfinite(value))
            return PRECISION_F32;
    return PRECISION_EXACT;
}

Precision precision_coarsest(const Dump *dump)
{
    Precision coarsest = PRECISION_EXACT;
    for (uint32_t i = 0; i < dump->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        Precision own = slot->kind == SLOT_TENSOR ? precision_of_slot(dump->names, slot) : coarsest;
        if (epsilon_of(own) > epsilon_of(coarsest))
            coarsest = own;
    }
    return coarsest;
}

const uint8_t *precisions_of(const Dump *dump, Arena *arena)
{
    enum { UNKNOWN = PRECISION_COUNT };
    size_t count = names_count(dump->names) + 1;
    uint8_t *precisions = arena_alloc(arena, count);
    memset(precisions, UNKNOWN, count);
    for (uint32_t i = 0; i < dump->slot_count; i++) {
        uint8_t *precision = &precisions[dump->slots[i].dtype];
        if (*precision == UNKNOWN)
            *precision = (uint8_t)precision_of(names_text(dump->names, dump->slots[i].dtype));
    }
    return precisions;
}

bool dtype_equal(Str a, Str b)
{
    return str_equal(a, b) || str_equal_nocase(str_behind(a, '.'), str_behind(b, '.'));
}

// Unit roundoff step at 1.0 of each type.
static const double epsilon[PRECISION_COUNT] = {
    [PRECISION_EXACT] = 0,           [PRECISION_F64] = 2.220446049250313e-16,
    [PRECISION_F32] = 1.1920929e-07, [PRECISION_F16] = 9.765625e-04,
    [PRECISION_BF16] = 7.8125e-03,   [PRECISION_F8] = 0.125,
};

double epsilon_of(Precision precision)
{
    return epsilon[precision];
}

double floor_step(double value, double step)
{
    int exponent;
    if (value == 0)
        return 0;
    frexp(value, &exponent);
    return ldexp(step, exponent - 1);
}

// In steps of the type. Source: measured spreads of runs that add up in another order (float32: 99
// in 100 slots stay below 5 steps of the norm, 9 of Max, 3 of Mean; bfloat16: 1, 2, 0.2), doubled
// and rounded up, since a clean run must not be accused.
static const double steps_fine[STAT_COUNT] = {
    [STAT_MAX] = 32, [STAT_MIN] = 32, [STAT_MEAN] = 16, [STAT_NORM] = 16};
static const double steps_coarse[STAT_COUNT] = {
    [STAT_MAX] = 6, [STAT_MIN] = 6, [STAT_MEAN] = 2, [STAT_NORM] = 2};
// Numbers of 8 bits are rounded once, from sums in a finer type: the largest is off by one step at
// most, which averages out in Mean and Norm.
static const double steps_rounded[STAT_COUNT] = {
    [STAT_MAX] = 1, [STAT_MIN] = 1, [STAT_MEAN] = 0.5, [STAT_NORM] = 0.25};

double floor_default(Stat stat, Precision own, Precision run)
{
    if (own == PRECISION_EXACT)
        return 0;
    Precision coarser = epsilon[run] > epsilon[own] ? run : own;
    const double *steps = coarser == PRECISION_F8    ? steps_rounded
                          : coarser >= PRECISION_F16 ? steps_coarse
                                                     : steps_fine;
    return steps[stat] * epsilon[coarser];
}

static double absolute(const Slot *slot, Stat stat)
{
    double value;
    return slot_stat(slot, stat, &value) && isfinite(value) ? fabs(value) : 0;
}

double floor_scale(const Slot *golden, Stat stat, uint64_t elements)
{
    double norm = absolute(golden, STAT_NORM);
    if (stat == STAT_NORM)
        return norm;
    if (stat == STAT_MEAN && norm > 0 && elements > 0)
        return norm / sqrt((double)elements);
    double largest = fmax(absolute(golden, STAT_MAX), absolute(golden, STAT_MIN));
    if (stat == STAT_MEAN && largest == 0 && norm == 0)
        return absolute(golden, STAT_MEAN);  // of writers that tell no more
    return largest > 0 ? largest : norm;
}

// How many times the largest element the norm is: of as many numbers as the square of that.
static double like_largest(const Slot *slot)
{
    return absolute(slot, STAT_NORM) / fmax(absolute(slot, STAT_MAX), absolute(slot, STAT_MIN));
}

double floor_of_few(const Slot *slot, Stat stat, Precision own)
{
    bool averages = stat == STAT_NORM || stat == STAT_MEAN;
    if (!averages || own < PRECISION_F16)
        return 1;
    double many = like_largest(slot);
    if (!(many > 0) || !isfinite(many))
        return 1;
    double few = sqrt(FLOOR_MANY) / many;  // of one number of 8 bits the floor is one step
    return fmax(1, own == PRECISION_F8 ? few : fmin(FLOOR_OF_ONE, few));
}
