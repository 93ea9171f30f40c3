// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>

#include "compare/mapping/row_name.h"
#include "dump_same.h"
#include "fuzz_input.h"
#include "read/dump/dump_json.h"
#include "read/dump/dump_source.h"

// Any bytes as dump.json: no crash, and the direct reader gives what a tree gives.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Reading {
    Dump dump;
    Notices notices;
    Error err;
    bool good;
} Reading;

static void read_with(Str text, bool as_trees, Arena *arena, Reading *out)
{
    *out = (Reading){.good = false};
    notices_init(&out->notices, arena);
    out->good = (as_trees ? dump_json_read_as_trees : dump_json_read)(
        "dump.json", text, names_new(arena), arena, &out->dump, &out->notices, &out->err);
}

static void compare(const Reading *direct, const Reading *tree)
{
    demand(direct->good == tree->good);
    demand(same_notices(&direct->notices, &tree->notices));
    if (direct->good)
        demand(same_dump(&direct->dump, &tree->dump));
    else
        demand(strcmp(direct->err.text, tree->err.text) == 0 && direct->err.text[0]);
}

// Large texts are read in place, up to their last bracket.
static void read_large(Str text, Arena *arena, Reading *out)
{
    size_t size = text.size + (1 << 16) + 1;
    char *large = malloc(size);
    if (!large)
        return;
    memset(large, ' ', size);
    memcpy(large, text.data, text.size);
    read_with((Str){large, size}, false, arena, out);
    free(large);
}

static void show(const Reading *reading, Arena *arena)
{
    const Dump *dump = &reading->dump;
    char buffer[40];
    StrBuf name = {.arena = arena};
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            const Slot *slot = &dump->slots[k];
            row_name(dump, op, slot, &name);
            shape_elements(names_text(dump->names, slot->shape));
            for (int stat = 0; stat < STAT_COUNT; stat++)
                slot_stat_text(dump->names, slot, (Stat)stat, buffer);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Str text = fuzz_copy(data, size);
    Reading direct, tree, large;
    read_with(text, false, arena, &direct);
    read_with(text, true, arena, &tree);
    compare(&direct, &tree);
    show(&direct, arena);
    if (size % 4 == 0 && tree.good && tree.dump.partial_at < 0) {
        read_large(text, arena, &large);
        demand(large.good && same_dump(&large.dump, &tree.dump));
    }
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
