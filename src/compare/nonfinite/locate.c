// SPDX-License-Identifier: Apache-2.0
#include "compare/nonfinite/locate.h"

#include <stdlib.h>

#include "base/sort.h"

// The ranks, how they hang together, and when each one's trouble begins.
typedef struct Ties {
    const Trail *trails;
    size_t count;
    Arena *arena;  // scratch
    CommTies comm;
    uint64_t *begins;  // by trail
    Names *spreads;    // who gave at which op, in the order of Locate.spreads
} Ties;

const char *locate_kind_word(Nonfinite found)
{
    return found & NONFINITE_NAN ? "NaN" : "Inf";
}

const char *birth_word(BirthKind kind)
{
    static const char *const words[] = {"none",    "output",        "parameter", "input",
                                        "arrival", "communication", "elsewhere"};
    return words[kind];
}

const char *overflow_word(Overflow level)
{
    static const char *const words[] = {NULL, "medium", "high", "critical"};
    return words[level];
}

// The earlier on the clock, then the lower rank.
static bool is_older(const Ties *ties, uint32_t a, uint32_t b)
{
    if (ties->begins[a] != ties->begins[b])
        return ties->begins[a] < ties->begins[b];
    return ties->trails[a].rank < ties->trails[b].rank;
}

// Of the ranks that gave something bad the one whose trouble is oldest; NULL if none did.
static const CommLink *find_giver(const Ties *ties, NameId key, uint32_t receiver)
{
    const CommLink *best = NULL;
    for (uint32_t i = ties->comm.first[key]; i != LINK_NONE; i = ties->comm.links[i].next) {
        const CommLink *link = &ties->comm.links[i];
        const CommCall *call = comm_ties_call(&ties->comm, link);
        if (link->rank == receiver || call->role == COMM_GETS || !call->gave)
            continue;
        if (!best || is_older(ties, link->rank, best->rank))
            best = link;
    }
    return best;
}

static bool has_trail(const Ties *ties, int64_t rank)
{
    for (size_t i = 0; i < ties->count; i++)
        if (ties->trails[i].rank == rank && !ties->trails[i].failed)
            return ties->trails[i].read.partial_at < 0;
    return false;
}

// Whether a member of the communication has no (whole) dump, so that it may be the source.
static bool lacks_member(const Ties *ties, const CommCall *call)
{
    if (call->peer >= 0)
        return !has_trail(ties, call->peer);
    RankList members;
    if (comm_ranks_parse(call->ranks, ties->arena, &members)) {
        for (size_t i = 0; i < members.count; i++)
            if (!has_trail(ties, members.items[i]))
                return true;
        return false;
    }
    for (size_t i = 0; i < ties->count; i++)
        if (ties->trails[i].failed || ties->trails[i].read.partial_at >= 0)
            return true;
    return false;
}

// How trouble came to one rank.
typedef struct Arrival {
    NameId key;             // communication; NAME_NONE: it was born here
    uint32_t call;          // of the receiving rank
    const CommLink *giver;  // NULL: none gave anything bad
} Arrival;

// The call at the op where trouble begins.
static bool find_call_at(const Trail *trail, uint32_t *out)
{
    for (uint32_t i = 0; i < trail->call_count; i++) {
        bool here = trail->calls[i].op + 1 == trail->first.position && trail->calls[i].got;
        if (here) {
            *out = i;
            return true;
        }
    }
    return false;
}

// A bad input that no op gave: what an asynchronous call brought is not in the dump of that call.
static Arrival late_arrival(const Ties *ties, uint32_t index)
{
    const Trail *trail = &ties->trails[index];
    for (uint32_t i = (uint32_t)trail->call_count; i-- > 0;) {
        const CommCall *call = &trail->calls[i];
        if (call->op + 1 > trail->first.position || !call->late || call->role == COMM_GIVES)
            continue;
        NameId key = ties->comm.key_of[index][i];
        const CommLink *giver = find_giver(ties, key, index);
        if (giver)
            return (Arrival){key, i, giver};
    }
    return (Arrival){0};
}

static Arrival arrival_of(const Ties *ties, uint32_t index)
{
    const Trail *trail = &ties->trails[index];
    Arrival out = {0};
    if (trail->first.kind == BIRTH_INPUT)
        return late_arrival(ties, index);
    if (trail->first.kind != BIRTH_ARRIVAL)
        return out;
    bool any = false;
    for (uint32_t i = 0; i < trail->call_count && !out.giver; i++) {
        if (trail->calls[i].op + 1 != trail->first.position || !trail->calls[i].got)
            continue;
        out.key = ties->comm.key_of[index][i];
        out.call = i;
        out.giver = find_giver(ties, out.key, index);
        any = true;
    }
    return any ? out : (Arrival){0};
}

// No rank gave anything bad: the first of those that got it stands for all.
static const CommLink *find_first_getter(const Ties *ties, NameId key)
{
    const CommLink *best = NULL;
    for (uint32_t i = ties->comm.first[key]; i != LINK_NONE; i = ties->comm.links[i].next) {
        const CommLink *link = &ties->comm.links[i];
        const Trail *trail = &ties->trails[link->rank];
        uint32_t call;
        bool here = trail->first.kind == BIRTH_ARRIVAL && find_call_at(trail, &call) &&
                    trail->first.position == comm_ties_call(&ties->comm, link)->op + 1;
        if (here && (!best || trail->rank < ties->trails[best->rank].rank))
            best = link;
    }
    return best;
}

static void add_origin(Locate *out, size_t fate, BirthKind kind)
{
    const Trail *trail = out->ranks[fate].trail;
    out->origins[out->origin_count++] =
        (Origin){.step = out->step, .rank = trail->rank, .sighting = &trail->first, .kind = kind};
}

static void add_arrival(const Ties *ties, const Arrival *arrival, uint32_t index, Arena *arena,
                        Locate *out)
{
    const Trail *trail = &ties->trails[index];
    const CommCall *given = comm_ties_call(&ties->comm, arrival->giver);
    int64_t from = ties->trails[arrival->giver->rank].rank;
    const int64_t key[] = {from, given->op};
    NameId number = names_add(ties->spreads, (Str){(const char *)key, sizeof key});
    Spread *spread = &out->spreads[number - 1];
    if (number > out->spread_count) {
        out->spread_count++;
        *spread = (Spread){.through = given->name,
                           .arrived = trail->calls[arrival->call].name,
                           .from_rank = from,
                           .from_position = given->op + 1,
                           .time = comm_clock_at(&out->clock, &ties->trails[arrival->giver->rank],
                                                 arrival->giver->rank, given->op + 1),
                           .origin = SIZE_MAX};
    }
    *ARRAY_ADD(arena, spread->to_ranks, spread->to_count, spread->capacity) = trail->rank;
    out->ranks[index].position = trail->calls[arrival->call].op + 1;
}

static void judge_rank(const Ties *ties, uint32_t index, Arena *arena, Locate *out)
{
    const Trail *trail = &ties->trails[index];
    out->ranks[index] = (RankFate){
        .trail = trail, .position = trail->first.position, .origin = SIZE_MAX, .spread = SIZE_MAX};
    if (trail->first.kind == BIRTH_NONE)
        return;
    Arrival arrival = arrival_of(ties, index);
    BirthKind kind = trail->first.kind;
    if (arrival.key && !arrival.giver) {
        bool lacks = lacks_member(ties, &trail->calls[arrival.call]);
        kind = lacks ? BIRTH_ELSEWHERE : BIRTH_COMMUNICATION;
        const CommLink *first = find_first_getter(ties, arrival.key);
        if (first && first->rank != index)
            arrival.giver = first;
    }
    if (arrival.giver)
        add_arrival(ties, &arrival, index, arena, out);
    else
        add_origin(out, index, kind == BIRTH_ARRIVAL ? BIRTH_ELSEWHERE : kind);
}

static int compare_origins(const void *a, const void *b)
{
    const Origin *one = a, *two = b;
    bool unknown[2] = {one->kind == BIRTH_ELSEWHERE, two->kind == BIRTH_ELSEWHERE};
    if (unknown[0] != unknown[1])
        return unknown[0] ? 1 : -1;
    if (one->time != two->time)
        return one->time < two->time ? -1 : 1;
    return one->rank < two->rank ? -1 : one->rank > two->rank;
}

static int compare_spreads(const void *a, const void *b)
{
    const Spread *one = a, *two = b;
    if (one->hop != two->hop)
        return one->hop < two->hop ? -1 : 1;
    if (one->time != two->time)
        return one->time < two->time ? -1 : 1;
    return one->from_rank < two->from_rank ? -1 : one->from_rank > two->from_rank;
}

static int compare_ranks(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, two = *(const int64_t *)b;
    return one < two ? -1 : one > two;
}

// What is of a rank, by rank and then as it is in its list.
typedef struct OfRank {
    int64_t rank;
    size_t index;
} OfRank;

typedef struct OfRanks {
    OfRank *items;
    size_t count;
} OfRanks;

static int compare_of_ranks(const void *a, const void *b)
{
    const OfRank *one = a, *two = b;
    if (one->rank != two->rank)
        return one->rank < two->rank ? -1 : 1;
    return one->index < two->index ? -1 : one->index > two->index;
}

static void sort_of_ranks(OfRanks *of)
{
    if (of->count)
        qsort(of->items, of->count, sizeof *of->items, compare_of_ranks);
}

// The place of the first one of that rank, or where it would stand.
static size_t first_of_rank(const OfRanks *of, int64_t rank)
{
    size_t at;
    FIND_FIRST(at, of->count, of->items[at].rank < rank);
    return at;
}

static bool is_of_rank(const OfRanks *of, size_t at, int64_t rank)
{
    return at < of->count && of->items[at].rank == rank;
}

static OfRanks origins_of_ranks(const Locate *out, Arena *scratch)
{
    OfRanks of = {ARENA_ARRAY(scratch, OfRank, out->origin_count), out->origin_count};
    for (size_t i = 0; i < of.count; i++)
        of.items[i] = (OfRank){out->origins[i].rank, i};
    sort_of_ranks(&of);
    return of;
}

static OfRanks spreads_of_ranks(const Locate *out, Arena *scratch)
{
    OfRanks of = {ARENA_ARRAY(scratch, OfRank, out->spread_count), out->spread_count};
    for (size_t i = 0; i < of.count; i++)
        of.items[i] = (OfRank){out->spreads[i].from_rank, i};
    sort_of_ranks(&of);
    return of;
}

static OfRanks fates_of_ranks(const Locate *out, Arena *scratch)
{
    OfRanks of = {ARENA_ARRAY(scratch, OfRank, out->rank_count), out->rank_count};
    for (size_t i = 0; i < of.count; i++)
        of.items[i] = (OfRank){out->ranks[i].trail->rank, i};
    sort_of_ranks(&of);
    return of;
}

// What the ranks that a spread reached gave, and is not reached from elsewhere, is one hop further.
static void follow_spread(Locate *out, const Spread *spread, const OfRanks *givers, Spread **next,
                          size_t *count)
{
    for (size_t i = 0; i < spread->to_count; i++) {
        size_t at = first_of_rank(givers, spread->to_ranks[i]);
        for (; is_of_rank(givers, at, spread->to_ranks[i]); at++) {
            Spread *further = &out->spreads[givers->items[at].index];
            if (further->hop)
                continue;
            further->hop = spread->hop + 1;
            further->origin = spread->origin;
            next[(*count)++] = further;
        }
    }
}

static int compare_places(const void *a, const void *b)
{
    const Spread *one = *(Spread *const *)a, *two = *(Spread *const *)b;
    return one < two ? -1 : one > two;
}

// From the origins outwards; of several that reach a rank the first counts.
static void follow_hops(Locate *out, Arena *scratch)
{
    OfRanks origins = origins_of_ranks(out, scratch), givers = spreads_of_ranks(out, scratch);
    Spread **queue = ARENA_ARRAY(scratch, Spread *, out->spread_count);
    size_t count = 0;
    for (size_t i = 0; i < out->spread_count; i++) {
        Spread *spread = &out->spreads[i];
        qsort(spread->to_ranks, spread->to_count, sizeof(int64_t), compare_ranks);
        size_t at = first_of_rank(&origins, spread->from_rank);
        for (; is_of_rank(&origins, at, spread->from_rank); at++) {
            spread->hop = 1;
            spread->origin = origins.items[at].index;
        }
        if (spread->hop)
            queue[count++] = spread;
    }
    for (size_t from = 0, end = count; from < end; end = count) {
        for (; from < end; from++)
            follow_spread(out, queue[from], &givers, queue, &count);
        if (count > end)
            qsort(queue + end, count - end, sizeof *queue, compare_places);
    }
}

static void tell_ranks(Locate *out, Arena *scratch)
{
    OfRanks fates = fates_of_ranks(out, scratch);
    for (size_t k = 0; k < out->origin_count; k++) {
        int64_t rank = out->origins[k].rank;
        for (size_t at = first_of_rank(&fates, rank); is_of_rank(&fates, at, rank); at++)
            out->ranks[fates.items[at].index].origin = k;
    }
    for (size_t k = 0; k < out->spread_count; k++) {
        const Spread *spread = &out->spreads[k];
        for (size_t i = 0; i < spread->to_count; i++) {
            int64_t rank = spread->to_ranks[i];
            for (size_t at = first_of_rank(&fates, rank); is_of_rank(&fates, at, rank); at++)
                out->ranks[fates.items[at].index].spread = k;
        }
        if (spread->origin != SIZE_MAX)
            out->origins[spread->origin].reached += spread->to_count;
    }
}

void locate_step(const Trail *trails, size_t count, int64_t step, Str stage, Arena *arena,
                 Locate *out)
{
    Ties ties = {.trails = trails, .count = count, .arena = arena_new()};
    ties.spreads = names_new(ties.arena);
    *out =
        (Locate){.step = step, .stage = stage, .rank_count = count, .no_communication = count > 1};
    out->ranks = ARENA_ARRAY(arena, RankFate, count);
    out->origins = ARENA_ARRAY(arena, Origin, count);
    out->spreads = ARENA_ARRAY(arena, Spread, count);
    comm_ties_build(trails, count, ties.arena, &ties.comm);
    comm_clock_run(&ties.comm, arena, &out->clock);
    ties.begins = ARENA_ARRAY(ties.arena, uint64_t, count);
    for (uint32_t i = 0; i < count; i++)
        ties.begins[i] = comm_clock_at(&out->clock, &trails[i], i, trails[i].first.position);
    for (uint32_t i = 0; i < count; i++) {
        judge_rank(&ties, i, arena, out);
        out->tensors += trails[i].tensors;
        out->untold += trails[i].untold;
        out->unsure += trails[i].unsure;
        out->healthy += trails[i].healthy;
        out->no_communication = out->no_communication && trails[i].call_count == 0;
    }
    if (out->origin_count)
        qsort(out->origins, out->origin_count, sizeof *out->origins, compare_origins);
    follow_hops(out, ties.arena);
    if (out->spread_count)
        qsort(out->spreads, out->spread_count, sizeof *out->spreads, compare_spreads);
    tell_ranks(out, ties.arena);
    arena_release(ties.arena);
}
