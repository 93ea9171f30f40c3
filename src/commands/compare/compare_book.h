// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_BOOK_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_BOOK_H

#include "commands/compare/pair_work.h"

// The workbooks of `vernier compare`.

// Of one pair: Summary, First divergence, Compare, Unmatched; "compare" where it is the only one.
void compare_book_add(const PairGraphs *pair, const PlacePair *place,
                      const ComparePairOptions *options, const PairResult *result,
                      Product *product);

// "compare", or of one of several pairs "compare-step0-rank3".
Str compare_book_base(const PlacePair *place, bool single, Arena *arena);

// "compare" of several pairs: the summary and the pairs.
void compare_book_overview(const CompareSummary *summary, Product *product);

#endif
