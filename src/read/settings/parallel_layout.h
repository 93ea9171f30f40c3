// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_PARALLEL_LAYOUT_H
#define VERNIER_READ_SETTINGS_PARALLEL_LAYOUT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// How the ranks of a run share one model (docs/spec/graph.md §1.2): tensor shares, pipeline stages,
// virtual stages, parts of the batch, and in which order the ranks are numbered through them.

typedef struct ParallelLayout {
    int64_t rank_size;  // 0: as many as there are
    int64_t tp, pp, vpp;
    int64_t cp, ep;  // parts of a sequence; parts of the experts, over ranks of cp x dp
    int64_t dp;      // copies that become one; 0: as few as hold all experts
    bool mean;       // the loss of each rank is the mean of its own tokens
    Str order;       // of the dimensions, the fastest first
} ParallelLayout;

// One of each, in the usual order.
ParallelLayout parallel_layout_none(void);

// How many ranks with tokens of their own become one: cp x dp.
int64_t parallel_layout_batches(const ParallelLayout *layout);

// "tp=2,pp=4,vpp=2,cp=2,ep=2,order=tp-cp-ep-dp-pp,rank_size=16", every part at will. The text must
// stay valid.
bool parallel_layout_parse(Str text, ParallelLayout *out, Error *err);

// The object "parallel_merge" of msProbe's compare.json: "bench" is golden, "npu" the target. One
// that is missing stays as it is.
bool parallel_layout_read(const char *path, Arena *arena, ParallelLayout *golden,
                          ParallelLayout *target, Error *err);

// Whether `ranks` ranks can be laid out so: whole numbers of stages, shares and parts of the batch,
// virtual stages only with stages, an order that names what there is more than one of.
bool parallel_layout_check(const ParallelLayout *layout, int64_t ranks, Error *err);

// How far apart the ranks of neighbouring shares, stages, copies and parts of a sequence are
// numbered; and of the experts, which are laid out without cp, as Megatron does it.
typedef struct ParallelStrides {
    int64_t tp, pp, dp, cp, ep;
} ParallelStrides;
ParallelStrides parallel_layout_strides(const ParallelLayout *layout, int64_t ranks);

#endif
