// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_STATED_H
#define VERNIER_COMPARE_STATED_H

#include "read/dump/dump.h"

// What the configuration of a dump states that its collection leaves out: msProbe's config.json.
// What is stated is taken as it is written and never inferred.

typedef enum StatedKey {
    STATED_LEVEL,
    STATED_DATA_MODE,
    STATED_RISK_LEVEL,
    STATED_LIST,
    STATED_SCOPE,
    STATED_COUNT
} StatedKey;

typedef struct Stated {
    Str file;                  // its name; empty: there is none. With one, lists are never inferred
    Str values[STATED_COUNT];  // as written, "['linear', 'gelu']"; empty: not stated
} Stated;

typedef enum StatedAnswer { STATED_SILENT, STATED_KEEPS, STATED_LEAVES_OUT } StatedAnswer;

const char *stated_word(StatedKey key);  // "risk_level"; not translated

// The next item of a value, "linear" of "['linear', 'gelu']".
bool stated_next(Str *rest, Str *item);
bool stated_has(const Stated *stated, StatedKey key);  // it has an item
uint32_t stated_items(const Stated *stated, StatedKey key);

// What `level` says of ops of this kind, and `data_mode` of ops in this direction, or of their
// inputs ("input") or outputs ("output"); `role` NULL: of either.
StatedAnswer stated_level(const Stated *stated, OpKind kind);
StatedAnswer stated_data_mode(const Stated *stated, Direction direction, const char *role);

// Whether the `list` keeps an op: it contains one of the names. `around`: that of a module around
// it, whose calls a module's whole name keeps.
bool stated_lists(const Stated *stated, Str name, bool around);

#endif
