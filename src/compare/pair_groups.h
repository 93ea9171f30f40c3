// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_PAIR_GROUPS_H
#define VERNIER_COMPARE_PAIR_GROUPS_H

#include "compare/pair_facts.h"

// Pairs of one step with the same finding: the same status, the same first divergence at the same
// place, the same lack. A report shows one pair of each such group.

// How many groups get pictures, a page and a workbook where there are many pairs: with the files of
// the report itself at most 60 (docs/performance.md).
enum { PAIR_GROUPS_SHOWN = 6 };

typedef struct PairGroup {
    size_t first;  // the pair that stands for the group: the origin, or the first one
    struct {
        int64_t *items;
        size_t count, capacity;
    } ranks;             // in the order of the pairs
    double least, most;  // deciding errors of its pairs; NaN: none has one
} PairGroup;

typedef struct PairGroups {
    PairGroup *items;  // in the order of their first pairs
    size_t count, capacity;
    uint32_t *of;  // by pair: its group
} PairGroups;

// `origin`: as origin_find says, or SIZE_MAX. Linear in the pairs.
void pair_groups(const PairFacts *pairs, size_t count, size_t origin, Arena *arena,
                 PairGroups *out);

// Whether the group is one of those that are shown: that of the origin, then the first that differ
// or could not be compared whole.
bool pair_group_shown(const PairGroups *groups, size_t group, const PairFacts *pairs,
                      size_t origin);

#endif
