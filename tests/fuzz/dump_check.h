// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_FUZZ_DUMP_CHECK_H
#define VERNIER_FUZZ_DUMP_CHECK_H

#include "fuzz_input.h"
#include "read/dump/construct.h"
#include "read/dump/dump.h"

// What must hold of every dump that a reader gives: every slot belongs to one op, every id is a
// name, a modifier belongs to a slot, a row of the hierarchy has a child.
static inline void check_dump(const Dump *dump)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        demand(dump->ops[i].first_slot == slots);
        demand(dump->ops[i].name <= names_count(dump->names));
        slots += dump->ops[i].slot_count;
    }
    demand(slots == dump->slot_count);
    for (uint32_t i = 0; i < dump->extra_count; i++)
        demand(dump->extras[i].slot < slots);
    for (uint32_t i = 0; dump->construct && i < dump->construct->count; i++)
        demand(dump->construct->entries[i].child != NAME_NONE);
}

#endif
