// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_CHECKPOINT_FOLDER_H
#define VERNIER_READ_TENSOR_CHECKPOINT_FOLDER_H

#include "base/arena.h"
#include "base/notice.h"
#include "base/str.h"

// Finding the checkpoints of a run: which files hold weights, of which step and of which rank, by
// the names that training frameworks give them:
//
//     iter_0000100/mp_rank_01_000/model_optim_rng.pt      Megatron: share 1, stage 0
//     global_step100/mp_rank_01_model_states.pt           DeepSpeed
//     checkpoint-100/model-00001-of-00002.safetensors     Hugging Face: a folder of shards
//     step100/rank3.pt, rank_3/llama-100_2.ckpt           one file a rank

// One file, or one folder of shards.
typedef struct CheckpointPlace {
    const char *path;
    int64_t step, rank;  // 0 where no name tells it
    bool has_step, has_rank;
    // Coordinates that the names tell (mp_rank_TT_PPP, zero_pp_rank_D); `rank` follows from them.
    bool has_share;
    int64_t share, stage, copy;
    bool aside;  // holds the state of an optimizer next to the weights
} CheckpointPlace;

typedef struct CheckpointPlaces {
    CheckpointPlace *items;  // by step, rank, path
    size_t count, capacity;
    int64_t stages;  // of the pipeline, as names tell; 1: none
    // Folders that are called after a step of which no file holds weights, by step.
    CheckpointPlace *empty;
    size_t empty_count, empty_capacity;
} CheckpointPlaces;

// All below the paths, at most 5 folders deep, symbolic links to folders included. Of several paths
// whose names tell no step the order is the step. False: none.
bool checkpoint_find(const Str *paths, size_t count, Arena *arena, CheckpointPlaces *out,
                     Notices *notices);

#endif
