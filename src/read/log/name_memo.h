// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_NAME_MEMO_H
#define VERNIER_READ_LOG_NAME_MEMO_H

#include "read/log/series_name.h"

// What series_facts says of a name, kept: a log prints the same few names on every line.

enum { MEMO_SLOTS = 256, MEMO_NAME_MAX = 54 };

// Zeroed: nothing is known yet. Longer names are looked up each time.
typedef struct NameMemo {
    struct MemoSlot {
        char name[MEMO_NAME_MAX];
        unsigned char size;  // 0: free
        NameFacts facts;
    } slots[MEMO_SLOTS];
    bool cut;            // a line had more names with numbers than are read of one
    bool no_loss;        // no record says "loss": a cost, an energy, an error is it
    bool decimal_comma;  // a loss, a norm or a rate had a comma that parts no thousands
} NameMemo;

NameFacts name_facts(NameMemo *memo, Str name);

#endif
