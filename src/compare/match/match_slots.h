// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_SLOTS_H
#define VERNIER_COMPARE_MATCH_MATCH_SLOTS_H

#include "compare/mapping/mapping_data.h"
#include "compare/match/match_pairs.h"

// Fills golden_slot_of of a matching whose ops are paired. Slots pair up by what a data mapping
// says (`rows`, or NULL), then by the arguments of an API mapping, then by their place in the op.
// What is left: an argument given by position on one side and by name on the other; between
// frameworks also weights by their names there, and then inputs and weights by their order. Linear
// in the slots, but for ops whose slots are in another order.
void match_slots(const MatchSides *sides, const MatchOptions *options, const MappedRows *rows,
                 Arena *arena, OpMatch *out);

#endif
