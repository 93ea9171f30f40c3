// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_REPLACED_OPS_H
#define VERNIER_COMPARE_REPLACED_OPS_H

#include "base/names.h"
#include "compare/judge/comparison.h"

// APIs at whose place the target calls others, with values that agree.
typedef struct Replaced {
    Str golden, target;  // "Functional.hardtanh"; "Torch.matmul, Functional.softmax x2"
    uint64_t calls;      // places where it does
} Replaced;

typedef struct ReplacedList {
    Replaced *items;
    size_t count, capacity;
} ReplacedList;

// Equal items become one. `known` is of this list alone, and empty where it is.
void replaced_add(ReplacedList *list, Names *known, Replaced item, Arena *arena);

// Pairs of other API names, and calls that both sides make in other steps between ops that are
// paired. No other spelling of one API counts, as Tensor.add, Torch.add and Tensor.__add__, nor
// those of another framework or writer. Of classes of modules, where neither side records APIs.
// Gives the number of ops on one side only that the list stands for.
uint64_t replaced_ops_find(const Comparison *comparison, Arena *arena, ReplacedList *out);

#endif
