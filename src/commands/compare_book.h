// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_BOOK_H
#define VERNIER_COMMANDS_COMPARE_BOOK_H

#include "commands/compare_pair.h"

// The workbooks of `vernier compare`.

// Of one pair: Summary, First divergence, Compare, Unmatched; compare.xlsx where it is the only one.
void compare_book_write(const PairGraphs *pair, const PlacePair *place,
                        const ComparePairOptions *options, const PairResult *result,
                        Outputs *outputs);

// compare.xlsx of several pairs: the summary and the pairs.
void compare_book_overview(const CompareSummary *summary, Outputs *outputs);

#endif
