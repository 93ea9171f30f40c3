// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MAPPING_MAPPING_DATA_H
#define VERNIER_COMPARE_MAPPING_MAPPING_DATA_H

#include "read/dump/dump.h"
#include "read/settings/mapping_file.h"

// A data mapping, row by row, as pairs of ops and slots.

#define MAPPED_NOT  UINT32_MAX        // the mapping says nothing
#define MAPPED_NONE (UINT32_MAX - 1)  // it names something that golden does not have

typedef struct MappedRows {
    uint32_t *golden_of;       // by target op: its partner, MAPPED_NOT or MAPPED_NONE
    uint32_t *golden_slot_of;  // by target slot: a slot of that partner, MAPPED_NOT or MAPPED_NONE
} MappedRows;

// The first row of an op that has a partner decides for the op; rows that lead to other ops then
// have none. No op of golden is given away twice: the first op of the target gets it. Linear in the
// slots, times the logarithm of the entries.
void mapping_data_rows(const NameMapping *mapping, const Dump *golden, const Dump *target,
                       Arena *arena, MappedRows *out);

#endif
