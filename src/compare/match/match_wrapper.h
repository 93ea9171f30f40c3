// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_WRAPPER_H
#define VERNIER_COMPARE_MATCH_MATCH_WRAPPER_H

#include "compare/match/match_pairs.h"

// Parts of module paths that a wrapper adds: "module" of data parallel training, "_orig_mod" of a
// compiled model, "_fsdp_wrapped_module". They are distinguished from the two runs, not from a
// list: one side alone has them, and without them its modules are called as those of the other are.
// Only for the files match*.c.

// Sets out[side] to the parts that a wrapper of that side adds, NULL where there are none. Linear
// in the names; the sets live in `arena`.
void wrapper_parts(const MatchSide sides[2], Arena *arena, const Names *out[2]);

// The path without those parts, in `arena`; the path itself where it has none.
Str wrapper_strip(const Names *parts, Str path, Arena *arena);

#endif
