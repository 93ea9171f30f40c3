// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping/mapping_data.h"

#include "base/array.h"
#include "compare/mapping/row_name.h"

typedef struct RowFinder {
    const NameMapping *mapping;
    const Dump *golden, *target;
    Names *rows;        // names of golden rows in the mapping
    uint32_t *slot_of;  // by their NameId: the slot, MAPPED_NONE
    uint32_t *op_of;    // by golden slot that has such a name
    bool *taken;        // by golden op
    StrBuf name;
} RowFinder;

static void find_golden_rows(RowFinder *finder, Arena *scratch)
{
    const Dump *golden = finder->golden;
    for (size_t i = 0; i < finder->mapping->count; i++)
        names_add(finder->rows, finder->mapping->items[i].golden);
    size_t count = names_count(finder->rows) + 1;
    finder->slot_of = ARENA_ARRAY(scratch, uint32_t, count);
    finder->op_of = ARENA_ARRAY(scratch, uint32_t, (size_t)golden->slot_count + 1);
    for (size_t i = 0; i < count; i++)
        finder->slot_of[i] = MAPPED_NONE;
    for (uint32_t i = 0; i < golden->op_count; i++) {
        const Op *op = &golden->ops[i];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            Str row = row_name(golden, op, &golden->slots[k], &finder->name);
            NameId id = names_find(finder->rows, row);
            if (id == NAME_NONE || finder->slot_of[id] != MAPPED_NONE)
                continue;
            finder->slot_of[id] = k;
            finder->op_of[k] = i;
        }
    }
}

static uint32_t golden_slot(RowFinder *finder, const Op *op, uint32_t slot)
{
    const Dump *target = finder->target;
    Str row = row_name(target, op, &target->slots[slot], &finder->name);
    const NamePair *pair = mapping_find(finder->mapping, row);
    return pair ? finder->slot_of[names_find(finder->rows, pair->golden)] : MAPPED_NOT;
}

static void map_op(RowFinder *finder, uint32_t index, MappedRows *out)
{
    const Op *op = &finder->target->ops[index];
    uint32_t *partner = &out->golden_of[index];
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        uint32_t slot = golden_slot(finder, op, k);
        out->golden_slot_of[k] = slot;
        if (slot == MAPPED_NOT)
            continue;
        bool found = slot != MAPPED_NONE && !finder->taken[finder->op_of[slot]];
        if (found && *partner >= MAPPED_NONE) {
            *partner = finder->op_of[slot];
        } else if (*partner == MAPPED_NOT) {
            *partner = MAPPED_NONE;
        }
    }
    if (*partner < MAPPED_NONE)
        finder->taken[*partner] = true;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        uint32_t slot = out->golden_slot_of[k];
        if (slot < MAPPED_NONE && finder->op_of[slot] != *partner)
            out->golden_slot_of[k] = MAPPED_NONE;
    }
}

void mapping_data_rows(const NameMapping *mapping, const Dump *golden, const Dump *target,
                       Arena *arena, MappedRows *out)
{
    Arena *scratch = arena_new();
    RowFinder finder = {.mapping = mapping,
                        .golden = golden,
                        .target = target,
                        .rows = names_new(scratch),
                        .taken = ARENA_ARRAY(scratch, bool, (size_t)golden->op_count + 1)};
    finder.name = strbuf_new(scratch);
    find_golden_rows(&finder, scratch);
    *out = (MappedRows){.golden_of = array_of_none(arena, target->op_count),
                        .golden_slot_of =
                            ARENA_ARRAY(arena, uint32_t, (size_t)target->slot_count + 1)};
    for (uint32_t i = 0; i < target->op_count; i++)
        map_op(&finder, i, out);
    arena_release(scratch);
}
