// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_TENSOR_SET_H
#define VERNIER_READ_DUMP_TENSOR_SET_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"
#include "read/tensor/tensor_file.h"

// Named tensors without a dump around them: a checkpoint, the arrays of a .npz or safetensors file,
// or the .npy, .pt, .npz and safetensors files at any depth below a folder. As the records of a
// dump:
//     model.embed_tokens.weight (checkpoint)     op "model.embed_tokens", slot "parameters.weight"
//     step0/rank1/tokens.npy                     op "step0/rank1/tokens", slot "value"
//     Functional.linear.0.forward.input.0.pt     op "Functional.linear.0.forward", slot "input.0"
//     rank1/batch.pt with a dict of tensors      op "rank1/batch", a slot for each: "labels"
//     model.layers.0.mlp of the one acts.npz     op "model.layers.0.mlp", slot "output.0"

// By the first bytes of a file, or by what a folder holds.
bool tensor_set_is(const char *path);

bool tensor_set_has_name(Str name);  // of a file that a set may hold

// The statistics are computed from the elements. A tensor that cannot be read costs itself.
bool tensor_set_read(const char *path, Names *names, Arena *arena, Dump *out, Notices *notices,
                     Error *err);

// The tensors themselves. They are asked for by the data_name of their slot; a folder is not listed
// again.
typedef struct TensorSet TensorSet;
TensorSet *tensor_set_open(const char *path, Arena *arena, Notices *notices, Error *err);
void tensor_set_close(TensorSet *set);  // NULL is allowed

// Safe to call from several threads. Ended by tensor_close, before tensor_set_close.
bool tensor_set_tensor(TensorSet *set, Str data_name, TensorFile *out, Notices *notices,
                       Error *err);

#endif
