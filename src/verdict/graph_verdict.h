// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_GRAPH_VERDICT_H
#define VERNIER_VERDICT_GRAPH_VERDICT_H

#include "compare/nonfinite/nonfinite.h"
#include "compare/pair_facts.h"
#include "scene/report.h"

// What `vernier graph` says.

// One (step, rank), kept when its graph is gone.
typedef struct GraphFacts {
    int64_t step, rank;
    Str stage;  // of the step, or empty
    bool failed;
    ReadFact read;
    Framework framework;
    Str level, task;
    uint32_t modules, apis, groups, depth, micro_steps;
    bool flat;                        // no hierarchy recorded
    uint32_t levels[OVERFLOW_COUNT];  // ops by Overflow
    uint64_t slots;                   // values of its ops, of any kind
    double tensor_bytes;              // of its tensors, as a task that saves them would write them
    uint32_t unjudged;   // ops of whose tensors, or a weight, no statistics are recorded
    uint64_t unsure;     // ops that give -Inf, which may be a mask's; see Trail
    Str first_overflow;  // the first op of the worst level, or empty
    Overflow first_level;
    Nonfinite first_found;  // in it; 0: all finite, its level is one of norms
    Str repeat;             // the fold that holds most ops, "blocks.0 … blocks.3 ×4", or empty
} GraphFacts;

// Of all dumps, or with count 1 of one.
void graph_verdict(const GraphFacts *facts, size_t count, bool partial, Arena *arena, Verdict *out);

Str overflow_shown(Overflow level);  // translated

#endif
