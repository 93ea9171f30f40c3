// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_LAW_RUN_H
#define VERNIER_COMPARE_INVARIANT_LAW_RUN_H

#include "compare/invariant/law.h"

// Tests every law of the table but those with skip[i].size: their reason. Those of what
// the user meant are left out where that shows nothing. A law of which nothing
// could be checked is LAW_UNKNOWN, never LAW_HOLDS. Results live in of->arena.
void law_run(const Evidence *of, const Str *skip, LawResults *out);

const Law *law_named(Str name);  // NULL: there is none
const char *
law_state_word(LawState state);             // TR: "holds", "broken", "cannot be checked", "skipped"
const char *law_state_key(LawState state);  // of summary.json

#endif
