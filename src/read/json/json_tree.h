// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_JSON_JSON_TREE_H
#define VERNIER_READ_JSON_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

// One JSON value as a tree that loses nothing: Python's NaN and Infinity, lone surrogates, \u0000,
// integers of any size, and whether a number is written as 1 or 1.0.

typedef enum JsonKind {
    JSON_NULL,
    JSON_BOOL,
    JSON_INTEGER,
    JSON_REAL,
    JSON_STRING,
    JSON_LIST,
    JSON_OBJECT
} JsonKind;

typedef struct JsonNode {
    JsonKind kind;
    bool truth;              // of JSON_BOOL
    Str key;                 // of a member of an object
    Str text;                // a string's characters, a number's digits as written
    struct JsonNode *child;  // first item or member
    struct JsonNode *next;   // the one next to it
} JsonNode;

typedef struct JsonTree {
    const JsonNode *root;
    size_t repeated;  // members that were replaced by a later one of the same key
} JsonTree;

// False if `text` is not one JSON value of at most JSON_DEPTH_MAX levels. `text` must stay valid
// while the tree is used: what has no escapes is not copied. Of members with the same key the last
// value stands at the place of the first, as in Python.
bool tree_parse(Str text, Arena *arena, JsonTree *out);

// The member `key`, NULL if there is none or `node` is no object.
const JsonNode *tree_member(const JsonNode *node, Str key);

Str tree_member_text(const JsonNode *node,
                     const char *key);  // of a member that is a text, else empty
const JsonNode *tree_item(const JsonNode *list, size_t index);  // NULL beyond the last
size_t tree_count(const JsonNode *node);                        // items or members

// The value as Python's str() shows it: "[1, None, 'a']", "1e-05", a string itself without quotes.
void tree_python(const JsonNode *node, StrBuf *out);

#endif
