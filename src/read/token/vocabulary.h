// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TOKEN_VOCABULARY_H
#define VERNIER_READ_TOKEN_VOCABULARY_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// The token of each id: vocab.json ({"the": 7}), tokenizer.json (its model's vocab and its
// added_tokens), or a text with a token a line, counted from 0.

typedef struct Vocabulary {
    Str *tokens;  // indexed by id; empty: none
    size_t count;
} Vocabulary;

// At most a million ids. Fails if the file is no vocabulary.
bool vocabulary_read(const char *path, Arena *arena, Vocabulary *out, Error *err);

// The token of an id, empty without one.
Str vocabulary_token(const Vocabulary *vocabulary, int64_t id);

#endif
