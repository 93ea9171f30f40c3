// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "read/dump/construct.h"
#include "read/dump/line_dump.h"

// Any bytes as vernier.dump/1: every slot belongs to one op, every id is a name.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_dump(const Dump *dump)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        if (dump->ops[i].first_slot != slots || dump->ops[i].name > names_count(dump->names))
            abort();
        slots += dump->ops[i].slot_count;
    }
    if (slots != dump->slot_count)
        abort();
    for (uint32_t i = 0; dump->construct && i < dump->construct->count; i++)
        if (dump->construct->entries[i].child == NAME_NONE)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    Dump dump;
    notices_init(&notices, arena);
    char *copy = malloc(size ? size : 1);
    if (copy && size)
        memcpy(copy, data, size);
    if (line_dump_read("dump.jsonl", (Str){copy, size}, names_new(arena), arena, &dump, &notices,
                       &err))
        check_dump(&dump);
    free(copy);
    arena_release(arena);
    return 0;
}
