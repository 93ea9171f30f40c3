// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NONFINITE_NONFINITE_ALONE_H
#define VERNIER_COMPARE_NONFINITE_NONFINITE_ALONE_H

#include "compare/judge/comparison.h"
#include "compare/nonfinite/nonfinite.h"

// NaN and Inf of the target in tensors of which golden records nothing: no comparison finds them.
typedef struct NonfiniteAlone {
    uint64_t count;  // tensors
    Nonfinite kind;  // of the first
    Str first;       // "Functional.linear.0.backward, output.0"
} NonfiniteAlone;

// What is healthy (trail_follow: masks, memory that was never written) does not count. Texts live
// in `arena`; linear in slots.
NonfiniteAlone nonfinite_alone(const Comparison *comparison, Arena *arena);

#endif
