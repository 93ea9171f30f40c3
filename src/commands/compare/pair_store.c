// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/pair_store.h"

#include <pthread.h>

#include "base/sort.h"
#include "base/threads.h"
#include "commands/dumps/place_graph.h"

typedef enum EntryState { ENTRY_UNREAD, ENTRY_BEING_READ, ENTRY_READ } EntryState;

typedef struct Entry {
    EntryState state;
    uint32_t users;
    StoredPair pair;
} Entry;

struct PairStore {
    const PlacePairs *places;
    const Redaction *redaction;
    Entry *entries;  // by place
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

const PlacePair *place_pair_at(const PlacePairs *places, int64_t step, Str stage, int64_t rank)
{
    size_t at;
    FIND_FIRST(at, places->count, places->items[at].step < step);
    for (; at < places->count && places->items[at].step == step; at++)
        if (places->items[at].rank == rank && str_equal(places->items[at].stage, stage))
            return &places->items[at];
    return NULL;
}

const PlacePair *place_pair_before(const PlacePairs *places, const PlacePair *place)
{
    const PlacePair *found =
        place->step > 0 ? place_pair_at(places, place->step - 1, place->stage, place->rank) : NULL;
    return found && found->golden && found->target ? found : NULL;
}

static Entry *entry_of(const PairStore *store, const PlacePair *place)
{
    const PlacePair *at = place_pair_at(store->places, place->step, place->stage, place->rank);
    return at ? &store->entries[at - store->places->items] : NULL;
}

PairStore *pair_store_new(const PlacePairs *mine, const PlacePairs *places,
                          const Redaction *redaction, Arena *arena)
{
    PairStore *store = ARENA_NEW(arena, PairStore);
    *store = (PairStore){.places = places,
                         .redaction = redaction,
                         .entries = ARENA_ARRAY(arena, Entry, places->count)};
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->changed, NULL);
    for (size_t i = 0; i < mine->count; i++) {
        const PlacePair *before = place_pair_before(places, &mine->items[i]);
        entry_of(store, &mine->items[i])->users++;
        if (before)
            entry_of(store, before)->users++;
    }
    return store;
}

void pair_store_free(PairStore *store)
{
    for (size_t i = 0; i < store->places->count; i++)
        if (store->entries[i].state == ENTRY_READ)
            arena_release(store->entries[i].pair.arena);
    pthread_cond_destroy(&store->changed);
    pthread_mutex_destroy(&store->lock);
}

// Both sides at once where there are threads for it.
typedef struct Sides {
    const PlacePair *place;
    GraphRules rules;
    StoredPair *out;
    Arena *arenas[2];
    Notices *notices[2];
    bool good[2];
} Sides;

static void read_one_side(void *context, size_t side)
{
    Sides *sides = context;
    const DumpPlace *place = side == 0 ? sides->place->golden : sides->place->target;
    Graph *graph = side == 0 ? &sides->out->golden : &sides->out->target;
    sides->good[side] =
        place_graph_read(place, sides->rules, sides->arenas[side], graph, sides->notices[side]);
}

void stored_pair_read(const PlacePair *place, GraphRules rules, int jobs, StoredPair *out,
                      const Redaction *redaction)
{
    Sides sides = {.place = place,
                   .rules = rules,
                   .out = out,
                   .arenas = {arena_child(out->arena), arena_child(out->arena)}};
    notices_init(&out->said, out->arena);
    out->said.redaction = redaction;
    for (int side = 0; side < 2; side++) {
        sides.notices[side] = out->late[side] = ARENA_NEW(sides.arenas[side], Notices);
        notices_init(sides.notices[side], sides.arenas[side]);
        sides.notices[side]->redaction = redaction;
    }
    threads_run(2, jobs, read_one_side, &sides);
    for (int side = 0; side < 2; side++)
        notices_move(&out->said, out->late[side]);
    out->good = sides.good[0] && sides.good[1];
}

StoredPair *pair_store_take(PairStore *store, const PlacePair *place, int jobs)
{
    Entry *entry = entry_of(store, place);
    pthread_mutex_lock(&store->lock);
    while (entry->state == ENTRY_BEING_READ)
        pthread_cond_wait(&store->changed, &store->lock);
    bool mine = entry->state == ENTRY_UNREAD;
    if (mine)
        entry->state = ENTRY_BEING_READ;
    pthread_mutex_unlock(&store->lock);
    if (!mine)
        return &entry->pair;
    entry->pair.arena = arena_new();
    stored_pair_read(place, GRAPH_VERNIER, jobs, &entry->pair, store->redaction);
    pthread_mutex_lock(&store->lock);
    entry->state = ENTRY_READ;
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->lock);
    return &entry->pair;
}

void pair_store_leave(PairStore *store, const PlacePair *place)
{
    Entry *entry = entry_of(store, place);
    pthread_mutex_lock(&store->lock);
    bool last = --entry->users == 0 && entry->state == ENTRY_READ;
    entry->state = last ? ENTRY_UNREAD : entry->state;
    pthread_mutex_unlock(&store->lock);
    if (last)
        arena_release(entry->pair.arena);
}
