// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_CARD_NEIGHBOURS_H
#define VERNIER_PICTURE_COMPARE_CARD_NEIGHBOURS_H

#include "compare/judge/comparison.h"
#include "scene/scene.h"

// The lower half of a node card: which ops run before and after.

// Three ops before and three after, in execution order, with their worst output error. Where only
// one side has the op, one line for each side with a gap in the other. Returns the y below.
double card_neighbours(Scene *scene, const Comparison *comparison, uint32_t op, double y);

#endif
