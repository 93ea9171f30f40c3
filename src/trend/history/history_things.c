// SPDX-License-Identifier: Apache-2.0
#include "trend/history/history_things.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

// A fact with the index of its night.
typedef struct Entry {
    const HistoryFact *fact;
    size_t night;
} Entry;

static int by_thing(const void *left, const void *right)
{
    const Entry *a = left, *b = right;
    int order = history_fact_order(a->fact, b->fact);
    if (order)
        return order;
    return a->night < b->night ? -1 : a->night > b->night;
}

static bool same_thing(const HistoryFact *a, const HistoryFact *b)
{
    return str_equal(a->kind, b->kind) && str_equal(a->place, b->place) &&
           str_equal(a->name, b->name);
}

static int kind_order(Str kind)
{
    static const char *const kinds[] = {"layer", "stage", "curve", "norm", "object", "pair"};
    int order = 0;
    while (order < 6 && !str_equal(kind, str_of(kinds[order])))
        order++;
    return order;
}

static int by_position(const void *left, const void *right)
{
    const HistoryThing *a = left, *b = right;
    int x = kind_order(a->kind), y = kind_order(b->kind);
    if (x != y)
        return x < y ? -1 : 1;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    int order = str_compare_natural(a->place, b->place);
    order = order ? order : str_compare_natural(a->name, b->name);
    return order ? order : str_compare(a->kind, b->kind);
}

static Entry *list_entries(const History *history, Arena *arena, size_t *count)
{
    size_t total = 0;
    for (size_t i = 0; i < history->count; i++)
        total += history->items[i].count;
    Entry *entries = ARENA_ARRAY(arena, Entry, total);
    *count = 0;
    for (size_t i = 0; i < history->count; i++)
        for (size_t k = 0; k < history->items[i].count; k++)
            if (!str_equal(history->items[i].items[k].kind, STR("input")))
                entries[(*count)++] = (Entry){&history->items[i].items[k], i};
    qsort(entries, *count, sizeof *entries, by_thing);
    return entries;
}

static size_t count_metrics(const Entry *entries, size_t count)
{
    size_t metrics = count > 0;
    for (size_t i = 1; i < count; i++)
        metrics += !str_equal(entries[i].fact->metric, entries[i - 1].fact->metric);
    return metrics;
}

// `entries` are all of one thing.
static void build_thing(const Entry *entries, size_t count, size_t nights, Arena *arena,
                        HistoryThing *out)
{
    const HistoryFact *first = entries[0].fact;
    *out = (HistoryThing){.kind = first->kind, .place = first->place, .name = first->name};
    out->tracks = ARENA_ARRAY(arena, HistoryTrack, count_metrics(entries, count));
    out->states = ARENA_ARRAY(arena, uint8_t, nights);
    out->began = ARENA_ARRAY(arena, uint32_t, nights);
    HistoryTrack *track = NULL;
    size_t newest = 0;
    for (size_t i = 0; i < count; i++) {
        const HistoryFact *fact = entries[i].fact;
        size_t night = entries[i].night;
        if (!track || !str_equal(track->metric, fact->metric)) {
            track = &out->tracks[out->track_count++];
            track->metric = fact->metric;
            track->nights = ARENA_ARRAY(arena, const HistoryFact *, nights);
        }
        track->nights[night] = fact;
        if (fact->state > out->states[night])
            out->states[night] = (uint8_t)fact->state;
        if (i == 0 || night > newest || (night == newest && fact->position < out->position))
            out->position = fact->position;
        newest = night > newest ? night : newest;
    }
}

static int level(uint8_t state)
{
    return state == FACT_BEYOND ? 2 : state == FACT_WARNING ? 1 : 0;
}

// The nightly run before `night` with data, or SIZE_MAX.
static size_t seen_before(const HistoryThing *thing, size_t night)
{
    while (night-- > 0)
        if (thing->states[night] != FACT_NONE)
            return night;
    return SIZE_MAX;
}

// Whether `night` does not have an input that `before` had: a rank, a run. Facts are sorted, inputs
// first or last, but together.
static bool lacks_input(const HistoryNight *before, const HistoryNight *night)
{
    size_t at = 0;
    for (size_t i = 0; i < before->count; i++) {
        const HistoryFact *fact = &before->items[i];
        if (!str_equal(fact->kind, STR("input")))
            continue;
        while (at < night->count && history_fact_order(&night->items[at], fact) < 0)
            at++;
        if (at == night->count || history_fact_order(&night->items[at], fact) != 0)
            return true;
    }
    return false;
}

// Whether a night does not have an input that an earlier one had, looked at once for each of these.
typedef struct Lacks {
    const HistoryNight *nights;
    size_t night;
    size_t *seen_for;  // by earlier night: the night it was looked at for
    bool *lacks;
} Lacks;

static bool lacks_of(Lacks *of, size_t before)
{
    if (of->seen_for[before] != of->night) {
        of->seen_for[before] = of->night;
        of->lacks[before] = lacks_input(&of->nights[before], &of->nights[of->night]);
    }
    return of->lacks[before];
}

// Trouble is not over because the rank that had it is missing: a night that was read in part, or
// that does not have an input, says nothing about what was beyond tolerance before and is calm in
// what is left. `before` is the nightly run before with data.
static void doubt_recovery(HistoryThing *thing, size_t before, Lacks *lacks)
{
    uint8_t *state = &thing->states[lacks->night];
    bool partial = lacks->nights[lacks->night].partial;
    if (before == SIZE_MAX || level(thing->states[before]) == 0 || level(*state) > 0)
        return;
    bool own = str_equal(thing->kind, STR("pair")) && !partial;
    if (!own && (partial || lacks_of(lacks, before)))
        *state = FACT_NONE;
}

static void judge_nights(HistoryThings *things, Arena *arena)
{
    size_t count = things->history->count;
    Lacks lacks = {.nights = things->history->items,
                   .seen_for = ARENA_ARRAY(arena, size_t, count),
                   .lacks = ARENA_ARRAY(arena, bool, count)};
    size_t *before = ARENA_ARRAY(arena, size_t, things->count);
    for (size_t night = 0; night < count; night++) {
        lacks.night = night;
        for (size_t i = 0; i < things->count; i++) {
            HistoryThing *thing = &things->items[i];
            if (night == 0)
                before[i] = SIZE_MAX;
            else
                doubt_recovery(thing, before[i], &lacks);
            if (thing->states[night] == FACT_NONE)
                continue;
            bool lasts = before[i] != SIZE_MAX && level(thing->states[before[i]]) > 0;
            thing->began[night] = lasts ? thing->began[before[i]] : (uint32_t)night;
            before[i] = night;
        }
    }
}

void history_things(const History *history, Arena *arena, HistoryThings *out)
{
    size_t count;
    *out = (HistoryThings){.history = history};
    const Entry *entries = list_entries(history, arena, &count);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && same_thing(entries[from].fact, entries[to].fact);)
            to++;
        build_thing(entries + from, to - from, history->count, arena, ARRAY_PUSH(arena, out));
    }
    judge_nights(out, arena);
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, by_position);
}

const char *thing_change_word(ThingChange change)
{
    static const char *const words[] = {"no data", "calm", "new", "lasting", "recovered"};
    return words[change];
}

ThingChange history_change(const HistoryThing *thing, size_t night, size_t *since)
{
    *since = night;
    if (thing->states[night] == FACT_NONE)
        return THING_UNKNOWN;
    size_t before = seen_before(thing, night);
    int now = level(thing->states[night]);
    int then = before == SIZE_MAX ? 0 : level(thing->states[before]);
    if (now == 0 && then == 0)
        return THING_CALM;
    *since = thing->began[now ? night : before];
    if (now == 0)
        return THING_RECOVERED;
    return night > 0 && now > then ? THING_NEW : THING_LASTING;
}

// The figure by which a thing is known, where it says anything.
static bool is_leading(const HistoryFact *fact)
{
    static const char *const metrics[] = {"forward", "mean_relative", "relative_error",
                                          "difference"};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (str_equal(fact->metric, str_of(metrics[i])))
            return fact->value > 0;
    return false;
}

static bool tells_more(const HistoryFact *a, const HistoryFact *b)
{
    if (!b || a->state != b->state)
        return !b || a->state > b->state;
    if (is_leading(a) != is_leading(b))
        return is_leading(a);
    return !isnan(a->value) && (isnan(b->value) || a->value > b->value);
}

const HistoryFact *history_telling_fact(const HistoryThing *thing, size_t night)
{
    const HistoryFact *best = NULL;
    for (size_t i = 0; i < thing->track_count; i++) {
        const HistoryFact *fact = thing->tracks[i].nights[night];
        if (fact && tells_more(fact, best))
            best = fact;
    }
    return best;
}

void history_news(const HistoryThings *things, size_t night, HistoryNews *out)
{
    const HistoryNight *nights = things->history->items;
    *out = (HistoryNews){0};
    for (size_t i = 0; i < things->count; i++) {
        size_t since;
        out->counts[history_change(&things->items[i], night, &since)]++;
    }
    out->worse = out->counts[THING_NEW] > 0 ||
                 (night > 0 &&
                  level((uint8_t)nights[night].state) > level((uint8_t)nights[night - 1].state));
}
