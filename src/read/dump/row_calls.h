// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_ROW_CALLS_H
#define VERNIER_READ_DUMP_ROW_CALLS_H

#include "read/dump/dump_rows.h"
#include "read/dump/op_name.h"

// Ops of writers that give their calls no numbers: "relu", "relu#1".
typedef struct RowCalls {
    DumpRows *rows;
    Names *keys;
    uint32_t *seen;  // by the id in `keys`
    size_t seen_count;
} RowCalls;

void row_calls_init(RowCalls *calls, DumpRows *rows);

int32_t row_calls_next(RowCalls *calls, Str key);  // 0 for a key that is new, then 1, 2, …

// The same with a tensor of the numbers in `shape`, "[2, 3]", and "torch.float32".
Slot *row_calls_tensor(RowCalls *calls, const OpName *what, Str slot, Str dtype, Str shape,
                       uint64_t offset);

#endif
