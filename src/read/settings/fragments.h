// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_FRAGMENTS_H
#define VERNIER_READ_SETTINGS_FRAGMENTS_H

#include "base/arena.h"
#include "base/str.h"

// Which of many texts occur in another, in one pass over it (Aho and Corasick, Efficient string
// matching, Communications of the ACM 18(6), 1975).

typedef struct Fragments Fragments;

Fragments *fragments_new(Arena *arena);

// A number for the text, the same for the same text, in the order of first use from 0. The text is
// not empty. Not after fragments_link.
uint32_t fragments_add(Fragments *fragments, Str text);

void fragments_link(Fragments *fragments);  // all are added: to be called before any search

typedef struct FragmentHits {
    int64_t *items;  // numbers, each once, rising
    size_t count, capacity;
} FragmentHits;

// In place of what *out held; it grows in `arena`.
void fragments_in(const Fragments *fragments, Str text, Arena *arena, FragmentHits *out);

#endif
