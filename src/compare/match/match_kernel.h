// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_KERNEL_H
#define VERNIER_COMPARE_MATCH_MATCH_KERNEL_H

#include "compare/match/match_state.h"

// Pairs the calls of a framework with the kernels of the other side (statistic.csv), which share no
// name. Only for the files match*.c.

// Whether the ops of this dump are kernels.
bool match_is_kernels(const Dump *dump);

// Pairs what has no partner by order: first ops of one sort, shapes and outputs of nearly one norm,
// then those of one shape and norm, of one sort and shape, of one shape. It comes last: the keys of
// all ops are other ones afterwards, but for their names.
void match_kernels(Matcher *matcher);

#endif
