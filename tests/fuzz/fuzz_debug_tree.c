// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dump_check.h"
#include "read/dump/construct.h"
#include "read/dump/dump_formats.h"

// Any bytes as a debug tree: every slot belongs to one op, every id is a name, every parent stands
// before its children.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tree(const Dump *dump)
{
    check_dump(dump);
    for (uint32_t i = 0; i < dump->construct->count; i++)
        demand((i > 0) == (dump->construct->entries[i].parent != NAME_NONE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    Dump dump;
    notices_init(&notices, arena);
    Str text = fuzz_copy(data, size);
    if (debug_tree_read("tree.json", text, names_new(arena), arena, &dump, &notices, &err))
        check_tree(&dump);
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
