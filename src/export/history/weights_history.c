// SPDX-License-Identifier: Apache-2.0
#include "export/history/weights_history.h"

#include <math.h>

#include "base/array.h"
#include "base/names.h"

typedef struct LayerWorst {
    FactState state;
    double value;
    Str weight;
    size_t position;
} LayerWorst;

typedef struct LayerWorsts {
    LayerWorst *items;  // by NameId - 1
    size_t count, capacity;
} LayerWorsts;

// "model.layers.3" of "model.layers.3.mlp.up_proj.weight", "model.norm" of "model.norm.weight".
static Str layer_of(Str name)
{
    for (size_t at = 0; at < name.size; at++) {
        size_t end = str_find_char(name, '.', at);
        end = end == SIZE_MAX ? name.size : end;
        int64_t number;
        if (at > 0 && end < name.size && str_to_int64(str_slice(name, at, end), &number))
            return str_slice(name, 0, end);
        at = end;
    }
    size_t dot = str_rfind_char(name, '.');
    return dot == SIZE_MAX ? name : str_slice(name, 0, dot);
}

static FactState state_of(Status status)
{
    static const FactState states[STATUS_COUNT] = {[STATUS_SAME] = FACT_CALM,
                                                   [STATUS_PASS] = FACT_CALM,
                                                   [STATUS_WARNING] = FACT_WARNING,
                                                   [STATUS_ERROR] = FACT_BEYOND,
                                                   [STATUS_UNMATCHED] = FACT_BEYOND};
    return states[status];
}

static void add_inputs(const WeightComparison *comparison, Arena *arena, HistoryNight *out)
{
    const Weights *sides[] = {comparison->golden, comparison->target};
    static const char *const names[] = {"golden", "target"};
    for (int side = 0; side < 2; side++) {
        HistoryFact fact = {.kind = STR("input"), .name = str_of(names[side])};
        fact.metric = STR("bytes");
        fact.value = (double)sides[side]->bytes;
        history_add(out, arena, fact);
        fact.metric = STR("weights");
        fact.value = (double)sides[side]->count;
        history_add(out, arena, fact);
    }
}

static void add_weight(const WeightComparison *comparison, size_t item, Names *names, Arena *arena,
                       LayerWorsts *layers)
{
    const WeightResult *result = &comparison->items[item];
    Str name = result->pair.golden != WEIGHT_NONE
                   ? comparison->golden->items[result->pair.golden].name
                   : comparison->target->items[result->pair.target].name;
    NameId id = names_add(names, layer_of(name));
    if (id > layers->count)
        *ARRAY_PUSH(arena, layers) = (LayerWorst){.value = (double)NAN, .position = item};
    LayerWorst *worst = &layers->items[id - 1];
    FactState state = state_of(result->status);
    double error = result->status == STATUS_SAME            ? 0
                   : result->metrics.nonfinite_mismatch > 0 ? (double)INFINITY
                                                            : result->metrics.norm_error;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what has a number is there
    bool larger = isnan(worst->value) || error > worst->value;
    if (state < worst->state || (state == worst->state && !larger))
        return;
    worst->state = state;
    worst->value = error;
    worst->weight = name;
}

void weights_history_facts(const WeightsView *view, Arena *arena, HistoryNight *out)
{
    const WeightComparison *comparison = view->comparison;
    Names *names = names_new(arena);
    LayerWorsts layers = {0};
    out->partial = view->verdict->partial;
    out->state = view->verdict->style == STYLE_ERROR ? FACT_BEYOND : FACT_CALM;
    add_inputs(comparison, arena, out);
    for (size_t i = 0; i < comparison->count; i++)
        add_weight(comparison, i, names, arena, &layers);
    for (size_t i = 0; i < layers.count; i++) {
        const LayerWorst *worst = &layers.items[i];
        bool number = isfinite(worst->value);
        history_add(out, arena,
                    (HistoryFact){.kind = STR("layer"),
                                  .name = names_text(names, (NameId)(i + 1)),
                                  .metric = number ? STR("parameters") : STR("status"),
                                  .state = worst->state,
                                  .value = number ? worst->value : (double)NAN,
                                  .position = (int64_t)worst->position,
                                  .note = worst->state > FACT_CALM ? worst->weight : (Str){"", 0}});
    }
    history_sort(out);
}
