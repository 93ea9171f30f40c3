// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_OPAQUE_MODULES_H
#define VERNIER_COMPARE_OPAQUE_MODULES_H

#include "compare/judge/comparison.h"

// Marks, by op pair, the API calls of one side that lie within a call of a module of which the
// other side holds the module, with results, and no API call within: hooks that do not reach a
// recomputed or a compiled module leave it out so. The module itself is compared. Only where such
// calls are of several APIs and several of one module: the one call of a linear layer may be
// missing. Linear in ops and nodes; `out` comes all false.
void opaque_modules_find(const Comparison *comparison, Arena *scratch, bool *out);

#endif
