// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_TENSOR_PLACE_H
#define VERNIER_READ_DUMP_TENSOR_PLACE_H

#include "read/dump/dump.h"

// Where a tensor of a file stands among the records of a dump, by the names that its writer gave.
typedef struct TensorPlace {
    Str op;    // empty: the tensor is none of the model's and is left out
    Str path;  // of the slot
    SlotGroup group;
    bool module;      // `op` is the path of a module, or whatever a user named
    int64_t call;     // of that; -1: counted in the order of the files
    bool leads_off;   // an input of the whole pass, whenever it was written down
    Str task, dtype;  // of a kernel of MindSpore (kernel_name.h); without data: it is none
} TensorPlace;

// "model.norm.weight" of a checkpoint.
TensorPlace tensor_place_of_weight(Str name, Arena *arena);

// An array of a .npz or safetensors file: a weight, a slot by msProbe's names, or what the module
// of that name gave. `file`: of a file that is one of several its path below the root, which leads.
TensorPlace tensor_place_of_array(Str file, Str name, Arena *arena);

// A file with one tensor, as a path below the root: MindSpore's and msProbe's names, TensorRT-LLM's
// "1.LlamaModel-2.MLP-input.x.pt", and any other as an op of its own.
TensorPlace tensor_place_of_file(Str file, Arena *arena);

// A tensor within a file of several; the first `key_size` bytes of its name are the outermost key.
// SGLang's and vLLM's "Pass00000.pt" (a forward pass: module or list of outputs), SGLang's dumper
// ("step=0___rank=0___dump_index=3___name=attn_out.pt": value and meta), and any other file as an
// op with a slot a tensor. `lacking`: other parts of the dumper's value are missing, so that its op
// bears the rank, be it 0, and pairs by that name alone, never with the whole.
TensorPlace tensor_place_of_part(Str file, Str name, size_t key_size, bool lacking, Arena *arena);

// The value of such a file of the dumper, joined with its parts on other ranks (shard_join.h).
TensorPlace tensor_place_of_shards(Str file, Arena *arena);

#endif
