// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/stat_difference.h"

#include <math.h>

#include "compare/judge/floor.h"

double stat_apart(const Slot *golden, const Slot *target, Stat stat)
{
    double b = 0, n = 0;
    slot_stat(golden, stat, &b);
    slot_stat(target, stat, &n);
    uint8_t tag = golden->tag[stat];
    if (b != n)
        return fabs(n - b);
    if (tag != target->tag[stat] || (tag != TAG_INT && tag != TAG_UINT))
        return 0;
    return fabs((double)(int64_t)(golden->stat[stat].natural - target->stat[stat].natural));
}

// The dumper takes norms in the type of the tensor. Squares of numbers below 2^-7 are no normal
// float16 any more, sums above 65,504 are infinite: there the largest element speaks for the norm.
static bool norm_is_lost(const Slot *slot)
{
    double norm, largest = floor_scale(slot, STAT_MAX, 0);
    bool told = slot_stat(slot, STAT_MAX, &norm) && slot_stat(slot, STAT_NORM, &norm);
    return told && (largest < FLOAT16_SMALL || isinf(norm));
}

StatDifference stat_difference(RuleSet without, const Slot *golden, const Slot *target, Stat stat,
                               bool half, uint64_t elements)
{
    StatDifference out = {.half = half, .stat = stat};
    out.told = slot_stat(golden, stat, &out.golden) && slot_stat(target, stat, &out.target);
    out.apart = stat_apart(golden, target, stat);
    if (!out.told || out.apart == 0 || (isnan(out.golden) && isnan(out.target)))
        return out;
    out.lost =
        half && rule_on(without, RULE_LOST_NORM) && (norm_is_lost(golden) || norm_is_lost(target));
    if (out.lost && stat == STAT_NORM) {
        out.golden = floor_scale(golden, STAT_MAX, 0);
        out.target = floor_scale(target, STAT_MAX, 0);
        out.apart = fabs(out.target - out.golden);
        out.stat = STAT_MAX;
    }
    Stat scale = out.lost ? STAT_MAX : stat;
    out.scales = (Scales){.golden = floor_scale(golden, scale, elements),
                          .target = floor_scale(target, scale, elements)};
    out.scales.larger = larger_of(out.scales.golden, out.scales.target);
    bool finite = isfinite(out.golden) && isfinite(out.target) && out.scales.golden > 0;
    if (out.apart != 0)
        out.error = finite ? out.apart / out.scales.golden : (double)INFINITY;
    return out;
}
