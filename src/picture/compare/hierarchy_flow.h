// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_HIERARCHY_FLOW_H
#define VERNIER_PICTURE_COMPARE_HIERARCHY_FLOW_H

#include "picture/compare/hierarchy.h"

// Which of the siblings of a hierarchy feeds which: an input of the one, or of what is in it, holds
// the statistics or the checksum of an output of the other, the latest before it. Constants, of
// which a dump has many of one kind, are no evidence.

typedef struct Feed {
    size_t from, to;  // indices of rows that are siblings, the producer above the consumer
} Feed;

typedef struct Feeds {
    Feed *items;  // by consumer, each pair once
    size_t count, capacity;
} Feeds;

// Between the rows of the tree as it is shown. Linear in the slots but for the sorting; in `arena`.
void hierarchy_feeds(const Hierarchy *hierarchy, const HierarchyRows *rows, Arena *arena,
                     Feeds *out);

#endif
