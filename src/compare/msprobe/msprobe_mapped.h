// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MSPROBE_MSPROBE_MAPPED_H
#define VERNIER_COMPARE_MSPROBE_MSPROBE_MAPPED_H

#include "compare/msprobe/msprobe_rows.h"
#include "model/graph/graph.h"

// The rows of msProbe's report where --fuzzy or a mapping is given (docs/spec/compare.md §2.3 to
// §2.7), oddities included: only golden's backward calls are counted anew, the class name is
// dropped from the fuzzy names of modules, and rows of one name give every combination.

bool msprobe_mapped_wanted(const MatchOptions *options);

// A layer mapping acts as a data mapping. Linear in the rows; fuzzy pairing, too.
void msprobe_mapped_build(const Graph *golden, const Graph *target, MsprobeGeneration generation,
                          const MatchOptions *options, Arena *arena, MsprobeRows *out);

// The name of a row without its call number, as msProbe forms it.
Str msprobe_fuzzy_name(Str row, Arena *arena);

#endif
