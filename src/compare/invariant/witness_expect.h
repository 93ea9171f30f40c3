// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_EXPECT_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_EXPECT_H

#include "compare/invariant/witness_look.h"

// What one dump tells of --expect compute, batch and length: of->out->expects, counted in its
// tally.
void witness_expect(Looking *of);

#endif
