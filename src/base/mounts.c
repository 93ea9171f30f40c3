// SPDX-License-Identifier: Apache-2.0
#include "base/mounts.h"

#include <string.h>

#include "base/array.h"

static struct {
    const Archive **items;
    size_t count, capacity;
    Arena *arena;
} mounts;

void mounts_add(const Archive *archive)
{
    if (!mounts.arena)
        mounts.arena = arena_new();
    *ARRAY_PUSH(mounts.arena, &mounts) = archive;
}

void mounts_clear(void)
{
    for (size_t i = 0; i < mounts.count; i++)
        arena_release(mounts.items[i]->arena);
    mounts.count = 0;
}

// "./a.zip" as "a.zip"
static const char *without_here(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    return path;
}

const ArchiveMember *mounts_find(const char *path, const Archive **archive)
{
    path = without_here(path);
    for (size_t i = 0; i < mounts.count; i++) {
        const char *mount = without_here(mounts.items[i]->path);
        size_t size = strlen(mount);
        if (strncmp(path, mount, size) != 0 || (path[size] != '/' && path[size] != '\0'))
            continue;
        if (archive)
            *archive = mounts.items[i];
        Str below = str_of(path + size);
        while (str_starts(below, STR("/")))
            below = str_slice(below, 1, below.size);
        while (str_ends(below, STR("/")))
            below = str_slice(below, 0, below.size - 1);
        return archive_find(mounts.items[i], below);
    }
    return NULL;
}
