// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_ROWS_JOIN_H
#define VERNIER_COMMANDS_COMPARE_ROWS_JOIN_H

#include "commands/compare/pair_work.h"

// The rows of several pairs as one table, where an output is a single file of rows: "-o r.csv".
// Pairs end in any order; what each wrote waits in a temporary file, so that memory is bounded by
// the threads.

// *out is NULL where no output asks for it. Fails if there is no temporary file.
bool rows_join_open(const Outputs *outputs, Arena *arena, RowsJoin **out, Error *err);
void rows_join_close(RowsJoin *join);  // NULL is allowed

// The rows of a pair, with its step and rank in front of each. Safe to call from several threads.
bool rows_join_add(RowsJoin *join, const PairGraphs *pair, const PlacePair *place, RowsSpan *out,
                   Error *err);

// Writes the spans of all pairs in the order of the pairs; a header where it is not the last one.
void rows_join_write(const RowsJoin *join, const PairResult *results, size_t count,
                     Outputs *outputs);

#endif
