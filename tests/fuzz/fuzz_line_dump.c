// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dump_check.h"
#include "read/dump/construct.h"
#include "read/dump/dump_formats.h"

// Any bytes as vernier.dump/1: every slot belongs to one op, every id is a name.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    Dump dump;
    notices_init(&notices, arena);
    Str text = fuzz_copy(data, size);
    if (line_dump_read("dump.jsonl", text, names_new(arena), arena, &dump, &notices, &err))
        check_dump(&dump);
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
