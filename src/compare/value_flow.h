// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_VALUE_FLOW_H
#define VERNIER_COMPARE_VALUE_FLOW_H

#include "compare/judge/comparison.h"

// Which op a difference came from: the latest op before whose output holds the statistics, or the
// checksum, of an input that differs (docs/reference/compare.md).

// For each of comparison->ops an index of it, or PAIR_NONE: ops that agree, and what no output of
// the target's dump holds (a view of it is another tensor). Of several inputs the first whose
// producer differs itself; where none has a producer, the outputs: a module gives what a call
// inside it gave. Linear in the slots; in `arena`.
uint32_t *value_flow_givers(const Comparison *comparison, Arena *arena);

#endif
