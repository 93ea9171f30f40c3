// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_TREE_H
#define VERNIER_PICTURE_COMPARE_TREE_H

#include "picture/compare/tree_plan.h"
#include "scene/scene.h"

// The divergence tree: one row a node, both sides aligned. A row reads as: input, output. Left
// the roll-up stripe, status, name and counts of the subtree; right the worst input (hollow) and
// the worst output (filled) on one log axis, between their numbers.

typedef struct TreeView {
    const Outline *outline;
    const Flags *flags;
    const TreePlan *plan;
    size_t from, end;  // rows of the plan on this page
    Str all_rows;      // file that holds every row that differs, or empty
} TreeView;

enum { TREE_ROW_HEIGHT = 20 };

// Draws heading, rows and footer from y down; returns the y below.
double tree_draw(Scene *scene, const TreeView *view, double y);

// "rule: each statistic by its own floor (norm ≤ 9.5e-07 pass, …": what statuses mean, for footers.
Str rule_text(const Comparison *comparison, Arena *arena);

#endif
