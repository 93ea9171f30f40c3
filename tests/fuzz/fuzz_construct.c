// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_input.h"
#include "read/dump/construct.h"

// Any bytes as construct.json: no crash, and every id is a name.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Names *names = names_new(arena);
    Construct construct;
    Notices notices;
    Error err;
    notices_init(&notices, arena);
    Str text = fuzz_copy(data, size);
    if (construct_read_text("construct.json", text, names, arena, &construct, &notices, &err))
        for (uint32_t i = 0; i < construct.count; i++)
            if (construct.entries[i].child == NAME_NONE ||
                construct.entries[i].child > names_count(names) ||
                construct.entries[i].parent > names_count(names))
                abort();
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
