// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_OP_NAME_H
#define VERNIER_READ_DUMP_OP_NAME_H

#include "base/names.h"
#include "base/str.h"
#include "read/dump/dump.h"

// The parts of an op's name, parsed from the right (docs/spec/dump-format.md §3.2):
//   Module.blocks.0.attn.qkv.Linear.forward.0     module: path "blocks.0.attn.qkv", class "Linear"
//   Functional.linear.8.forward                   api: prefix "Functional", api "linear"
//   Module.fc.Linear.parameters_grad.1            gradients of module fc
typedef struct OpName {
    OpKind kind;
    Direction direction;
    int32_t call;   // -1 without a number
    Str prefix;     // "Module", "Cell", "Functional", "Primitive.norm", …
    Str path;       // modules: dotted path without class; APIs: empty
    Str type_name;  // class of a module, name of an API
    Str stem;       // the name without direction and call: "Module.fc.Linear", "Functional.linear"
} OpName;

// What a name says of its op. A reader whose names say it otherwise, or say less than it knows,
// sets it; the names of msProbe need not be set, they are taken apart when they are asked for.
void op_name_set(Names *names, NameId id, OpName what);
OpName op_name_of(const Names *names, NameId id);

// A communication by the name of its family: "Distributed.all_reduce.0.forward".
static inline bool op_name_is_distributed(Str name)
{
    return str_starts(name, STR("Distributed.")) || str_starts(name, STR("MintDistributed."));
}

// The part of both that costs little: kind, direction, call and stem.
OpName op_name_call(const Names *names, NameId id);
OpName op_name_classify(Str name);

// Cannot fail: what does not fit any rule is OP_OTHER with the whole name as stem.
OpName op_name_parse(Str name);

#endif
