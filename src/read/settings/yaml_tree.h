// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_YAML_TREE_H
#define VERNIER_READ_SETTINGS_YAML_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/str.h"

// A YAML file written by hand (mappings, criteria, studies) as a tree, with the line of each value.
// One document; tags, anchors and keys that are no text are refused, as is nesting beyond 64 and
// more than a million values. JSON is YAML too.

typedef enum YamlKind { YAML_IS_TEXT, YAML_IS_LIST, YAML_IS_MAP } YamlKind;

typedef struct YamlNode {
    YamlKind kind;
    uint64_t line;           // from 1
    Str key;                 // inside a map; empty inside a list
    Str text;                // of YAML_IS_TEXT
    bool plain;              // without quotes: may stand for a number, true, null
    struct YamlNode *first;  // items or values, in the order of the file
    struct YamlNode *next;   // the next one next to it
    size_t count;            // items or values
} YamlNode;

// NULL in *out for an empty file. Of repeated keys the last one counts, with a notice; it stands at
// the place of the first.
bool yaml_read(const char *path, Arena *arena, YamlNode **out, Notices *notices, Error *err);
bool yaml_read_text(const char *path, Str text, Arena *arena, YamlNode **out, Notices *notices,
                    Error *err);

const YamlNode *yaml_find(const YamlNode *map, Str key);  // NULL if there is none, or no map
bool yaml_number(const YamlNode *node, double *out);      // plain text that is a number
bool yaml_bool(const YamlNode *node, bool *out);          // plain true or false
bool yaml_is_null(const YamlNode *node);                  // plain empty, ~ or null

const char *yaml_kind_text(const YamlNode *node);  // "a text", "a list", "an object"

#endif
