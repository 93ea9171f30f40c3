// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_PAIR_STORE_H
#define VERNIER_COMMANDS_COMPARE_PAIR_STORE_H

#include "model/graph/graph.h"
#include "read/dump/dump_folder.h"

// The dumps of the pairs of a run, each read once: a pair is looked at for its own sake and for
// that of the step after it. Whoever asks first reads; memory is given back when both are done, so
// there are no more of them than threads, twice.

// Both sides of a pair as they were read. Nobody changes them.
typedef struct StoredPair {
    Graph golden, target;
    Notices *late[2];  // of golden and target: what their stacks tell when they are asked
    Notices said;      // by reading them
    bool good;         // both could be read
    Arena *arena;      // that they live in
} StoredPair;

// Fills everything but `arena`, which is the caller's. `jobs`: threads to read with.
void stored_pair_read(const PlacePair *place, GraphRules rules, int jobs, StoredPair *out,
                      const Redaction *redaction);

typedef struct PairStore PairStore;

// `mine`: the pairs that are compared, among `places`, all of the run.
PairStore *pair_store_new(const PlacePairs *mine, const PlacePairs *places,
                          const Redaction *redaction, Arena *arena);
void pair_store_free(PairStore *store);  // and what is still in it

// Reads both sides of a pair, or waits until another thread has.
StoredPair *pair_store_take(PairStore *store, const PlacePair *place, int jobs);

// One user of a pair less; the last one frees it. A pair uses itself and the one before it, also
// where it did not take them.
void pair_store_leave(PairStore *store, const PlacePair *place);

// The pair of that place, or NULL.
const PlacePair *place_pair_at(const PlacePairs *places, int64_t step, Str stage, int64_t rank);
// The pair of the same rank and stage a step before, if both sides have it, or NULL.
const PlacePair *place_pair_before(const PlacePairs *places, const PlacePair *place);

#endif
