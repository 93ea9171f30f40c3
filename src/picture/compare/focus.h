// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_FOCUS_H
#define VERNIER_PICTURE_COMPARE_FOCUS_H

#include "compare/judge/comparison.h"

// Which node a user means with --focus: "first-divergence" (0, the default of all pictures),
// "worst" (the op with the largest output error), an id, a dotted module path ("blocks.2.attn"), or
// a part of an id. The first row in the order of the tree that fits best; PAIR_NONE if none does.
uint32_t focus_find(const Comparison *comparison, Str name);

// Up to FOCUS_SUGGESTIONS names that are spelled most like `name`, for whoever mistyped it: module
// paths and ids of both sides, the nearest first, each once. Gives how many. Linear in the nodes.
enum { FOCUS_SUGGESTIONS = 3 };
size_t focus_suggest(const Comparison *comparison, Str name, Arena *arena,
                     Str out[FOCUS_SUGGESTIONS]);

#endif
