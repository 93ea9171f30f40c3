// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_TOML_FILE_H
#define VERNIER_READ_SETTINGS_TOML_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// A strict part of TOML 1.0: comments, [table], and key = value, where a value is a text in quotes,
// true or false, a whole number, or a list of texts. Anything else is refused with its line.

typedef enum TomlKind { TOML_TEXT, TOML_FLAG, TOML_NUMBER, TOML_LIST } TomlKind;

typedef struct TomlEntry {
    Str table, key;  // before the first [table]: empty
    TomlKind kind;
    Str *items;  // the text of the value; of a list one each
    size_t count, capacity;
    uint64_t line;
} TomlEntry;

typedef struct TomlFile {
    TomlEntry *items;
    size_t count, capacity;
} TomlFile;

// Texts are copied. `path` is only named in messages. Fails with ERR_USAGE.
bool toml_read_text(const char *path, Str text, Arena *arena, TomlFile *out, Error *err);

#endif
