// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_JSON_TREE_H
#define VERNIER_READ_JSON_TREE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/names.h"
#include "base/str.h"

// One JSON value as a cJSON tree that loses nothing. cJSON alone refuses Python's NaN and Infinity
// and lone surrogates, rounds integers, does not tell 1 from 1.0, and ends strings at \u0000. So
// every number, and every string of that kind, is put into the parsed text as a mark that names its
// place, and is read from the text itself when it is asked for.

typedef enum JsonKind {
    JSON_NULL,
    JSON_BOOL,
    JSON_INTEGER,
    JSON_REAL,
    JSON_STRING,
    JSON_LIST,
    JSON_OBJECT
} JsonKind;

typedef struct JsonTree {
    Str text;
    cJSON *root;
    StrBuf marked;    // the text with the marks
    StrBuf decoded;   // the string asked for last
    size_t repeated;  // members that were replaced by a later one of the same key
    Arena *key_arena;
    Names *keys;  // of all objects, to find repeated ones
    struct TreeKey *seen;
    size_t seen_count;
    uint32_t object_count;
} JsonTree;

void tree_init(JsonTree *tree, Arena *arena);
void tree_release(JsonTree *tree);

// Parses `text`, one value of at most JSON_DEPTH_MAX levels; false if it is not JSON. `text` must
// stay valid while the tree is used. Of members with the same key the last value stands at the place
// of the first, as in Python. A tree can be parsed into again after tree_close.
bool tree_parse(JsonTree *tree, Str text);
void tree_close(JsonTree *tree);

JsonKind tree_kind(const JsonTree *tree, const cJSON *node);

// Strings: their characters, valid until the next call. Numbers: their digits as written.
Str tree_text(JsonTree *tree, const cJSON *node);
Str tree_key(JsonTree *tree, const cJSON *node);

// The value as Python's str() shows it: "[1, None, 'a']", "1e-05", a string itself without quotes.
void tree_python(JsonTree *tree, const cJSON *node, StrBuf *out);

#endif
