// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_WEIGHTS_FILE_H
#define VERNIER_READ_TENSOR_WEIGHTS_FILE_H

#include "base/notice.h"
#include "read/tensor/mindspore_file.h"
#include "read/tensor/npz_file.h"
#include "read/tensor/safetensors.h"
#include "read/tensor/tensor_file.h"
#include "read/tensor/torch_state.h"

// The weights of a model by name: a safetensors file, a checkpoint of torch.save (.pt, .pth, .bin)
// or of MindSpore (.ckpt), arrays of numpy.savez (.npz), a folder with the shards of one, or a
// folder of .npy and .pt files, one a weight ("model.norm.weight.npy").

typedef struct Weight {
    Str name;
    const uint64_t *shape;  // rank sizes
    uint64_t count;         // elements
    uint32_t rank;
    uint32_t part, index;  // where it lies
    DType dtype;
} Weight;

// One file of several tensors.
typedef enum WeightsKind {
    WEIGHTS_SAFETENSORS,
    WEIGHTS_TORCH,
    WEIGHTS_MINDSPORE,
    WEIGHTS_NPZ
} WeightsKind;
typedef struct WeightsPart {
    WeightsKind kind;
    Str name;  // of the file, without its folder
    union {
        SafeTensors safetensors;
        TorchState torch;
        MindsporeFile mindspore;
        NpzFile npz;
    } file;
} WeightsPart;

typedef struct Weights {
    const char *path;
    Weight *items;  // by name, digit runs by value, every name once
    size_t count, capacity;
    WeightsPart *parts;
    size_t part_count;
    const Str *files;    // of a folder of single files: their names; else NULL
    uint64_t bytes;      // of all weights
    UnreadNames unread;  // in the order of str_compare
    bool incomplete;     // a shard is missing or cannot be opened: nobody knows its names
} Weights;

// By what is there: a file that starts as safetensors do or is a framework's checkpoint; a folder
// with *.safetensors or such files in it; a folder of tensor files of which none is called as in a
// dump (".forward.") and most as weights are ("….weight.npy"). A folder that cannot be listed is
// taken for one: weights_open says what is wrong with it.
bool weights_is(const char *path);

// A safetensors or .npz file none of whose tensors is called as weights are: what modules gave, in
// the order in which they were written.
bool weights_are_arrays(const char *path);

// A sum over what checkpoints of torch hold besides tensors (torch_state.h); 0: nothing.
uint64_t weights_described(const Weights *weights);

// Whether a file is called as files of tensors are, read or not, in any case: "b.NPY", "b.npy.gz",
// "b.gguf".
bool weights_file_named(Str name);

bool weights_has_name(Str name);  // "model.norm.weight", "params/Dense_0/kernel"

// As weights_is, or a file with one tensor: .npy, .pt, raw floats.
bool weights_readable(const char *path);

// A weight that cannot be read costs itself. The tensor of a file with one is called "value". `out`
// lives in `arena` and is ended by weights_close.
bool weights_open(const char *path, Arena *arena, Weights *out, Notices *notices, Error *err);
void weights_close(Weights *weights);

// Index of the weight, or SIZE_MAX.
size_t weights_find(const Weights *weights, Str name);

// Whether the checkpoint holds a weight of that name that could not be read.
bool weights_has_unread(const Weights *weights, Str name);

// Byte of its file, or number there, at which the weight stands: smaller is earlier.
uint64_t weights_place(const Weights *weights, size_t index);

// The tensor itself; safe to call from several threads. Ended by tensor_close.
bool weights_tensor(const Weights *weights, size_t index, TensorFile *out, Notices *notices,
                    Error *err);

// Whether two weights of one checkpoint are equal to the bit, as copies in two files are. False for
// what cannot be read.
bool weights_equal(const Weights *weights, size_t one, size_t other);

// Tells a tensor whose bytes do not fit the checksum that its file has of them: reads them all.
void weights_check_bytes(const Weights *weights, size_t index, const Tensor *tensor,
                         Notices *notices);

#endif
