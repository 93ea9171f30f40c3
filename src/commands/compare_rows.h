// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_ROWS_H
#define VERNIER_COMMANDS_COMPARE_ROWS_H

#include "commands/compare_pair.h"

// The files of a pair that list everything: rows and fills as CSV, the nodes as JSON.

// The row table by the rules of the run: all rows up to 100,000 or with --all-rows, else those that
// differ. The pair must outlive it.
void compare_rows_table(const PairGraphs *pair, bool all_rows, Arena *arena, Table *out);

// Writes rows-stepN-rankN.csv, fills-stepN-rankN.csv and nodes-stepN-rankN.json where they are asked
// for.
void compare_rows_write(const PairGraphs *pair, const PlacePair *place,
                        const ComparePairOptions *options, Outputs *outputs);

#endif
