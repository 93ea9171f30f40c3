// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_ROWS_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_ROWS_H

#include "commands/compare/pair_work.h"

// The files of a pair that list everything: rows and fills as tables, the nodes as JSON.

// The row table by the rules of the run: all rows up to 100,000 or with --all-rows, else those that
// differ. The pair must outlive it.
Table *compare_rows_table(const PairGraphs *pair, bool all_rows, Arena *arena);

// rows-stepN-rankN, fills-stepN-rankN and nodes-stepN-rankN where they are asked for.
void compare_rows_add(const PairGraphs *pair, const PlacePair *place,
                      const ComparePairOptions *options, Product *product);

#endif
