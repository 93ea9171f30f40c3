// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_ARRAYS_H
#define VERNIER_COMPARE_MATCH_MATCH_ARRAYS_H

#include "read/dump/dump.h"

// Folders of arrays whose names say nothing (grad_0.npy, grad_1.npy), or are other ones on each
// side. True where the names do not fit, since an array has no partner of its name or one of
// another shape, and shapes and statistics pair at least half of them: golden_of[target op] is then
// the golden op, or MAPPED_NOT. Equal ones first, then each other's nearest of the same shape.
bool match_arrays(const Dump *golden, const Dump *target, Arena *arena, uint32_t **golden_of);

#endif
