// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_NORM_NAMES_H
#define VERNIER_TREND_CURVES_NORM_NAMES_H

#include "base/arena.h"
#include "base/str.h"

// The names of weights in two frameworks (docs/spec/curves.md §5.2).

// A name without what differs between frameworks: the path before "layers.N", the usual renames.
Str norm_plain_name(Str name, Arena *arena);

// The plain name of the weight that this one is a part of where weights are fused: query, key and
// value; gate and up. A name that is no part stays.
Str norm_fused_name(Str plain, Arena *arena);

#endif
