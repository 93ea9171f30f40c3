// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdio.h>

#include "base/file.h"

// Stands in for libFuzzer: gives every file of the folders in the arguments to the target once.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool replay_folder(const char *folder, Arena *arena)
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
        LLVMFuzzerTestOneInput((const uint8_t *)file.text.data, file.text.size);
        file_close(&file);
    }
    return true;
}

int main(int count, char **arguments)
{
    Arena *arena = arena_new();
    bool good = true;
    for (int i = 1; i < count; i++)
        good = replay_folder(arguments[i], arena) && good;
    arena_release(arena);
    return good ? 0 : 1;
}
