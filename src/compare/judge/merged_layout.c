// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/merged_layout.h"

#include <math.h>

static uint32_t shares_of(const Dump *dump)
{
    return dump->merged ? dump->shares : 1;
}

static uint32_t ranks_of(const Dump *dump)
{
    return dump->merged ? dump->merged_ranks : 1;
}

bool merged_any(const Dump *golden, const Dump *target)
{
    return golden->merged || target->merged;
}

static uint32_t batches_of(const Dump *dump)
{
    return dump->merged && dump->batches ? dump->batches : 1;
}

static uint32_t experts_of(const Dump *dump)
{
    return dump->merged && dump->experts ? dump->experts : 1;
}

bool merged_batches_differ(const Dump *golden, const Dump *target)
{
    return batches_of(golden) != batches_of(target) || experts_of(golden) != experts_of(target);
}

double merged_batches_ratio(const Dump *golden, const Dump *target)
{
    return (double)batches_of(target) / batches_of(golden);
}

// A merged dump that was read from a file does not tell its shares.
bool merged_shares_differ(const Dump *golden, const Dump *target)
{
    return shares_of(golden) != shares_of(target) || shares_of(golden) == 0 ||
           merged_batches_differ(golden, target);
}

bool merged_same_whole(const Dump *golden, const Dump *target, double golden_size,
                       double target_size)
{
    if (!merged_shares_differ(golden, target))
        return false;
    for (int parts = 1; parts < 8; parts++) {
        double one = golden_size, other = target_size;
        one *= (parts & 1 ? shares_of(golden) : 1.0) * (parts & 2 ? batches_of(golden) : 1.0) *
               (parts & 4 ? experts_of(golden) : 1.0);
        other *= (parts & 1 ? shares_of(target) : 1.0) * (parts & 2 ? batches_of(target) : 1.0) *
                 (parts & 4 ? experts_of(target) : 1.0);
        if (one == other)
            return true;
    }
    return false;
}

static uint32_t sequences_of(const Dump *dump)
{
    return dump->merged && dump->sequences ? dump->sequences : 1;
}

bool merged_layouts_differ(const Dump *golden, const Dump *target)
{
    return merged_shares_differ(golden, target) || ranks_of(golden) != ranks_of(target) ||
           sequences_of(golden) != sequences_of(target);
}

// 0: not known.
static double elements_of(const Dump *dump, const Slot *slot)
{
    double each = (double)shape_elements(names_text(dump->names, slot->shape));
    return slot->parts ? each * slot->parts : each;
}

// The same numbers of ranks have the same tokens and shares: what cannot be merged of either is
// recorded of the same ranks.
static bool are_alike(const Dump *golden, const Dump *target)
{
    return golden->merged == target->merged && !merged_layouts_differ(golden, target);
}

// Tells neither NaN nor infinity.
static bool is_finite(const Slot *slot)
{
    double value;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (slot_stat(slot, (Stat)stat, &value) && !isfinite(value))
            return false;
    return true;
}

bool merged_lacking(const Slot *one, const Slot *other)
{
    return (one->parts == SLOT_LACKING || other->parts == SLOT_LACKING) &&
           is_finite(one) == is_finite(other);
}

// Counts of each rank's own tokens that happen to be equal on all: their sum is that of the other,
// or between as many parts that are cut otherwise, their mean.
static bool are_terms(const Dump *golden, const Slot *one, const Dump *target, const Slot *other)
{
    double a, b;
    Str dtype = names_text(golden->names, one->dtype);
    bool integer =
        str_find(dtype, STR("int"), 0) != SIZE_MAX || str_find(dtype, STR("Int"), 0) != SIZE_MAX;
    return integer && one->group == GROUP_OUTPUT && slot_stat(one, STAT_MEAN, &a) &&
           slot_stat(other, STAT_MEAN, &b) && a != 0 &&
           a * batches_of(golden) == b * batches_of(target) &&
           (a != b || sequences_of(golden) != sequences_of(target));
}

bool merged_apart(const Dump *golden, const Slot *one, const Dump *target, const Slot *other)
{
    if (one->parts >= SLOT_LACKING || other->parts >= SLOT_LACKING)
        return !are_alike(golden, target) && is_finite(one) == is_finite(other);
    if (one->parts == 0 && other->parts == 0 && !merged_batches_differ(golden, target) &&
        sequences_of(golden) == sequences_of(target))
        return false;
    if (one->parts == 0 && other->parts == 0 && are_terms(golden, one, target, other))
        return true;
    double a = elements_of(golden, one), b = elements_of(target, other);
    return a > 0 && b > 0 && a != b && a * shares_of(golden) != b * shares_of(target);
}
