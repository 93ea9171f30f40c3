// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_TREE_PLAN_H
#define VERNIER_PICTURE_COMPARE_TREE_PLAN_H

#include "picture/compare/outline.h"
#include "picture/kit/error_axis.h"

// Which rows the divergence tree shows: the path to the first divergence is open, the ways to the
// other flags and to further origins as far as the budget allows; what agrees, what repeats and
// what there is no room for is folded into rows that say what and how much they stand for.

typedef enum TreeRowKind { TREE_SECTION, TREE_NODE, TREE_FOLD } TreeRowKind;

typedef struct TreeRow {
    TreeRowKind kind;
    uint32_t indent;
    uint32_t row;      // TREE_NODE: the tree row; TREE_FOLD: the first folded sibling
    uint32_t section;  // index in outline->sections
    Str text;          // TREE_FOLD and TREE_SECTION
    uint32_t counts[STATUS_COUNT];
    bool has_counts;
    Status worst;       // of everything that the row stands for
    bool worst_starts;  // trouble as bad as `worst` starts in it: solid, else tint
    bool has_errors;
    ErrorMark in, out;  // worst of what the row stands for
} TreeRow;

typedef struct TreePlan {
    TreeRow *items;
    size_t count, capacity;
    uint32_t nodes_drawn, ops_folded;
    uint32_t rows_cut;  // rows beyond the limits, whatever was folded
} TreePlan;

typedef struct TreeLimits {
    uint32_t rows;   // budget; 0 means 52
    uint32_t most;   // rows beyond the budget are kept up to here; 0: none
    uint32_t depth;  // open everything down to this depth; 0: only what matters
    uint32_t focus;  // a tree row to open instead of the first divergence; 0: none
} TreeLimits;

// Linear in the tree.
void tree_plan(const Outline *outline, const Flags *flags, const TreeLimits *limits, Arena *arena,
               TreePlan *out);

#endif
