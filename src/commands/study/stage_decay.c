// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/words.h"
#include "commands/compare/compare_weights.h"
#include "commands/study/stage_facts.h"
#include "trend/curves/smooth.h"
#include "verdict/figure_text.h"

// Checkpoints of both sides at the end of a run tell how the weights moved apart. Where only the
// one-dimensional ones (norms, biases) did, one side decays them and the other does not: the cause
// in the guide's case.

// Beyond the scatter of matrices, and more than a run's noise. Chosen; it names a likely cause and
// decides nothing.
static const double times_matrices = 10, least = 0.01;

typedef struct Spread {
    double *values;
    size_t count;
} Spread;

// The relative difference of a weight's norm; 0 where it is equal or could not be told.
static double norm_difference(const WeightResult *weight)
{
    bool known = weight->status == STATUS_PASS || weight->status == STATUS_ERROR;
    return known && isfinite(weight->norm_relative) ? fabs(weight->norm_relative) : 0;
}

static void collect(const WeightComparison *comparison, Arena *arena, Spread spreads[2])
{
    for (int i = 0; i < 2; i++)
        spreads[i] = (Spread){ARENA_ARRAY(arena, double, comparison->count + 1), 0};
    for (size_t i = 0; i < comparison->count; i++) {
        const WeightPair *pair = &comparison->items[i].pair;
        if (pair->golden == WEIGHT_NONE || pair->target == WEIGHT_NONE)
            continue;
        Spread *spread = &spreads[comparison->golden->items[pair->golden].rank > 1];
        spread->values[spread->count++] = norm_difference(&comparison->items[i]);
    }
}

void study_read_decay(StageWork *work, const Product *product)
{
    Arena *arena = work->arena;
    Spread spreads[2];
    const WeightsView *weights = weights_facts(product);
    if (!weights)
        return;
    collect(weights->comparison, arena, spreads);
    if (spreads[0].count < 2 || spreads[1].count < 2)
        return;
    double vectors = median_of(spreads[0].values, spreads[0].count);
    double matrices = median_of(spreads[1].values, spreads[1].count);
    if (vectors < least || vectors < times_matrices * matrices)
        return;
    Str a = figure_number(100 * vectors, 2, arena), b = figure_number(100 * matrices, 2, arena);
    work->facts->decay = str_of(tr("one side decays one-dimensional weights, the other does not"));
    work->out->number = str_printf(
        arena,
        tr(STR_FMT "; at the end the norms of one-dimensional weights differ by " STR_FMT
                   " %%, of matrices by " STR_FMT " %%: weight decay of all weights on one side?"),
        STR_ARG(work->out->number), STR_ARG(a), STR_ARG(b));
}
