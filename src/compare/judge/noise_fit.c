// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/noise_fit.h"

#include <math.h>

#include "compare/flow.h"
#include "compare/judge/floor.h"
#include "read/dump/slot_content.h"

// Of the tensors that both have, or of those that one of them holds, less than this share has the
// same shape. Source: runs of one configuration differ in shape only where a router decides, in a
// few experts; two models of different sizes in nearly all.
#define SAME_SHAPES 0.5

// Weights of one checkpoint are equal; those of another seed have largest elements that are off by
// some percent, whatever their norms are.
#define SAME_WEIGHT 1e-3

// A norm that is off by more gives a floor above 1 (noise_multiple): nothing would be beyond it.
#define FAR_OFF (1 / 6.0)

typedef struct Met {
    uint32_t tensors, alike;          // in both; of these, of one shape
    uint32_t norms, far;              // norms of what was computed; too far off for a floor
    uint32_t weights, other_weights;  // of which both record the norm
    bool not_finite;
} Met;

static uint32_t count_tensors(const Dump *dump)
{
    uint32_t count = 0;
    for (uint32_t i = 0; dump->slots && i < dump->slot_count; i++)
        count += dump->slots[i].kind == SLOT_TENSOR;
    return count;
}

static void meet_norms(const NoiseSlots *slots, const Slot *golden, const Slot *run, int source,
                       Met *met)
{
    double b, n, scale = floor_scale(golden, STAT_NORM, slots->elements[golden->shape]);
    if (!slot_stat(golden, STAT_NORM, &b) || !slot_stat(run, STAT_NORM, &n) || !isfinite(b) ||
        !isfinite(n) || scale == 0)
        return;
    double off = fabs(n - b) / scale;
    if (source == SOURCE_PARAMETER) {
        double largest = floor_scale(golden, STAT_MAX, 0), other = floor_scale(run, STAT_MAX, 0);
        met->weights++;
        met->other_weights += off > SAME_WEIGHT || fabs(other - largest) > SAME_WEIGHT * largest;
    } else if (source == SOURCE_COMPUTED) {
        met->norms++;
        met->far += off > FAR_OFF;
    }
}

NoiseFit noise_fit(const Dump *golden, const NoiseSlots *slots, int64_t step, const Dump *run,
                   const uint32_t *slot_of, float *share)
{
    Met met = {0};
    for (uint32_t i = 0; i < golden->slot_count; i++) {
        const Slot *slot = &golden->slots[i];
        const Slot *other = slot_of[i] == UINT32_MAX ? NULL : &run->slots[slot_of[i]];
        if (slot->kind != SLOT_TENSOR || !other || other->kind != SLOT_TENSOR)
            continue;
        met.tensors++;
        met.alike +=
            str_equal(names_text(golden->names, slot->shape), names_text(run->names, other->shape));
        met.not_finite =
            met.not_finite || (nonfinite_of(run, other) && !nonfinite_of(golden, slot));
        meet_norms(slots, slot, other, slots->flow->source[i], &met);
    }
    uint32_t a = count_tensors(golden), b = count_tensors(run);
    *share = a ? (float)met.tensors / (float)a : 1;
    if ((double)met.alike < SAME_SHAPES * (double)(a < b ? a : b))
        return NOISE_OTHER_MODEL;
    if (step == 0 && met.other_weights * 2 > met.weights)
        return NOISE_OTHER_WEIGHTS;
    if (met.not_finite)
        return NOISE_NOT_FINITE;
    return met.far * 2 > met.norms ? NOISE_TOO_FAR : NOISE_SUITABLE;
}
