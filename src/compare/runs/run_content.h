// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_RUNS_RUN_CONTENT_H
#define VERNIER_COMPARE_RUNS_RUN_CONTENT_H

#include "read/dump/dump.h"

// What a dump says of its run, as numbers that are equal for equal content: of every op its name
// and the path, type, shape, value, checksum and statistics of each slot. Names of files, stacks
// and the order of members do not count; the order of the ops does.

typedef struct RunContent {
    uint64_t whole;  // never 0
    uint64_t *ops;   // by op
    uint32_t op_count;
} RunContent;

// Linear in the slots.
void run_content(const Dump *dump, Arena *arena, RunContent *out);

// How many other runs have the same content at the ops of each run, summed over its ops: out[run].
// A run without a dump has no ops.
void run_content_agreement(const RunContent *runs, size_t count, uint64_t *out);

// The run that stands for all: of the largest group with equal content over all places the run
// whose ops are shared most, then the first. `keys[run * places + place]` is RunContent.whole, 0
// without a dump; `agreement` is summed over the places. SIZE_MAX: no run has a dump at all.
size_t run_most_common(const uint64_t *keys, size_t runs, size_t places, const uint64_t *agreement);

#endif
