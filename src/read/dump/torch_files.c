// SPDX-License-Identifier: Apache-2.0
#include "read/dump/torch_files.h"

#include <pthread.h>

#include "base/words.h"
#include "read/tensor/torch_state.h"

// KEPT: threads that compare neighbouring tensors meet few files at a time.
enum { KEPT = 16 };

typedef struct OpenFile {
    Arena *arena;  // NULL: free
    Str name;
    TorchState state;
    uint64_t asked;  // when, of all questions
} OpenFile;

struct TorchFiles {
    const char *folder;
    pthread_mutex_t lock;
    Arena *arena;
    uint64_t questions;
    OpenFile items[KEPT];
};

TorchFiles *torch_files_new(const char *folder)
{
    Arena *arena = arena_new();
    TorchFiles *files = ARENA_NEW(arena, TorchFiles);
    *files = (TorchFiles){.folder = str_cstr(arena, str_of(folder)), .arena = arena};
    pthread_mutex_init(&files->lock, NULL);
    return files;
}

static void close_file(OpenFile *file)
{
    if (!file->arena)
        return;
    torch_state_close(&file->state);
    arena_release(file->arena);
    *file = (OpenFile){.arena = NULL};
}

void torch_files_free(TorchFiles *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < KEPT; i++)
        close_file(&files->items[i]);
    pthread_mutex_destroy(&files->lock);
    arena_release(files->arena);
}

static bool open_file(const TorchFiles *files, Str name, OpenFile *out, Error *err)
{
    Notices quiet;
    Arena *arena = arena_new();
    notices_init(&quiet, arena);
    const char *path = path_join(arena, files->folder, name);
    if (!torch_state_open(path, arena, &out->state, &quiet, err)) {
        arena_release(arena);
        return false;
    }
    out->arena = arena;
    out->name = str_copy(arena, name);
    return true;
}

// The open file, in the place of the one that was asked for longest ago where it was not open.
static OpenFile *find_file(TorchFiles *files, Str name, Error *err)
{
    OpenFile *found = &files->items[0];
    for (size_t i = 0; i < KEPT; i++) {
        OpenFile *item = &files->items[i];
        if (item->arena && str_equal(item->name, name)) {
            found = item;
            break;
        }
        if (item->asked < found->asked)
            found = item;
    }
    if (!found->arena || !str_equal(found->name, name)) {
        close_file(found);
        if (!open_file(files, name, found, err))
            return NULL;
    }
    found->asked = ++files->questions;
    return found;
}

// The tensor lies in a mapping of its own, since the open file may be closed before it.
static bool map_anew(const TorchState *state, Tensor tensor, TensorFile *out, Error *err)
{
    const char *from = state->file.text.data;
    if (!file_open(state->path, &out->file, err))
        return false;
    if (out->file.text.size != state->file.text.size) {
        file_close(&out->file);
        return error_set(err, ERR_INPUT, WHERE_FILE(state->path), "%s",
                         tr("the file was changed while it was read; try again"));
    }
    const char *to = out->file.text.data;
    tensor.data = (const unsigned char *)to + ((const char *)tensor.data - from);
    tensor.stored.data = to + (tensor.stored.data - from);
    out->tensor = tensor;
    return true;
}

bool torch_files_tensor(TorchFiles *files, Str file, Str name, TensorFile *out, Error *err)
{
    *out = (TensorFile){0};
    pthread_mutex_lock(&files->lock);
    const OpenFile *from = find_file(files, file, err);
    size_t index = from ? torch_state_find(&from->state, name) : SIZE_MAX;
    bool good = index != SIZE_MAX &&
                map_anew(&from->state, torch_state_tensor(&from->state, index), out, err);
    if (from && index == SIZE_MAX)
        error_set(err, ERR_INPUT, WHERE_FILE(from->state.path), "%s",
                  tr("the checkpoint has no such tensor"));
    pthread_mutex_unlock(&files->lock);
    return good;
}
