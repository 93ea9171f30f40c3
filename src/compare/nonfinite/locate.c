// SPDX-License-Identifier: Apache-2.0
#include "compare/nonfinite/locate.h"

#include <stdlib.h>

// The ranks, how they hang together, and when each one's trouble begins.
typedef struct Ties {
    const Trail *trails;
    size_t count;
    Arena *arena;  // scratch
    CommTies comm;
    uint64_t *begins;  // by trail
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
    Spread *spread = NULL;
    for (size_t i = 0; i < out->spread_count && !spread; i++)
        if (out->spreads[i].from_rank == from && out->spreads[i].from_position == given->op + 1)
            spread = &out->spreads[i];
    if (!spread) {
        spread = &out->spreads[out->spread_count++];
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

static bool reaches(const Spread *spread, int64_t rank)
{
    return bsearch(&rank, spread->to_ranks, spread->to_count, sizeof rank, compare_ranks) != NULL;
}

// From the origins outwards: whatever a reached rank gave is one hop further.
static void follow_hops(Locate *out)
{
    for (size_t i = 0; i < out->spread_count; i++)
        qsort(out->spreads[i].to_ranks, out->spreads[i].to_count, sizeof(int64_t), compare_ranks);
    for (size_t i = 0; i < out->spread_count; i++)
        for (size_t k = 0; k < out->origin_count; k++)
            if (out->origins[k].rank == out->spreads[i].from_rank) {
                out->spreads[i].hop = 1;
                out->spreads[i].origin = k;
            }
    for (uint32_t hop = 1; hop <= out->spread_count; hop++)
        for (size_t i = 0; i < out->spread_count; i++)
            for (size_t k = 0; k < out->spread_count && out->spreads[i].hop == hop; k++)
                if (out->spreads[k].hop == 0 &&
                    reaches(&out->spreads[i], out->spreads[k].from_rank)) {
                    out->spreads[k].hop = hop + 1;
                    out->spreads[k].origin = out->spreads[i].origin;
                }
}

static void tell_ranks(Locate *out)
{
    for (size_t i = 0; i < out->rank_count; i++) {
        RankFate *fate = &out->ranks[i];
        for (size_t k = 0; k < out->origin_count; k++)
            if (out->origins[k].rank == fate->trail->rank)
                fate->origin = k;
        for (size_t k = 0; k < out->spread_count; k++)
            if (reaches(&out->spreads[k], fate->trail->rank))
                fate->spread = k;
    }
    for (size_t k = 0; k < out->spread_count; k++)
        if (out->spreads[k].origin != SIZE_MAX)
            out->origins[out->spreads[k].origin].reached += out->spreads[k].to_count;
}

void locate_step(const Trail *trails, size_t count, int64_t step, Str stage, Arena *arena,
                 Locate *out)
{
    Ties ties = {.trails = trails, .count = count, .arena = arena_new()};
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
        out->healthy += trails[i].healthy;
        out->no_communication = out->no_communication && trails[i].call_count == 0;
    }
    if (out->origin_count)
        qsort(out->origins, out->origin_count, sizeof *out->origins, compare_origins);
    follow_hops(out);
    if (out->spread_count)
        qsort(out->spreads, out->spread_count, sizeof *out->spreads, compare_spreads);
    tell_ranks(out);
    arena_release(ties.arena);
}
