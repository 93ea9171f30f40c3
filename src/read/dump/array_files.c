// SPDX-License-Identifier: Apache-2.0
#include "read/dump/array_files.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"

struct ArrayFiles {
    const char *folder;
    pthread_mutex_t lock;
    Arena *arena;
    Names *names;
    Weights **items;  // by the id of the file's name
    size_t count;
};

bool array_files_has_name(Str name)
{
    return str_ends(name, STR(".npz")) || str_ends(name, STR(".safetensors"));
}

ArrayFiles *array_files_new(const char *folder)
{
    Arena *arena = arena_new();
    ArrayFiles *files = ARENA_NEW(arena, ArrayFiles);
    *files = (ArrayFiles){
        .folder = str_cstr(arena, str_of(folder)), .arena = arena, .names = names_new(arena)};
    pthread_mutex_init(&files->lock, NULL);
    return files;
}

void array_files_free(ArrayFiles *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i])
            weights_close(files->items[i]);
    pthread_mutex_destroy(&files->lock);
    arena_release(files->arena);
}

static Weights *open_file(const ArrayFiles *files, Str file, Notices *notices, Error *err)
{
    Notices quiet;
    notices_init(&quiet, files->arena);
    Weights *weights = ARENA_NEW(files->arena, Weights);
    bool good = weights_open(path_join(files->arena, files->folder, file), files->arena, weights,
                             notices ? notices : &quiet, err);
    return good ? weights : NULL;
}

const Weights *array_files_open(ArrayFiles *files, Str file, Notices *notices, Error *err)
{
    pthread_mutex_lock(&files->lock);
    NameId id = names_add(files->names, file);
    Weights **place = &ARRAY_REACH(files->arena, files->items, files->count, id)[id];
    if (!*place)
        *place = open_file(files, file, notices, err);
    const Weights *weights = *place;
    pthread_mutex_unlock(&files->lock);
    return weights;
}

typedef struct Turn {
    uint64_t place;
    size_t weight;
} Turn;

static int by_place(const void *a, const void *b)
{
    const Turn *one = a, *two = b;
    if (one->place != two->place)
        return one->place < two->place ? -1 : 1;
    return (one->weight > two->weight) - (one->weight < two->weight);
}

// Libraries sort by type first, then by name.
static bool is_alphabetical(const Weights *weights, const Turn *turns)
{
    for (size_t i = 1; i < weights->count; i++) {
        const Weight *before = &weights->items[turns[i - 1].weight];
        const Weight *after = &weights->items[turns[i].weight];
        if (before->dtype == after->dtype && str_compare(before->name, after->name) > 0)
            return false;
    }
    return true;
}

const size_t *array_files_order(const Weights *weights, Arena *arena, Notices *notices)
{
    enum { NO_CHANCE = 6 };  // so many stand by the alphabet by chance in 1 of 720 files
    Turn *turns = ARENA_ARRAY(arena, Turn, weights->count);
    size_t *order = ARENA_ARRAY(arena, size_t, weights->count);
    for (size_t i = 0; i < weights->count; i++)
        turns[i] = (Turn){weights_place(weights, i), i};
    if (weights->count > 1)
        qsort(turns, weights->count, sizeof *turns, by_place);
    bool alphabetical = is_alphabetical(weights, turns);
    if (alphabetical && weights->count >= NO_CHANCE && notices)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(weights->path), "%s",
                    tr("the file orders tensors by name, not by execution: the first one named "
                       "here is the first by name"));
    for (size_t i = 0; i < weights->count; i++)
        order[i] = alphabetical ? i : turns[i].weight;
    return order;
}
