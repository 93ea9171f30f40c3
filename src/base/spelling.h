// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_SPELLING_H
#define VERNIER_BASE_SPELLING_H

#include "base/str.h"

// Which known name is meant by one that is not known.

// The least number of letters to change, add or leave out; case is no change. Of long names the
// first 96 bytes count.
size_t spelling_distance(Str a, Str b);

// The nearest of some names, offered one by one.
typedef struct Spelling {
    Str typed;
    Str best;  // empty: none is near
    size_t distance;
} Spelling;

Spelling spelling_of(Str typed);
// Taken if it is nearer than those before it and shares most letters with what was typed.
void spelling_offer(Spelling *spelling, Str name);

#endif
