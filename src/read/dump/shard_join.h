// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_SHARD_JOIN_H
#define VERNIER_READ_DUMP_SHARD_JOIN_H

#include "base/error.h"
#include "read/tensor/tensor_file.h"

// Tensors that several ranks hold in parts, each in a file of SGLang's dumper of its own.

// Which files hold parts of one tensor, by their names alone: all tags but the numbers of rank and
// dump are equal, and of several such files of a rank each is one call.
typedef struct ShardGroup {
    const size_t *files;  // one a rank, in the order of the files
    size_t count;
} ShardGroup;

typedef struct ShardGroups {
    ShardGroup *items;
    const size_t *of;  // by file: its group, or SIZE_MAX
} ShardGroups;

ShardGroups shard_groups_find(const Str *files, size_t count, Arena *arena);

typedef enum ShardJoin {
    SHARDS_NONE,     // nothing says that these are parts
    SHARDS_FAILED,   // they are, but cannot be joined: *err says why
    SHARDS_MISSING,  // the same, since by their own meta there are more parts
    SHARDS_JOINED,
} ShardJoin;

// Joins the parts as `dims` in their meta says (shard_dims.h), with the numbers of their ranks from
// sglang_parallel_info or megatron_parallel_info. Parts of a sequence parallel group without
// numbers lie on the ranks of tp, as Megatron lays them.
//
// What a group of ranks does not share is
// the same on each, bit for bit, since a part that is not looked at again must not be wrong. Fails
// where a part is there twice (data parallel), for packed sequences in parts of cp, for copies
// that differ, and for dims that contradict each other. `paths`: at least one, and one alone may
// have siblings that are missing. The tensor is ended by tensor_close.
ShardJoin shard_join(const char *const *paths, size_t count, TensorFile *out, Error *err);

#endif
