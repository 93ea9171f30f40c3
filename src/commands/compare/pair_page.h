// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_PAIR_PAGE_H
#define VERNIER_COMMANDS_COMPARE_PAIR_PAGE_H

#include "commands/compare/pair_work.h"

// The page of one of several pairs, which index.html leads to: what the page of a run of this pair
// alone has, and the way back.

// Whether a run of so many pairs writes such pages. Without a folder, as files without script and
// for a study there is one page.
bool pair_page_wanted(const Outputs *outputs, size_t pairs);

// "page-step0-rank3", without the ending.
Str pair_page_base(const PlacePair *place, Arena *arena);

// Facts, verdict, files and notices of `result` stand.
void pair_page_add(const MainPair *pair, const PlacePair *place, const ComparePairOptions *options,
                   const PairResult *result, Product *product);

#endif
