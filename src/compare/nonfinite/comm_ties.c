// SPDX-License-Identifier: Apache-2.0
#include "compare/nonfinite/comm_ties.h"

#include <string.h>

#include "base/sort.h"

static void append_link(CommTies *ties, NameId key, uint32_t link)
{
    if (ties->last[key] == LINK_NONE)
        ties->first[key] = link;
    else
        ties->links[ties->last[key]].next = link;
    ties->last[key] = link;
}

typedef struct Tying {
    CommTies *ties;
    Names *channels, *keys;
    Arena *scratch;
    uint32_t link_count;
} Tying;

// The running count of the channel on this rank makes the key of the communication.
static void tie_trail(Tying *tying, uint32_t index, Arena *arena)
{
    CommTies *ties = tying->ties;
    const Trail *trail = &ties->trails[index];
    ties->key_of[index] = ARENA_ARRAY(arena, NameId, trail->call_count);
    size_t capacity = names_count(tying->channels) + trail->call_count + 1;
    uint32_t *seen = ARENA_ARRAY(tying->scratch, uint32_t, capacity);
    for (uint32_t i = 0; i < trail->call_count; i++) {
        Str channel = trail->calls[i].channel;
        uint32_t number = seen[names_add(tying->channels, channel)]++;
        Str text = str_printf(tying->scratch, STR_FMT " %u", STR_ARG(channel), number);
        NameId key = names_add(tying->keys, text);
        ties->key_of[index][i] = key;
        ties->links[tying->link_count] = (CommLink){index, i, LINK_NONE};
        append_link(ties, key, tying->link_count++);
    }
}

void comm_ties_build(const Trail *trails, size_t count, Arena *arena, CommTies *out)
{
    Arena *scratch = arena_new();
    size_t calls = 0;
    for (size_t i = 0; i < count; i++)
        calls += trails[i].call_count;
    *out = (CommTies){.trails = trails,
                      .count = count,
                      .links = ARENA_ARRAY(arena, CommLink, calls),
                      .key_of = ARENA_ARRAY(arena, NameId *, count),
                      .first = ARENA_ARRAY(arena, uint32_t, calls + 1),
                      .last = ARENA_ARRAY(arena, uint32_t, calls + 1)};
    memset(out->first, 0xff, (calls + 1) * sizeof *out->first);
    memset(out->last, 0xff, (calls + 1) * sizeof *out->last);
    Tying tying = {out, names_new(scratch), names_new(scratch), scratch, 0};
    for (uint32_t i = 0; i < count; i++)
        tie_trail(&tying, i, arena);
    out->key_count = names_count(tying.keys);
    arena_release(scratch);
}

const CommCall *comm_ties_call(const CommTies *ties, const CommLink *link)
{
    return &ties->trails[link->rank].calls[link->call];
}

// ---- the clock

// What is known of one communication so far.
typedef struct Meeting {
    uint32_t members, arrived;
    uint64_t latest;  // of those that have arrived
    bool transfer;    // from one rank to another
    bool has_sender, sent;
} Meeting;

typedef struct Clockwork {
    const CommTies *ties;
    CommClock *clock;
    Meeting *meetings;  // by key
    uint32_t *next;     // by rank: its next call
    bool *here;         // by rank: it has arrived at that call
    bool *queued;
    uint32_t *queue;  // a ring of ranks that may go on
    size_t head, length;
} Clockwork;

static void wake(Clockwork *work, uint32_t rank)
{
    if (work->queued[rank])
        return;
    work->queued[rank] = true;
    work->queue[(work->head + work->length++) % work->ties->count] = rank;
}

static void wake_all(Clockwork *work, NameId key)
{
    const CommTies *ties = work->ties;
    for (uint32_t i = ties->first[key]; i != LINK_NONE; i = ties->links[i].next)
        wake(work, ties->links[i].rank);
}

// The time of a call if nothing makes it wait.
static uint64_t own_time(const Clockwork *work, uint32_t rank)
{
    const CommCall *calls = work->ties->trails[rank].calls;
    uint32_t next = work->next[rank];
    if (next == 0)
        return (uint64_t)calls[0].op + 1;
    uint64_t before = work->clock->call_times[rank][next - 1];
    return before + (calls[next].op - calls[next - 1].op);
}

static void pass(Clockwork *work, uint32_t rank, uint64_t time)
{
    work->clock->call_times[rank][work->next[rank]++] = time;
    work->here[rank] = false;
}

static void arrive(Clockwork *work, uint32_t rank, NameId key, const CommCall *call, uint64_t time)
{
    Meeting *meeting = &work->meetings[key];
    work->here[rank] = true;
    meeting->arrived++;
    bool sends = meeting->transfer && call->role == COMM_GIVES;
    if (!meeting->transfer || sends)
        meeting->latest = time > meeting->latest ? time : meeting->latest;
    meeting->sent = meeting->sent || sends;
    if (sends || meeting->arrived == meeting->members)
        wake_all(work, key);
}

// Takes a rank as far as it can go.
static void advance(Clockwork *work, uint32_t rank)
{
    const Trail *trail = &work->ties->trails[rank];
    while (work->next[rank] < trail->call_count) {
        const CommCall *call = &trail->calls[work->next[rank]];
        NameId key = work->ties->key_of[rank][work->next[rank]];
        Meeting *meeting = &work->meetings[key];
        uint64_t time = own_time(work, rank);
        if (!work->here[rank])
            arrive(work, rank, key, call, time);
        bool receives = meeting->transfer && call->role != COMM_GIVES;
        if (receives ? meeting->has_sender && !meeting->sent
                     : !meeting->transfer && meeting->arrived < meeting->members)
            return;
        if (receives && meeting->sent && meeting->latest + 1 > time)
            time = meeting->latest + 1;
        else if (!meeting->transfer)
            time = meeting->latest;
        pass(work, rank, time);
    }
}

// All wait: the one with the earliest clock goes on alone. False when all are done.
static bool force_one(Clockwork *work)
{
    uint32_t best = UINT32_MAX;
    uint64_t earliest = 0;
    for (uint32_t rank = 0; rank < work->ties->count; rank++) {
        if (work->next[rank] == work->ties->trails[rank].call_count)
            continue;
        uint64_t time = own_time(work, rank);
        if (best == UINT32_MAX || time < earliest) {
            best = rank;
            earliest = time;
        }
    }
    if (best == UINT32_MAX)
        return false;
    pass(work, best, earliest);
    wake(work, best);
    return true;
}

static void count_members(Clockwork *work)
{
    const CommTies *ties = work->ties;
    for (NameId key = 1; key <= ties->key_count; key++) {
        Meeting *meeting = &work->meetings[key];
        for (uint32_t i = ties->first[key]; i != LINK_NONE; i = ties->links[i].next) {
            const CommCall *call = comm_ties_call(ties, &ties->links[i]);
            meeting->members++;
            meeting->transfer = str_starts(call->channel, STR("p "));
            meeting->has_sender = meeting->has_sender || call->role == COMM_GIVES;
        }
    }
}

void comm_clock_run(const CommTies *ties, Arena *arena, CommClock *out)
{
    Arena *scratch = arena_new();
    Clockwork work = {.ties = ties,
                      .clock = out,
                      .meetings = ARENA_ARRAY(scratch, Meeting, ties->key_count + 1),
                      .next = ARENA_ARRAY(scratch, uint32_t, ties->count),
                      .here = ARENA_ARRAY(scratch, bool, ties->count),
                      .queued = ARENA_ARRAY(scratch, bool, ties->count),
                      .queue = ARENA_ARRAY(scratch, uint32_t, ties->count)};
    *out = (CommClock){.call_times = ARENA_ARRAY(arena, uint64_t *, ties->count)};
    count_members(&work);
    for (uint32_t rank = 0; rank < ties->count; rank++) {
        out->call_times[rank] = ARENA_ARRAY(arena, uint64_t, ties->trails[rank].call_count);
        wake(&work, rank);
    }
    do {
        while (work.length) {
            uint32_t rank = work.queue[work.head];
            work.head = work.head + 1 < ties->count ? work.head + 1 : 0;
            work.length--;
            work.queued[rank] = false;
            advance(&work, rank);
        }
    } while (force_one(&work));
    for (size_t rank = 0; rank < ties->count; rank++) {
        const Trail *trail = &ties->trails[rank];
        uint64_t last = comm_clock_at(out, trail, rank, trail->op_count);
        out->end = last > out->end ? last : out->end;
    }
    arena_release(scratch);
}

uint64_t comm_clock_at(const CommClock *clock, const Trail *trail, size_t rank, uint32_t position)
{
    size_t at;
    FIND_FIRST(at, trail->call_count, trail->calls[at].op + 1 <= position);
    if (at == 0)
        return position;
    uint64_t before = clock->call_times[rank][at - 1];
    return before + (position - (trail->calls[at - 1].op + 1));
}
