// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_SENTENCE_H
#define VERNIER_VERDICT_SENTENCE_H

#include "scene/report.h"

// "WORD  rest" with the word padded to the width of the grammar, PARTIAL in front where it applies.
// Keeps `rest` in the verdict.
Str verdict_sentence(Verdict *verdict, Str rest, Arena *arena);

// `text` without the full stop that ends it, for what goes on after it.
Str sentence_open(Str text);

// Says in the verdict which settings decided it, "--criteria (../vernier.toml)"; nothing where none
// did, or nothing could be judged.
void verdict_judged_by(Verdict *verdict, Str settings, Arena *arena);

#endif
