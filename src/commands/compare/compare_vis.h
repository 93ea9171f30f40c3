// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_VIS_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_VIS_H

#include "commands/compare/pair_work.h"

// compare.vis.db: all pairs of a run in one graph database. Pairs are read once more, one after the
// other, so that none has to be kept.
void compare_vis_add(const PlacePairs *places, const PairResult *results,
                     const ComparePairOptions *options, Product *product);

#endif
