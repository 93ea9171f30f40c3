// SPDX-License-Identifier: Apache-2.0
#include "commands/pair_cost.h"

#include <stdlib.h>

#include "base/file.h"

enum { SEEN_FILES = 64 };

// The sum of the sizes, from some of them.
static uint64_t bytes_of_tensors(const char *folder)
{
    Arena *arena = arena_new();
    FolderList files = {0};
    Error ignored;
    uint64_t bytes = 0;
    const char *path = path_join(arena, folder, STR("dump_tensor_data"));
    if (file_kind(path) == FILE_FOLDER && folder_list(path, arena, &files, &ignored)) {
        size_t seen = files.count < SEEN_FILES ? files.count : SEEN_FILES;
        for (size_t i = 0; i < seen; i++)
            bytes += file_size(path_join(arena, path, files.items[i * files.count / seen]));
        bytes = seen ? (uint64_t)((double)bytes / (double)seen * (double)files.count) : 0;
    }
    arena_release(arena);
    return bytes;
}

static uint64_t bytes_of_dump(const DumpPlace *place)
{
    return file_size(place->file) + bytes_of_tensors(place->folder);
}

static uint64_t bytes_of_place(const DumpPlace *place)
{
    uint64_t bytes = 0;
    if (!place->parts)
        return bytes_of_dump(place);
    for (size_t i = 0; i < place->tp * place->pp; i++)
        bytes += file_size(place->parts[i].file);  // merged ranks are compared by statistics
    return bytes;
}

uint64_t pair_cost(const PlacePair *pair)
{
    if (!pair->golden || !pair->target)
        return 0;
    return bytes_of_place(pair->golden) + bytes_of_place(pair->target);
}

typedef struct Costs {
    uint64_t cost;
    size_t index;
} Costs;

static int larger_first(const void *a, const void *b)
{
    const Costs *left = a, *right = b;
    if (left->cost != right->cost)
        return left->cost > right->cost ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

size_t *pair_cost_order(const PlacePairs *pairs, Arena *arena)
{
    Arena *scratch = arena_new();
    Costs *costs = ARENA_ARRAY(scratch, Costs, pairs->count);
    size_t *order = ARENA_ARRAY(arena, size_t, pairs->count);
    for (size_t i = 0; i < pairs->count; i++)
        costs[i] = (Costs){pairs->count > 1 ? pair_cost(&pairs->items[i]) : 0, i};
    if (pairs->count > 1)
        qsort(costs, pairs->count, sizeof *costs, larger_first);
    for (size_t i = 0; i < pairs->count; i++)
        order[i] = costs[i].index;
    arena_release(scratch);
    return order;
}
