// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_OP_INDEX_H
#define VERNIER_REPORT_COMPARE_OP_INDEX_H

#include "compare/judge/comparison.h"

// Every op of a pair as the text of a BLOCK_INDEX, a tenth of the size of its names: what the
// page's search looks through, though its tables hold some of them alone (templates/page.js reads
// it). Lines:
//
//     ops that the pair has, ops that follow here
//     where: "step 0, rank 1"
//     names: numbers of forms, blank between them; "3:12,0" where the numbers in the name do not
//            move on from those of the form's last op by its last step, but by 12 and 0; "12*5"
//            for 12 that are each the one 5 before
//     marks: E W start here, e w inherit, p passes by an allowance, P S N, G T only in golden or
//            target; "12S" for 12 of them
//     errors in, errors out: numbers of texts, blank between them, nothing for "="
//
//     givers: how many ops before, nothing for none (compare/value_flow.h); of ops that differ
//     how many texts of errors, then each from number 1 on; how many forms, then each:
//     "#" and a name with "#" for its numbers, or "=" and a name as it is; then as op_tree.h says
//
// Numbers are to base 36, but those of names and counts. Ends before OP_INDEX_BYTES.
enum { OP_INDEX_BYTES = 1000000 };

Str op_index_text(const Comparison *comparison, Arena *arena);

#endif
