// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_TAKE_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_TAKE_H

#include "compare/invariant/witness.h"
#include "model/graph/graph.h"
#include "read/dump/dump_folder.h"
#include "read/monitor/monitor_files.h"
#include "read/tensor/checkpoint_folder.h"
#include "read/tensor/weights_file.h"

// Witnesses of every kind of input.

// The hierarchy of a dump, made where it is asked for: of values that are not finite and no masks.
typedef struct GraphSource {
    const Graph *(*make)(void *context);
    void *context;
} GraphSource;

// Of a dump: fills in all but step, rank and read. Texts are those of the dump or live in `arena`.
// Linear in the slots but for sorting.
void witness_take(const Dump *dump, const GraphSource *graph, Arena *arena, RankWitness *out);

// What stays of a witness while other ranks are read. Ranks of one model have most texts in common
// and call the same modules in the same order: these are kept once for all of them.

typedef struct WitnessPool WitnessPool;

// Holds memory of its own until it is released, which ends all witnesses that were kept in it.
WitnessPool *witness_pool_new(void);
void witness_pool_release(WitnessPool *pool);  // NULL is allowed

// Moves the witness, arrays cut to what is in them, into `arena` and the pool, so that the arena it
// was taken in can be released; out->arena is `arena` from now on. Several threads may keep
// witnesses in one pool. Nothing but addresses depends on their order. Linear in the witness.
void witness_keep(WitnessPool *pool, Arena *arena, RankWitness *out);

// Arrays that a trainer saved of what goes in: tokens (or input_ids), labels, loss_mask,
// position_ids, element by element. Fills in local[LOCAL_VOCABULARY] to local[LOCAL_POSITIONS] and
// batch_hash; where the dump is no folder of such arrays nothing.
void witness_tokens(const Dump *dump, RankWitness *out, Notices *notices);

// What the file of a checkpoint tells: weights, and what the optimizer keeps of them. Its tensors
// add to those that *out has already, since optimizers may are in files of their own.

// `aside`: the file holds an optimizer alone. Reads every float tensor once. Tensors that cannot be
// read give notices.
void witness_weights(const Weights *weights, bool aside, RankWitness *out, Notices *notices);

// After the last file: puts them into the order of names.
void witness_weights_end(RankWitness *out);

// What the files of a training monitor tell of gradients: by step and rank, before and after they
// were reduced. Rows of several micro steps are left out: whether they add up is not told.

typedef struct MonitorWitness {
    RankWitness *items;  // by step, then rank
    size_t count, capacity;
} MonitorWitness;

// `steps`, `ranks`: which to take. Files that cannot be read give notices; so do rows beyond the
// first four million, which are not looked at.
void witness_monitor(const MonitorTree *tree, const NumberList *steps, const NumberList *ranks,
                     Arena *arena, MonitorWitness *out, Notices *notices);

#endif
