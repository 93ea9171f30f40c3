// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_HIERARCHY_BOXES_H
#define VERNIER_PICTURE_COMPARE_HIERARCHY_BOXES_H

#include "picture/compare/hierarchy_picture.h"

// One dump as nested boxes for a ticket: what comes again is one box with its count, and arrows
// lead from what gives a value to the sibling that takes it. Sections are in two columns.

// CARD_WIDTH wide. Linear in the nodes; at most 90 boxes.
void hierarchy_boxes(const Hierarchy *hierarchy, const HierarchyOptions *options, Arena *arena,
                     Scene *out);

#endif
