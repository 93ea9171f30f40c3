// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_READ_FACT_H
#define VERNIER_READ_DUMP_READ_FACT_H

#include "base/str.h"

// What is recorded of a dump when its records are gone.

enum { STACK_FRAMES_TOLD = 64 };  // frames of a call stack

typedef struct ReadFact {
    Str file;
    uint64_t bytes;
    uint32_t ops;
    int64_t partial_at;  // byte, or -1
} ReadFact;

#endif
