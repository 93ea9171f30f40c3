// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_PATTERN_INDEX_H
#define VERNIER_READ_SETTINGS_PATTERN_INDEX_H

#include "read/settings/fragments.h"

// Which of many patterns (pattern_fits) fit a name: those without wildcards are found by name,
// those with wildcards by the rarest of the texts between them, so that many patterns cost no more
// than there are names that they fit. Empty ones and those of nothing but wildcards are looked at
// one by one.

typedef struct PatternIndex PatternIndex;

// An empty pattern fits every name. The texts of the patterns are not copied.
PatternIndex *pattern_index_new(const Str *patterns, size_t count, Arena *arena);

typedef struct PatternHits {
    int64_t *items;  // places of the patterns that fit, each once, rising
    size_t count, capacity;
    FragmentHits fragments;  // memory of the search
} PatternHits;

// In place of what *out held; it grows in `arena`. Returns how many patterns were looked at.
size_t pattern_index_find(const PatternIndex *index, Str name, Arena *arena, PatternHits *out);

#endif
