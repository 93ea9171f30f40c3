// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_VERDICT_TEXT_H
#define VERNIER_VERDICT_VERDICT_TEXT_H

#include "compare/pair_facts.h"
#include "scene/report.h"

// The verdict sentence (docs/spec/output.md §1) of one pair and of a whole report, taken
// apart for the pictures. Texts live in `arena`.

typedef struct VerdictSides {
    Str golden, target;  // paths as shown
    Str judged_by;       // the settings that decide, "--criteria (../vernier.toml)"; or empty
    bool strict;         // what passes by a rule, and ops on one side only, are differences
} VerdictSides;

void verdict_of_pair(const PairFacts *facts, const VerdictSides *sides, bool partial, Arena *arena,
                     Verdict *out);

// Over all pairs: the earliest divergence speaks (compare/origin.h).
void verdict_of_report(const PairFacts *pairs, size_t count, const VerdictSides *sides,
                       bool partial, Arena *arena, Verdict *out);

// "golden a/b · target …/c": which runs, under a verdict; the target without the folders that
// golden names too, where these are long. Empty for sides without a path (--redact).
Str verdict_of_sides(Str golden, Str target, Arena *arena);

// The worst status over pairs that were compared; STATUS_NO_DATA if none was.
Status verdict_status(const PairFacts *pairs, size_t count);

// "2.9e-05", "0.15", "0", "NaN": two significant digits, for sentences (number_error).
Str verdict_number(double value, Arena *arena);

// "Max " and the like before a figure, as the row table spells it; nothing for other metrics.
const char *metric_prefix(Metric metric);

#endif
