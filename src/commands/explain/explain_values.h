// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_EXPLAIN_EXPLAIN_VALUES_H
#define VERNIER_COMMANDS_EXPLAIN_EXPLAIN_VALUES_H

#include "read/json/json_tree.h"

// What a summary.json says under a path of keys like "coverage.golden.slots". The file may be
// anybody's: what is not there or of another kind is empty, NaN or false.

const JsonNode *value_at(const JsonNode *node, const char *path);  // NULL: not there
Str value_text(const JsonNode *node, const char *path);            // of a string
double value_number(const JsonNode *node, const char *path);
uint64_t value_count(const JsonNode *node, const char *path);  // 0: no whole number from 0 on
bool value_true(const JsonNode *node, const char *path);

// Any value for a reader: "1,276", "2.91e-05", a string itself, the items of a list; "" for null.
Str value_shown(const JsonNode *node, const char *path, Arena *arena);

#endif
