// SPDX-License-Identifier: Apache-2.0
#include "export/history/compare_history.h"

#include <math.h>

#include "export/facts/compare_fields.h"

static FactState state_of(Status status, bool starts)
{
    switch (status) {
    case STATUS_SAME:
    case STATUS_PASS:
        return FACT_CALM;
    case STATUS_WARNING:
        return starts ? FACT_WARNING : FACT_INHERITED;
    case STATUS_ERROR:
    case STATUS_UNMATCHED:
        return starts ? FACT_BEYOND : FACT_INHERITED;
    default:
        return FACT_NONE;
    }
}

static Str pair_place(const PairFacts *pair, Arena *arena)
{
    if (pair->stage.size)
        return str_printf(arena, "step%lld/" STR_FMT "/rank%lld", (long long)pair->step,
                          STR_ARG(pair->stage), (long long)pair->rank);
    return str_printf(arena, "step%lld/rank%lld", (long long)pair->step, (long long)pair->rank);
}

// Bytes and ops of both sides: another golden run shows as other facts.
static void add_inputs(const PairFacts *pair, Str place, Arena *arena, HistoryNight *out)
{
    static const char *const sides[] = {"golden", "target"};
    for (int side = 0; side < 2; side++)
        if (pair->reads[side].file.size)
            fields_remember(
                &read_fields, &pair->reads[side],
                (HistoryFact){.kind = STR("input"), .place = place, .name = str_of(sides[side])},
                arena, out);
}

static void add_pair(const PairFacts *pair, int64_t position, Str place, Arena *arena,
                     HistoryNight *out)
{
    const FirstDivergence *first = &pair->first;
    HistoryFact fact = {.kind = STR("pair"),
                        .place = place,
                        .metric = STR("largest_error"),
                        .state = state_of(pair->status, true),
                        .value = pair->compared ? pair->largest_error : (double)NAN,
                        .position = position};
    if (first->kind != DIVERGE_NONE)
        fact.note = pair_facts_op(first);
    history_add(out, arena, fact);
}

static void add_layer(const LayerFact *layer, Str place, Arena *arena, HistoryNight *out)
{
    HistoryFact fact = {.kind = STR("layer"),
                        .name = layer->name,
                        .metric = STR("status"),
                        .state = state_of(layer->status, layer->starts),
                        .value = (double)NAN,
                        .position = layer->position};
    fact.note = layer->op.size
                    ? str_printf(arena, STR_FMT ", " STR_FMT, STR_ARG(layer->op), STR_ARG(place))
                    : (Str){"", 0};
    if (!fields_remember(&layer_fields, layer, fact, arena, out))
        history_add(out, arena, fact);
}

void compare_history_facts(const CompareSummary *summary, const LayerFacts *layers, Arena *arena,
                           HistoryNight *out)
{
    out->state = state_of(summary->status, true);
    out->partial = summary->verdict->partial;
    for (size_t i = 0; i < summary->count; i++) {
        const PairFacts *pair = &summary->pairs[i];
        Str place = pair_place(pair, arena);
        add_inputs(pair, place, arena, out);
        add_pair(pair, (int64_t)i, place, arena, out);
        for (size_t k = 0; k < layers[i].count; k++)
            add_layer(&layers[i].items[k], place, arena, out);
    }
    history_sort(out);
}
