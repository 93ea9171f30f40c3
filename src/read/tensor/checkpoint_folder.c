// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/checkpoint_folder.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/file.h"
#include "base/sort.h"
#include "read/tensor/weights_file.h"

enum { DEPTH_MAX = 5 };

typedef struct Walk {
    Arena *arena;
    CheckpointPlaces *out;
    Notices *notices;
} Walk;

// The digits after `word` and one of "_", "-" or nothing. False: there are none.
static bool number_behind(Str text, const char *word, int64_t *out)
{
    for (size_t at = 0; (at = str_find(text, str_of(word), at)) != SIZE_MAX;) {
        size_t from = at + str_of(word).size, end;
        from += from < text.size && (text.data[from] == '_' || text.data[from] == '-');
        for (end = from; end < text.size && text.data[end] >= '0' && text.data[end] <= '9';)
            end++;
        if (end > from && str_to_int64(str_slice(text, from, end), out))
            return true;
        at = from;
    }
    return false;
}

// "mp_rank_01_002": share 1, stage 2. The stage may be missing.
static void take_shares(Str name, CheckpointPlace *place)
{
    size_t at = str_find(name, STR("mp_rank_"), 0);
    int64_t number;
    if (number_behind(name, "zero_pp_rank", &number))
        place->copy = number;
    if (at == SIZE_MAX)
        return;
    Str rest = str_slice(name, at + 8, name.size), part;
    if (!str_split(&rest, '_', &part) || !str_to_int64(part, &number))
        return;
    place->has_share = true;
    place->share = number;
    if (str_split(&rest, '_', &part) && str_to_int64(part, &number))
        place->stage = number;
}

static void take_name(Str name, CheckpointPlace *place)
{
    static const char *const steps[] = {"global_step", "iter", "iteration",
                                        "checkpoint",  "step", "epoch"};
    int64_t number;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (number_behind(name, steps[i], &number)) {
            place->step = number;
            place->has_step = true;
            break;
        }
    take_shares(name, place);
    if (!place->has_share && number_behind(name, "rank", &number)) {
        place->rank = number;
        place->has_rank = true;
    }
}

static void add_place(Walk *walk, const CheckpointPlace *place, const char *path, bool aside)
{
    CheckpointPlace *new = ARRAY_PUSH(walk->arena, walk->out);
    *new = *place;
    new->path = path;
    new->aside = aside;
}

// Files of which each is a rank's own are no shards of one model.
static bool are_of_ranks(const FolderList *files)
{
    for (size_t i = 0; i < files->count; i++) {
        CheckpointPlace place = {0};
        take_name(files->items[i], &place);
        if (place.has_rank || place.has_share || place.has_step)
            return true;
    }
    return false;
}

static bool is_optimizer(Str name)
{
    return str_starts(name, STR("optimizer.")) ||
           str_find(name, STR("optim_states"), 0) != SIZE_MAX;
}

static void visit(Walk *walk, const char *path, CheckpointPlace place, int depth)
{
    FolderList files;
    Error err;
    take_name(path_base(str_of(path)), &place);
    if (file_kind(path) == FILE_REGULAR) {
        if (weights_is(path))
            add_place(walk, &place, path, is_optimizer(path_base(str_of(path))));
        return;
    }
    if (file_kind(path) != FILE_FOLDER || !folder_list(path, walk->arena, &files, &err))
        return;
    size_t before = walk->out->count;
    bool shards = !are_of_ranks(&files) && weights_is(path);
    if (shards)
        add_place(walk, &place, path, false);
    for (size_t i = 0; i < files.count && depth < DEPTH_MAX; i++) {
        const char *inner = path_join(walk->arena, path, files.items[i]);
        bool folder = file_kind_noted(inner, walk->notices) == FILE_FOLDER;
        if (folder || !shards || is_optimizer(files.items[i]))
            visit(walk, inner, place, depth + 1);
    }
    CheckpointPlace own = {.path = path};
    take_name(path_base(str_of(path)), &own);
    if (own.has_step && walk->out->count == before)
        *ARRAY_ADD(walk->arena, walk->out->empty, walk->out->empty_count,
                   walk->out->empty_capacity) = own;
}

static int by_place(const void *a, const void *b)
{
    const CheckpointPlace *one = a, *two = b;
    int step = order_int64(one->step, two->step), rank = order_int64(one->rank, two->rank);
    int aside = (int)one->aside - (int)two->aside;
    return step    ? step
           : rank  ? rank
           : aside ? aside
                   : str_compare(str_of(one->path), str_of(two->path));
}

// Ranks from coordinates: shares next to each other, then stages, then copies.
static void number_ranks(CheckpointPlaces *all)
{
    int64_t shares = 1;
    all->stages = 1;
    for (size_t i = 0; i < all->count; i++) {
        shares = all->items[i].share < shares ? shares : all->items[i].share + 1;
        all->stages = all->items[i].stage < all->stages ? all->stages : all->items[i].stage + 1;
    }
    for (size_t i = 0; i < all->count; i++) {
        CheckpointPlace *it = &all->items[i];
        if (it->has_share)
            it->rank = (it->copy * all->stages + it->stage) * shares + it->share;
    }
}

// Next to a folder without weights another one may hold those of its step.
static void keep_empty(CheckpointPlaces *all)
{
    size_t kept = 0, at = 0;
    if (all->empty_count > 1)
        qsort(all->empty, all->empty_count, sizeof *all->empty, by_place);
    for (size_t i = 0; i < all->empty_count; i++) {
        while (at < all->count && all->items[at].step < all->empty[i].step)
            at++;
        if (at == all->count || all->items[at].step != all->empty[i].step)
            all->empty[kept++] = all->empty[i];
    }
    all->empty_count = kept;
}

bool checkpoint_find(const Str *paths, size_t count, Arena *arena, CheckpointPlaces *out,
                     Notices *notices)
{
    Walk walk = {arena, out, notices};
    *out = (CheckpointPlaces){0};
    for (size_t i = 0; i < count; i++) {
        size_t before = out->count;
        visit(&walk, str_cstr(arena, path_trim(paths[i])), (CheckpointPlace){0}, 0);
        for (size_t k = before; k < out->count && count > 1; k++)
            if (!out->items[k].has_step)
                out->items[k].step = (int64_t)i;
    }
    number_ranks(out);
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, by_place);
    keep_empty(out);
    return out->count > 0;
}
