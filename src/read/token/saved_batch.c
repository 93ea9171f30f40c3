// SPDX-License-Identifier: Apache-2.0
#include "read/token/saved_batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/words.h"
#include "read/tensor/tensor_file.h"

enum { STEPS_MAX = 4096, TOKENS_MAX = 1 << 26 };

// "step_25": 25.
static bool number_of(Str name, const char *word, int64_t *out)
{
    Str prefix = str_of(word);
    return str_starts(name, prefix) && str_to_int64(str_slice(name, prefix.size, name.size), out) &&
           *out >= 0;
}

static int by_value(const void *a, const void *b)
{
    int64_t one, two;
    memcpy(&one, a, sizeof one);
    memcpy(&two, b, sizeof two);
    return order_int64(one, two);
}

static int64_t id_at(const Tensor *tensor, uint64_t i)
{
    const unsigned char *data = tensor->data;
    int32_t narrow;
    int64_t wide;
    if (tensor->dtype == DTYPE_I32) {
        memcpy(&narrow, data + i * sizeof narrow, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, data + i * sizeof wide, sizeof wide);
    return wide;
}

static void count_ids(const Tensor *tensor, SavedBatch *out)
{
    Arena *scratch = arena_new();
    int64_t *ids = ARENA_ARRAY(scratch, int64_t, tensor->count + 1);
    for (uint64_t i = 0; i < tensor->count; i++)
        ids[i] = id_at(tensor, i);
    out->count = tensor->count;
    out->hash = crc32c(ids, tensor->count * sizeof *ids);
    qsort(ids, tensor->count, sizeof *ids, by_value);
    for (uint64_t i = 0, from = 0; i < tensor->count; i++) {
        from = i && ids[i] != ids[i - 1] ? i : from;
        if (i - from + 1 > out->most_count) {
            out->most_count = i - from + 1;
            out->most = ids[i];
        }
    }
    arena_release(scratch);
}

static void take_file(const char *path, SavedBatch *best, Notices *notices)
{
    TensorFile file;
    Error err;
    SavedBatch own = {.step = best->step, .path = path};
    if (!tensor_open(path, &file, notices, &err)) {
        notices_add_error(notices, &err);
        return;
    }
    const Tensor *tensor = &file.tensor;
    bool ids = tensor->dtype == DTYPE_I32 || tensor->dtype == DTYPE_I64;
    if (!ids || tensor->big_endian || !tensor->contiguous || tensor->count > TOKENS_MAX)
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("token ids are int32 or int64 in C order; this file is left out"));
    else if (tensor->count)
        count_ids(tensor, &own);
    tensor_close(&file);
    if (own.count && (double)own.most_count / (double)own.count >
                         (best->count ? (double)best->most_count / (double)best->count : 0))
        *best = own;
}

static void take_rank(const char *folder, Arena *arena, SavedBatch *best, Notices *notices)
{
    FolderList files;
    Error err;
    if (!folder_list(folder, arena, &files, &err)) {
        notices_add_error(notices, &err);
        return;
    }
    for (size_t i = 0; i < files.count; i++) {
        bool tokens = str_find(files.items[i], STR("token"), 0) != SIZE_MAX ||
                      str_find(files.items[i], STR("input_ids"), 0) != SIZE_MAX;
        if (tokens && str_ends(files.items[i], STR(".npy")))
            take_file(path_join(arena, folder, files.items[i]), best, notices);
    }
}

bool saved_batches_read(const char *folder, Arena *arena, SavedBatches *out, Notices *notices,
                        Error *err)
{
    FolderList steps, ranks;
    int64_t step, rank;
    Error unread;
    if (!folder_list(folder, arena, &steps, err))
        return false;
    for (size_t i = 0; i < steps.count && out->count < STEPS_MAX; i++) {
        char *inner = path_join(arena, folder, steps.items[i]);
        if (!number_of(steps.items[i], "step_", &step) || file_kind(inner) != FILE_FOLDER ||
            !folder_list(inner, arena, &ranks, &unread))
            continue;
        SavedBatch best = {.step = step};
        for (size_t k = 0; k < ranks.count; k++)
            if (number_of(ranks.items[k], "rank_", &rank))
                take_rank(path_join(arena, inner, ranks.items[k]), arena, &best, notices);
        if (best.count)
            *ARRAY_PUSH(arena, out) = best;
    }
    return out->count || error_set(err, ERR_INPUT, WHERE_FILE(folder), "%s",
                                   tr("holds no step_N/rank_N with token files (npy)"));
}
