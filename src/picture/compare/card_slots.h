// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_CARD_SLOTS_H
#define VERNIER_PICTURE_COMPARE_CARD_SLOTS_H

#include "compare/judge/comparison.h"
#include "scene/scene.h"

// The upper half of a node card: the slots of an op on both sides, and one slot in full.

// Draws the table from y down, the cell of comparison->first.slot that decided outlined; at most 12
// slots, those that differ before those that agree. Returns the y below.
double card_slots(Scene *scene, const Comparison *comparison, uint32_t op, double y);

// The four statistics of a slot with their relative differences on a log axis. Nothing for slots
// without numbers. Returns the y below.
double card_full_slot(Scene *scene, const Comparison *comparison, uint32_t slot, double y);

// The slot to show in full: the deciding one, or the op's worst output where that is no tensor;
// SLOT_NONE if no slot has numbers on both sides.
uint32_t card_full_choice(const Comparison *comparison, uint32_t op);

#endif
