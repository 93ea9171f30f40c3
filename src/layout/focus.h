// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_FOCUS_H
#define VERNIER_LAYOUT_FOCUS_H

#include "compare/compare.h"

// Which node a user means with --focus: "first-divergence" (0, the default of all pictures),
// "worst" (the op with the largest output error), an id, a dotted module path ("blocks.2.attn"), or
// a part of an id. The first row in the order of the tree that fits best; PAIR_NONE if none does.
uint32_t focus_find(const Comparison *comparison, Str name);

#endif
