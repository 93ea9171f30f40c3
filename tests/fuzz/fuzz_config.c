// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compare/checklist/checklist.h"

// Any bytes as a training configuration: no crash, bounded work, and it never differs from itself.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "fuzz-config-%ld.txt", (long)getpid());
    FILE *out = fopen(path, "wb");
    if (!out)
        return 0;
    if (size && fwrite(data, 1, size, out) != size)
        abort();
    fclose(out);
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    Config config = {0};
    Checklist list;
    notices_init(&notices, arena);
    if (config_read(path, arena, &config, &notices, &err)) {
        checklist_compare(&config, &config, arena, &list);
        if (list.differs || list.one_side || config.count > CONFIG_ITEMS_MAX)
            abort();
    }
    arena_release(arena);
    remove(path);
    return 0;
}
