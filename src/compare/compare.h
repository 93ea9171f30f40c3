// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_COMPARE_H
#define VERNIER_COMPARE_COMPARE_H

#include "base/arena.h"
#include "compare/judge/comparison.h"
#include "read/settings/criteria_file.h"

// Compares two graphs by the rules `vernier`.

typedef struct CompareOptions {
    Rules rules;
    RuleSet without;  // rules that are off
    CompareMode mode;
    int64_t step, rank;
    Str stage;                      // of the step, or empty
    int jobs;                       // threads; the result does not depend on them
    const MatchOptions *match;      // NULL: by name, else by order
    const Dump *const *noise_runs;  // other runs of the golden configuration
    size_t noise_run_count;
    // Called at most once, where the step before may tell more of what this one holds; NULL: there
    // is none. Gives golden and target of it; false: they cannot be had.
    bool (*step_before)(void *context, const Graph *out[2]);
    void *context;
    const Criteria *criteria;  // tolerances of the user, or NULL
    const Stated *stated[2];   // what the configurations of the dumps state, or NULL
} CompareOptions;

// The mode of a pair: checksums on both sides, tensor files on both sides, else statistics.
CompareMode compare_mode(const Dump *golden, const Dump *target);

// Compares two graphs by the rules `vernier`. Linear in ops and slots; the result borrows both
// graphs and lives in `arena`.
void compare_graphs(const Graph *golden, const Graph *target, const CompareOptions *options,
                    Arena *arena, Comparison *out);

#endif
