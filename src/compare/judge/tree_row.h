// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_TREE_ROW_H
#define VERNIER_COMPARE_JUDGE_TREE_ROW_H

#include "compare/judge/comparison.h"
#include "read/dump/op_name.h"

// What a row of the joint tree is called: as its target node is, else its golden one.

Str tree_row_name(const Comparison *comparison, const TreeNode *row);
OpName tree_row_op_name(const Comparison *comparison, const TreeNode *row);

#endif
