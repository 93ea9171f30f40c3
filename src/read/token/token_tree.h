// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TOKEN_TOKEN_TREE_H
#define VERNIER_READ_TOKEN_TOKEN_TREE_H

#include "read/json/json_tree.h"
#include "read/token/token_rows.h"

// Whether the text, which begins with an object or a list, is one of objects within objects.
bool token_tree_is(Str text);

// Adds the samples of one tree, in its order; `line` is named in notices. Linear in its nodes.
void token_read_node(const char *path, uint64_t line, const JsonNode *root, const TokenAsk *ask,
                     Arena *arena, TokenSet *out, Notices *notices);

// The same of a text; false: it holds no log-probability.
bool token_read_tree(const char *path, Str text, const TokenAsk *ask, Arena *arena, TokenSet *out,
                     Notices *notices);

#endif
