// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_PARALLEL_LAYOUT_H
#define VERNIER_READ_SETTINGS_PARALLEL_LAYOUT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// How the ranks of a run share one model (docs/spec/graph.md §1.2): tensor shares, pipeline stages,
// virtual stages, and in which order the ranks are numbered through them.

typedef struct ParallelLayout {
    int64_t rank_size;  // 0: as many as there are
    int64_t tp, pp, vpp;
    Str order;  // of the dimensions, the fastest first
} ParallelLayout;

// One of each, in the usual order.
ParallelLayout parallel_layout_none(void);

// "tp=2,pp=4,vpp=2,order=tp-cp-ep-dp-pp,rank_size=16", every part at will. The text must stay
// valid.
bool parallel_layout_parse(Str text, ParallelLayout *out, Error *err);

// The object "parallel_merge" of msProbe's compare.json: "bench" is golden, "npu" the target. One
// that is missing stays as it is.
bool parallel_layout_read(const char *path, Arena *arena, ParallelLayout *golden,
                          ParallelLayout *target, Error *err);

// Whether `ranks` ranks can be laid out so: whole numbers of stages and shares, virtual stages only
// with stages, an order that names what there is more than one of.
bool parallel_layout_check(const ParallelLayout *layout, int64_t ranks, Error *err);

// How far apart the ranks of neighbouring shares, stages and copies are numbered.
typedef struct ParallelStrides {
    int64_t tp, pp, dp;
} ParallelStrides;
ParallelStrides parallel_layout_strides(const ParallelLayout *layout, int64_t ranks);

#endif
