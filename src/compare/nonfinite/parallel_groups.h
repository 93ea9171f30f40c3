// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NONFINITE_PARALLEL_GROUPS_H
#define VERNIER_COMPARE_NONFINITE_PARALLEL_GROUPS_H

#include "read/dump/dump.h"
#include "read/settings/parallel_layout.h"

// Which ranks hold one copy of the model, and what each of them holds of it
// (docs/spec/graph.md §2.14).

// What a dump tells of its rank's place.
typedef struct RankLinks {
    int64_t next;  // the rank of the next stage: where it sends first; -1: not told
    Str shares;    // the group of its first reduction, "[0, 1]"; empty: not told
} RankLinks;
RankLinks parallel_links(const Dump *dump, int64_t rank, Arena *arena);

// `links` by rank, ranks of them, or NULL. Of copy c the rank with share t of stage p stands at
// (c * tp + t) * pp + p; parts of a batch that become one are copies that follow each other. As the
// dumps tell it where that gives a whole layout, else as ranks are numbered by default. `layout`
// has passed parallel_layout_check.
int64_t *parallel_groups(const ParallelLayout *layout, int64_t ranks, const RankLinks *links,
                         Arena *arena);

#endif
