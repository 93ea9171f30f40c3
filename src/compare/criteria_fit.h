// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_CRITERIA_FIT_H
#define VERNIER_COMPARE_CRITERIA_FIT_H

#include "compare/pair_facts.h"
#include "read/settings/criteria_file.h"

// Rules of --criteria that name nothing: most likely a pattern is mistyped.

// By rule '1' where it names a slot of either side, else '0', in `arena`. An op of both sides is
// called as in the target, its slot and dtype as in golden, as where it is judged.
Str criteria_fit(const Comparison *comparison, const Criteria *criteria, Arena *arena);

// A warning for each rule that fits no slot of any pair. None if a pair was not compared: the rule
// may be meant for it.
void criteria_note_unused(const Criteria *criteria, const PairFacts *pairs, size_t count,
                          Notices *notices);

#endif
