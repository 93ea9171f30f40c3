// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NONFINITE_TRAIL_H
#define VERNIER_COMPARE_NONFINITE_TRAIL_H

#include "compare/judge/comparison.h"
#include "compare/nonfinite/comm_call.h"
#include "read/dump/read_fact.h"

// What one rank tells of NaN and Inf in one step: where its trouble begins, how it looks there, and
// what it gave to and got from other ranks. Plain texts and numbers, so that the dump can be let
// go.

typedef enum BirthKind {
    BIRTH_NONE,
    BIRTH_OUTPUT,     // inputs finite, an output is not
    BIRTH_PARAMETER,  // a weight was bad on entry
    BIRTH_INPUT,      // an input that no earlier op gave was bad on entry: data, uncollected code
    BIRTH_ARRIVAL,    // what a communication brought; locate says from where
    BIRTH_COMMUNICATION,  // all ranks gave finite values, the result is not: the sum overflows
    BIRTH_ELSEWHERE       // it arrived from a rank whose dump is missing
} BirthKind;

typedef struct Sighting {
    BirthKind kind;
    uint32_t position;  // of the op in the dump, from 1
    Str op, slot;       // slot is empty where the dump tells only of the op (nan_check)
    Nonfinite found;
    bool inputs_finite;  // but for masks
    bool inputs_untold;  // the dump records results alone
    bool masked;         // an input holds the -Inf of a mask or other healthy values
    double largest;      // magnitude among its finite inputs, NaN: none
    Overflow level;      // as graph_mark_overflow says of such an op
    Str module;          // that encloses it, or the op itself if it is one; may be empty
    Str *frames;         // its call stack, innermost first
    uint32_t frame_count;
} Sighting;

// What stands for an op in a picture.
typedef enum TrailMark {
    TRAIL_FINE,
    TRAIL_HEALTHY,   // masks and the like, and what may be one (Trail.unsure)
    TRAIL_HARMLESS,  // an infinity comes in that is none of a mask, and nothing bad goes out
    TRAIL_INF,
    TRAIL_NAN
} TrailMark;

enum { TRAIL_LATER = 16 };

typedef struct Trail {
    int64_t rank;
    ReadFact read;
    bool failed;       // the dump could not be read
    const Flow *flow;  // of the dump, where it is known already; else NULL
    uint32_t op_count;
    uint64_t tensors;  // with statistics
    uint64_t untold;   // tensors with elements and without statistics
    uint64_t unsure;   // forward ops that give -Inf, in a dump that records results alone: a
                       // mask's that was an input, or their own
    uint64_t healthy;  // ops that hold NaN or Inf in good health
    uint64_t bad_ops;  // ops with NaN or Inf that is not healthy
    uint8_t *marks;    // by op: TrailMark
    Sighting first;    // where trouble begins on this rank
    Sighting later[TRAIL_LATER];  // further births on the rank, in order
    uint32_t later_count;
    uint32_t nan_position;  // first op with NaN, 0: none
    Str nan_op;
    CommCall *calls;  // in the order of the dump
    size_t call_count;
} Trail;

// Follows the ops of a dump in order. `graph` may be NULL where the dump holds nothing but finite
// values (nonfinite_any); rank, read and flow of `out` are left alone. Everything lives in `arena`.
// Linear in the slots.
void trail_follow(const Dump *dump, const Graph *graph, Arena *arena, Trail *out);

#endif
