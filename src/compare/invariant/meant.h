// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_MEANT_H
#define VERNIER_COMPARE_INVARIANT_MEANT_H

#include "compare/invariant/expect.h"
#include "read/settings/config_items.h"

// What the configuration of a run tells of what was meant: expectations as --expect gives them,
// each with the setting that it is from. The settings are rows of one table.

typedef struct Meants {
    Expect *items;
    size_t count, capacity;
    Str *unclear;  // what is left out and why, translated
    size_t unclear_count, unclear_capacity;
    TokenIds tokens;
} Meants;

// Adds what the settings of a run mean, each under the name of its file. Settings that contradict
// each other, or others that leave open what they mean, show nothing.
void meant_take(const Config *config, Arena *arena, Meants *out);

#endif
