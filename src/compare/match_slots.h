// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_SLOTS_H
#define VERNIER_COMPARE_MATCH_SLOTS_H

#include "compare/match.h"

// Fills golden_slot_of of a matching whose ops are paired: slots pair up by their place in the op.
// Linear in the slots, but for ops whose slots stand in another order.
void match_slots(const MatchSides *sides, Arena *arena, OpMatch *out);

#endif
