// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_NORM_GROUPS_H
#define VERNIER_TREND_CURVES_NORM_GROUPS_H

#include "model/run/series.h"
#include "read/settings/name_map.h"

// Which weights of two printed lists belong together (docs/spec/curves.md §5.2): mostly one and
// one; the parts of a weight that the other side has fused are one group.

enum { NORM_ALONE = -1 };

typedef struct NormGroups {
    int *target, *golden;  // by weight: its group, or NORM_ALONE
    int count;             // every group has weights of both sides
} NormGroups;

// By the map, then by names as they are given; without a map also by the usual renames. Names "#1"
// of a place pair only where both lists are equally long. `map` may be NULL. Linear in names and
// rows.
void norm_groups_find(const NormList *target, const NormList *golden, const NameMap *map,
                      Arena *arena, NormGroups *out);

#endif
