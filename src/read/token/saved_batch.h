// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TOKEN_SAVED_BATCH_H
#define VERNIER_READ_TOKEN_SAVED_BATCH_H

#include "base/notice.h"

// Token ids that a training saved by step and rank: FOLDER/step_25/rank_0/tokens.npy.

typedef struct SavedBatch {
    int64_t step;
    const char *path;
    uint64_t count;       // tokens
    int64_t most;         // the id that comes most often,
    uint64_t most_count;  // and how often
    uint32_t hash;        // crc32c of the ids
} SavedBatch;

typedef struct SavedBatches {
    SavedBatch *items;  // by step
    size_t count, capacity;
} SavedBatches;

// Of each step the file whose most frequent id takes the largest share. At most 4,096 steps; a file
// that is no array of whole numbers gives a notice. Fails if the folder holds no step.
bool saved_batches_read(const char *folder, Arena *arena, SavedBatches *out, Notices *notices,
                        Error *err);

#endif
