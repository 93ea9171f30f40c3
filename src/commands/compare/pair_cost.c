// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/pair_cost.h"

#include <stdlib.h>

#include "base/crc32c.h"
#include "base/file.h"
#include "base/names.h"
#include "base/words.h"

enum { SEEN_FILES = 64 };

static bool add_size(const char *path, uint64_t *sum, Error *err)
{
    uint64_t bytes;
    if (!file_size_known(path, &bytes, err))
        return false;
    *sum += bytes;
    return true;
}

// The sum of the sizes, from some of them.
static bool add_sizes_of(const char *path, Arena *arena, uint64_t *sum, Error *err)
{
    FolderList files = {0};
    uint64_t bytes = 0;
    Error ignored;
    if (!folder_list(path, arena, &files, &ignored))
        return true;  // its files can be read all the same; parts that see more are named by merge
    size_t seen = files.count < SEEN_FILES ? files.count : SEEN_FILES;
    for (size_t i = 0; i < seen; i++)
        if (!add_size(path_join(arena, path, files.items[i * files.count / seen]), &bytes, err))
            return false;
    *sum += seen ? (uint64_t)((double)bytes / (double)seen * (double)files.count) : 0;
    return true;
}

static bool add_tensors(const char *folder, uint64_t *sum, Error *err)
{
    Arena *arena = arena_new();
    const char *path = path_join(arena, folder, STR("dump_tensor_data"));
    FileKind kind = file_kind(path);
    bool good = kind != FILE_UNKNOWN ||
                error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr(FILE_UNKNOWN_TEXT));
    if (kind == FILE_FOLDER)
        good = add_sizes_of(path, arena, sum, err);
    arena_release(arena);
    return good;
}

static bool add_place(const DumpPlace *place, uint64_t *sum, Error *err)
{
    if (!place->parts)
        return add_size(place->file, sum, err) && add_tensors(place->folder, sum, err);
    size_t count = place->tp * place->pp * place->batches;
    for (size_t i = 0; i < count; i++)  // compared by statistics, without tensors
        if (!add_size(place->parts[i].file, sum, err))
            return false;
    return true;
}

bool pair_cost(const PlacePair *pair, uint64_t *out, Error *err)
{
    *out = 0;
    return !pair->golden || !pair->target ||
           (add_place(pair->golden, out, err) && add_place(pair->target, out, err));
}

// CRC-32C of a whole file; of an array its first and last bytes and its size, which another run
// changes as well.
static uint32_t content_of(const char *path, bool array, Notices *notices)
{
    enum { END = 4096 };
    File file;
    Error err;
    if (!file_open(path, &file, &err)) {
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("cannot be read: a part of other dumps would not be noticed"));
        return 0;
    }
    size_t size = file.text.size, end = array && size > END ? END : size;
    uint32_t sums[2] = {crc32c(file.text.data, end), (uint32_t)size};
    if (array)
        sums[1] ^= crc32c(file.text.data + size - end, end);
    file_close(&file);
    return crc32c(sums, sizeof sums);
}

static uint32_t content_of_arrays(const char *folder, Notices *notices)
{
    Arena *arena = arena_new();
    FolderList list = {0};
    Error ignored;
    uint32_t sums[3] = {0};
    if (file_kind(folder) == FILE_FOLDER && folder_list(folder, arena, &list, &ignored))
        for (size_t i = 0; i < list.count; i++) {
            const char *path = path_join(arena, folder, list.items[i]);
            if (file_kind(path) != FILE_REGULAR)
                continue;
            sums[1] = crc32c(list.items[i].data, list.items[i].size);
            sums[2] = content_of(path, true, notices);
            sums[0] = crc32c(sums, sizeof sums);
        }
    arena_release(arena);
    return sums[0];
}

static uint32_t content_of_dump(const DumpPlace *place, Notices *notices)
{
    if (file_kind(place->file) == FILE_FOLDER)
        return content_of_arrays(place->file, notices);
    Arena *arena = arena_new();
    uint32_t sums[2] = {
        content_of(place->file, false, notices),
        content_of_arrays(path_join(arena, place->folder, STR("dump_tensor_data")), notices)};
    arena_release(arena);
    return crc32c(sums, sizeof sums);
}

static uint32_t content_of_place(const DumpPlace *place, Notices *notices)
{
    if (!place->parts)
        return content_of_dump(place, notices);
    uint32_t sums[2] = {0};
    for (size_t i = 0; i < place->tp * place->pp * place->batches; i++) {
        sums[1] = content_of(place->parts[i].file, false, notices);
        sums[0] = crc32c(sums, sizeof sums);
    }
    return sums[0];
}

uint32_t pair_content(const PlacePair *pair, Notices *notices)
{
    uint32_t sums[2] = {pair->golden ? content_of_place(pair->golden, notices) : 0,
                        pair->target ? content_of_place(pair->target, notices) : 0};
    return crc32c(sums, sizeof sums);
}

typedef struct Costs {
    uint64_t cost;  // of the rank, all its steps
    Str stage;
    int64_t rank;
    size_t index;
} Costs;

// Ranks that cost most first, the steps of a rank one after the other: what a step reads the next
// one needs.
static int larger_first(const void *a, const void *b)
{
    const Costs *left = a, *right = b;
    if (left->cost != right->cost)
        return left->cost > right->cost ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    int order = str_compare(left->stage, right->stage);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

size_t *pair_cost_order(const PlacePairs *pairs, Arena *arena)
{
    Arena *scratch = arena_new();
    Costs *costs = ARENA_ARRAY(scratch, Costs, pairs->count);
    size_t *order = ARENA_ARRAY(arena, size_t, pairs->count);
    Names *ranks = names_new(scratch);
    uint64_t *sums = ARENA_ARRAY(scratch, uint64_t, pairs->count + 1);
    NameId *rank_of = ARENA_ARRAY(scratch, NameId, pairs->count);
    for (size_t i = 0; i < pairs->count; i++) {
        const PlacePair *pair = &pairs->items[i];
        Error ignored;  // an order that is not the best is one all the same
        uint64_t cost = 0;
        if (pairs->count > 1)
            pair_cost(pair, &cost, &ignored);
        rank_of[i] = names_add(ranks, str_printf(scratch, "%lld " STR_FMT, (long long)pair->rank,
                                                 STR_ARG(pair->stage)));
        sums[rank_of[i]] += cost;
    }
    for (size_t i = 0; i < pairs->count; i++)
        costs[i] = (Costs){sums[rank_of[i]], pairs->items[i].stage, pairs->items[i].rank, i};
    if (pairs->count > 1)
        qsort(costs, pairs->count, sizeof *costs, larger_first);
    for (size_t i = 0; i < pairs->count; i++)
        order[i] = costs[i].index;
    arena_release(scratch);
    return order;
}
