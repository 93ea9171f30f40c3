// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/noise_fitness.h"

static bool same_text(const Dump *a, NameId x, const Dump *b, NameId y)
{
    return str_equal(names_text(a->names, x), names_text(b->names, y));
}

static bool same_stat(const Dump *a, const Slot *x, const Dump *b, const Slot *y, Stat stat)
{
    if (x->tag[stat] != y->tag[stat])
        return false;
    if (x->tag[stat] == TAG_TEXT || x->tag[stat] == TAG_BIGINT)
        return same_text(a, x->stat[stat].text, b, y->stat[stat].text);
    return x->stat[stat].natural == y->stat[stat].natural;
}

static bool same_slot(const Dump *a, const Slot *x, const Dump *b, const Slot *y)
{
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (!same_stat(a, x, b, y, (Stat)stat))
            return false;
    return x->kind == y->kind && x->counted == y->counted && same_text(a, x->shape, b, y->shape) &&
           same_text(a, x->dtype, b, y->dtype) && same_text(a, x->checksum, b, y->checksum);
}

static bool records_equal(const Dump *a, const Dump *b)
{
    if (a->op_count != b->op_count || a->slot_count != b->slot_count)
        return false;
    // Names are most often the same in all runs, values are not.
    for (uint32_t i = 0; i < a->slot_count; i++)
        if (!same_slot(a, &a->slots[i], b, &b->slots[i]))
            return false;
    for (uint32_t i = 0; i < a->op_count; i++)
        if (!same_text(a, a->ops[i].name, b, b->ops[i].name))
            return false;
    return a->slot_count > 0;
}

// Equal bit for bit as far as the dumps tell: the same ops in the same order with the same values,
// and the same tensors where both have files of them, which are read only when all else is equal.
// Stops at the first difference.
static bool dumps_equal(const ElementNoiseRun *a, const ElementNoiseRun *b)
{
    if (!records_equal(a->dump, b->dump))
        return false;
    if (!a->dump->has_data_name || !b->dump->has_data_name)
        return true;
    return elements_equal(&(ElementReading){.golden = a->dump,
                                            .target = b->dump,
                                            .golden_folder = a->folder,
                                            .target_folder = b->folder,
                                            .rules = RULES_VERNIER,
                                            .jobs = 1});
}

NoiseFitness noise_fitness(const ElementNoiseRun *golden, const ElementNoiseRun *target,
                           const ElementNoiseRun *earlier, size_t earlier_count,
                           const ElementNoiseRun *run)
{
    if (dumps_equal(golden, run))
        return NOISE_IS_GOLDEN;
    if (dumps_equal(target, run))
        return NOISE_IS_TARGET;
    for (size_t i = 0; i < earlier_count; i++)
        if (dumps_equal(&earlier[i], run))
            return NOISE_REPEATS;
    return NOISE_FITS;
}
