// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_OP_TREE_H
#define VERNIER_REPORT_COMPARE_OP_TREE_H

#include "compare/judge/comparison.h"

// The second half of the index of a page (report/compare/op_index.h): what one sees of an op under
// the pointer, and the hierarchy that one enters (templates/page.js reads it). Lines:
//
//     dtypes, rules: numbers of texts by op, each with how many ops in a row have it ("2*40")
//     values: "golden/target/floor" of ops that pass or differ, blank between them; the norm or,
//             without one, the largest element of the deciding value; no target's where it
//             prints as golden's
//     how many texts, then each from number 1 on
//
//     how many sections, then each: F forward, B backward, A after, its micro step, its children
//     how many shapes of subtrees, then each: its own op, its children; "|" and a label where it
//     has no op of its own
//
// A child is " SHAPE.FROM": its first op as a distance from that of its parent, of a section from
// 0; "*COUNT+STEP" after it stands for so many of one shape. Equal subtrees are written once.
// Numbers are to base 36, but those of counts of lines and of micro steps. Linear in the tree.
void op_tree_add(const Comparison *comparison, uint32_t held, StrBuf *out);

// A number to base 36.
void base36_add(StrBuf *buf, uint32_t value);

#endif
