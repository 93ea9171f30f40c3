// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_PAIR_READ_H
#define VERNIER_COMMANDS_COMPARE_PAIR_READ_H

#include "commands/compare/pair_work.h"

// Both sides of a pair read and compared.

// Lives in `arena`. Stacks are read when somebody asks for them; what goes wrong then is in
// out->late.
bool compare_pair_read(const PlacePair *place, const ComparePairOptions *options, Arena *arena,
                       PairGraphs *out, Notices *notices);

// Reads the stacks that an output asks for, so that trouble with them belongs to the verdict.
void compare_pair_read_stacks(PairGraphs *pair, const Outputs *outputs, Notices *notices);

// Moves what the stacks told since the last time.
void compare_pair_join_late(PairGraphs *pair, Notices *notices);

#endif
