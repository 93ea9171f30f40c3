// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_RECORDED_H
#define VERNIER_COMPARE_JUDGE_RECORDED_H

#include "base/arena.h"
#include "compare/judge/told_digits.h"
#include "read/dump/dump.h"

// What the collection of one side was set to, told from what its dump holds: no field of a dump
// says it. What a whole side does not have was not recorded there, what single tensors lack was
// lost.

typedef enum SlotRole { SLOT_INPUTS, SLOT_PARAMETERS, SLOT_OUTPUTS, SLOT_ROLES } SlotRole;

// Dumpers leave statistics out by the sort of a dtype: no mean of bool, nothing of float8.
typedef enum DtypeSort {
    SORT_FLOAT,  // 32 bits and more
    SORT_HALF,
    SORT_INTEGER,
    SORT_OTHER,
    SORT_COUNT
} DtypeSort;

typedef struct Recorded {
    uint32_t ops[OP_OTHER + 1][DIR_BACKWARD + 1];  // by kind and direction
    uint32_t slots[DIR_BACKWARD + 1][SLOT_ROLES];  // not None, by direction and role
    uint32_t keyword_apis;                         // with arguments by keyword; 2: or more
    uint32_t tensors[SORT_COUNT];                  // that are not empty
    uint32_t stats[SORT_COUNT][STAT_COUNT];        // of these, those that tell the statistic
    uint32_t shapes, dtypes;                       // of these, those that tell them
    uint32_t checksums;                            // tensors with one
    uint32_t checksum_size;                        // in characters, of most of them
    uint64_t told;                                 // slots with a value of any kind
    uint64_t told_tensors;
    ToldRounding rounding;     // of the statistics of float32 and finer
    const uint8_t *sorts;      // DtypeSort by NameId of the dtype texts
    const uint64_t *elements;  // of the tensors' shapes by NameId of their texts; 0: unknown
} Recorded;

// Linear in slots; `sorts` and `elements` live in `arena`.
void recorded_collect(const Dump *dump, Arena *arena, Recorded *out);

// Of a slot of an op; of gradients and debug items SLOT_ROLES.
SlotRole recorded_role(const Slot *slot);

// Whether the side tells a value of the slot: a statistic, a checksum, a file, an argument.
bool recorded_told(const Slot *slot);

// A tensor without elements, which has no statistics: a shape with a zero.
bool recorded_empty(const Dump *dump, const Slot *slot);

// Whether no call of the direction has the role on this side: a setting of its collection.
bool recorded_lacks_role(const Recorded *side, Direction direction, SlotRole role);

// Whether no call of the side has an argument by keyword, though calls of several APIs of the other
// do: a setting of its collection.
bool recorded_lacks_keywords(const Recorded *side, const Recorded *other);

// Whether the side tells the statistic of no tensor of the sort: its collection was not set to.
bool recorded_lacks_stat(const Recorded *side, DtypeSort sort, Stat stat);

// Whether the side tells no shape (dtype) of any tensor: its collection was not set to.
bool recorded_lacks_shapes(const Recorded *side);
bool recorded_lacks_dtypes(const Recorded *side);

// Whether the one of two tensors tells what the other lost: a statistic or checksum that the
// other's side records elsewhere, or the shape or dtype that it records nowhere. Empty tensors
// have none.
bool recorded_lost(const Recorded *golden_side, const Slot *golden, const Recorded *target_side,
                   const Slot *target, const Dump *dumps[2]);

// The checksum where it looks like those of its side, else NAME_NONE.
NameId recorded_checksum(const Recorded *side, const Dump *dump, const Slot *slot);

#endif
