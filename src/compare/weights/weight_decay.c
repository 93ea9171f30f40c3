// SPDX-License-Identifier: Apache-2.0
#include "compare/weights/weight_decay.h"

#include <math.h>

#include "base/sort.h"

// A norm that is off by less may be noise of the run. Chosen.
static const double LEAST = 0.01;
// By so much the norms of the group are further off than those of the others. Chosen.
static const double TIMES_OTHERS = 10;
// A weight that is golden's times a factor; gradients of one side bend it by more.
static const double SCALED_COSINE = 0.999;

typedef struct Ratio {
    const Weight *weight;
    double value;  // target's norm / golden's
    bool scaled;
} Ratio;

typedef struct Ratios {
    Ratio *items;
    size_t count;
    double *scratch;
} Ratios;

static Ratios ratios_of(const WeightComparison *comparison, Arena *arena)
{
    Ratios out = {ARENA_ARRAY(arena, Ratio, comparison->count + 1), 0,
                  ARENA_ARRAY(arena, double, comparison->count + 1)};
    for (size_t i = 0; i < comparison->count; i++) {
        const WeightResult *result = &comparison->items[i];
        const TensorMetrics *metrics = &result->metrics;
        bool same = result->status == STATUS_SAME;
        double value = same ? 1 : metrics->target_norm / metrics->golden_norm;
        if ((!same && result->status != STATUS_PASS && result->status != STATUS_ERROR) ||
            !isfinite(value) || !(value > 0))
            continue;
        out.items[out.count++] = (Ratio){
            .weight = &comparison->golden->items[result->pair.golden],
            .value = value,
            .scaled = fabs(value - 1) >= LEAST && metrics->kind[ELEMENT_COSINE] == ELEMENT_NUMBER &&
                      metrics->value[ELEMENT_COSINE] > SCALED_COSINE};
    }
    return out;
}

static bool belongs(const Ratio *ratio, DecayGroup group)
{
    return group == DECAY_VECTORS    ? ratio->weight->rank <= 1
           : group == DECAY_MATRICES ? ratio->weight->rank > 1
                                     : ratio->scaled;
}

// The median of those in the group, or of those outside; NaN: there are less than two.
static double median_in(const Ratios *ratios, DecayGroup group, bool inside)
{
    size_t count = 0;
    for (size_t i = 0; i < ratios->count; i++)
        if (belongs(&ratios->items[i], group) == inside)
            ratios->scratch[count++] = ratios->items[i].value;
    return count < 2 ? (double)NAN : median_of(ratios->scratch, count);
}

// Training turns weights, decay shortens them.
static bool mostly_scaled(const Ratios *ratios, DecayGroup group)
{
    size_t count = 0, scaled = 0;
    for (size_t i = 0; i < ratios->count; i++) {
        count += belongs(&ratios->items[i], group);
        scaled += belongs(&ratios->items[i], group) && ratios->items[i].scaled;
    }
    return count >= 2 && 2 * scaled >= count;
}

WeightDecay weight_decay_find(const WeightComparison *comparison)
{
    static const DecayGroup groups[] = {DECAY_VECTORS, DECAY_MATRICES, DECAY_SOME};
    WeightDecay out = {.group = DECAY_NONE};
    Arena *scratch = arena_new();
    Ratios ratios = ratios_of(comparison, scratch);
    for (size_t g = 0; g < sizeof groups / sizeof *groups && out.group == DECAY_NONE; g++) {
        double inside = median_in(&ratios, groups[g], true);
        double outside = median_in(&ratios, groups[g], false);
        if (!mostly_scaled(&ratios, groups[g]) ||
            !(fabs(inside - 1) >= LEAST && fabs(inside - 1) >= TIMES_OTHERS * fabs(outside - 1)))
            continue;
        out = (WeightDecay){.group = groups[g], .factor = inside, .others = outside};
        for (size_t i = 0; i < ratios.count; i++)
            if (!out.first && belongs(&ratios.items[i], groups[g]))
                out.first = ratios.items[i].weight;
    }
    arena_release(scratch);
    return out;
}
