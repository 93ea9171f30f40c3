// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "read/dump/pkl_text.h"
#include "read/dump/statistic_csv.h"

// Any bytes as statistic.csv, and as the old text .pkl: every slot belongs to one op, every id is a
// name.

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
    for (uint32_t i = 0; i < dump->extra_count; i++)
        if (dump->extras[i].slot >= slots)
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
    Str text = {copy, size};
    if (statistic_csv_read("statistic.csv", text, names_new(arena), arena, &dump, &notices, &err))
        check_dump(&dump);
    if (pkl_text_read("dump.pkl", text, names_new(arena), arena, &dump, &notices, &err))
        check_dump(&dump);
    free(copy);
    arena_release(arena);
    return 0;
}
