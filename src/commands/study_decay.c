// SPDX-License-Identifier: Apache-2.0
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "commands/study_stages.h"
#include "layout/figure_text.h"
#include "trend/smooth.h"

// Checkpoints of both sides at the end of a run tell how the weights moved apart. Where only the
// one-dimensional ones (norms, biases) did, one side decays them and the other does not: the cause in
// the guide's case.

// Beyond the scatter of matrices, and more than a run's noise.
static const double times_matrices = 10, least = 0.01;

typedef struct Spread {
    double *values;
    size_t count;
} Spread;

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

// The relative difference of a weight's norm; 0 where it is equal.
static double norm_difference(const cJSON *weight)
{
    const cJSON *value = member(weight, "rel_norm");
    return cJSON_IsNumber(value) ? fabs(value->valuedouble) : 0;
}

static void collect(const cJSON *weights, size_t count, Arena *arena, Spread spreads[2])
{
    const cJSON *weight;
    for (int i = 0; i < 2; i++)
        spreads[i] = (Spread){ARENA_ARRAY(arena, double, count + 1), 0};
    cJSON_ArrayForEach(weight, weights) {
        const cJSON *shape = member(weight, "golden_shape");
        if (!cJSON_IsArray(shape) || !cJSON_IsArray(member(weight, "target_shape")))
            continue;
        Spread *spread = &spreads[cJSON_GetArraySize(shape) > 1];
        spread->values[spread->count++] = norm_difference(weight);
    }
}

void study_read_decay(StageWork *work, const Collector *collector)
{
    Arena *arena = work->arena;
    Spread spreads[2];
    cJSON *root = collector_parse(collector);
    const cJSON *weights = member(root, "weights");
    collect(weights, (size_t)cJSON_GetArraySize(weights), arena, spreads);
    cJSON_Delete(root);
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
