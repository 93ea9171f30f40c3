// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_RUNS_RUN_LEAVE_H
#define VERNIER_COMPARE_RUNS_RUN_LEAVE_H

#include "compare/layer_facts.h"

// Where one run leaves another of the same configuration: the first op in execution order that is
// not equal to the bit, whatever the tolerances say of it.

typedef struct RunLeave {
    bool leaves;
    int64_t step, rank;
    Str stage;                   // of the step, or empty
    uint32_t position;           // of the op in execution order, from 1
    Str op, slot;                // slot: the first of its slots that differs, or empty
    Str module;                  // path of the module around it, "blocks.2.attn"; may be empty
    Status status;               // of the op by the tolerances
    bool inputs_same;            // everything that went in is equal: it was computed here
    double error_in, error_out;  // as in OpPair
    uint64_t differing;          // ops that are not equal to the bit
} RunLeave;

// Texts are copied into `arena`.
void run_leave_find(const Comparison *comparison, Arena *arena, RunLeave *out);

// The first op that the tolerances do not let pass, where there is one: the divergence of the
// comparison. `differing` is 0.
void run_beyond_find(const Comparison *comparison, Arena *arena, RunLeave *out);

// Whether `a` comes before `b`: step, stage, position, then computed before passed on, then rank.
bool run_leave_before(const RunLeave *a, const RunLeave *b);

#endif
