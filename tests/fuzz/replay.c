// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

// Stands in for libFuzzer, for all targets in one program: `replay TARGET FOLDER...` gives every
// file of the folders to that target once.

typedef int Target(const uint8_t *data, size_t size);

#define TARGET(name) Target fuzz_target_##name;
#include "fuzz_targets.h"
#undef TARGET

static const struct {
    const char *name;
    Target *run;
} TARGETS[] = {
#define TARGET(name) {#name, fuzz_target_##name},
#include "fuzz_targets.h"
#undef TARGET
};

static Target *target_find(const char *name)
{
    for (size_t i = 0; i < sizeof TARGETS / sizeof *TARGETS; i++)
        if (!strcmp(name, TARGETS[i].name))
            return TARGETS[i].run;
    return NULL;
}

static bool replay_folder(Target *target, const char *folder, Arena *arena)
{
    FolderList list;
    Error err;
    if (!folder_list(folder, arena, &list, &err)) {
        fprintf(stderr, "%s: %s\n", folder, err.text);
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        File file;
        const char *path = path_join(arena, folder, list.items[i]);
        if (!file_open(path, &file, &err)) {
            fprintf(stderr, "%s: %s\n", path, err.text);
            return false;
        }
        fprintf(stderr, "%s\n", path);
        target((const uint8_t *)file.text.data, file.text.size);
        file_close(&file);
    }
    return true;
}

int main(int count, char **arguments)
{
    Target *target = count > 2 ? target_find(arguments[1]) : NULL;
    if (!target) {
        fprintf(stderr, "usage: replay TARGET FOLDER...\n");
        return 2;
    }
    Arena *arena = arena_new();
    bool good = true;
    for (int i = 2; i < count; i++)
        good = replay_folder(target, arguments[i], arena) && good;
    arena_release(arena);
    return good ? 0 : 1;
}
