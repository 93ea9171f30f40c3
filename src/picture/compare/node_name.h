// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_NODE_NAME_H
#define VERNIER_PICTURE_COMPARE_NODE_NAME_H

#include "compare/judge/comparison.h"

// How a node is called in a picture. Ids are long and differ at their end, so labels are local: the
// parent's dotted prefix is cut, the class is next to the name; the whole id goes into titles.

typedef struct NodeName {
    Str local;       // "qkv", "linear.8", "parameters_grad"
    Str class_name;  // "Linear", "Functional"; may be empty
    Str full;        // the id, safe for display
} NodeName;

// Of a row of comparison->tree.
NodeName node_name(const Comparison *comparison, uint32_t row, Arena *arena);

// Of an op: target's name, golden's where only golden has it; without a parent's help modules keep
// the last two parts of their path ("attn.qkv").
Str op_full_name(const Comparison *comparison, uint32_t op, Arena *arena);
NodeName op_name_loose(const Comparison *comparison, uint32_t op, Arena *arena);

// The same from a name alone.
NodeName name_loose(Str full, Arena *arena);

// The dotted path of the nearest module above a row ("blocks.2.attn.qkv"), or empty.
Str node_module_path(const Comparison *comparison, uint32_t row, Arena *arena);

// Repeats of each other: same kind, direction and class, and the same last name part unless that
// is a number, as in a list of layers.
bool node_alike(const Comparison *comparison, uint32_t a, uint32_t b);

// Equal for rows that node_alike calls so; others differ but for one in 2^64.
uint64_t node_alike_key(const Comparison *comparison, uint32_t row);

// The name of an API without its call: "Torch.norm", the class of a module. For runs of repeats.
Str node_kind_name(const Comparison *comparison, uint32_t row, Arena *arena);

#endif
