// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_REDACT_H
#define VERNIER_BASE_REDACT_H

#include "base/arena.h"
#include "base/str.h"

// Leaves folders, hosts and user names out of texts (--redact). A folder that the user named
// becomes a label ("golden"), so that what lies below it keeps its place:
// "golden/step0/rank0/dump.json". Any other absolute path or address is cut to its last name. Paths
// inside an installed package start at the package folder, since they say nothing about the user.

typedef struct RedactRoot {
    Str path, label;
} RedactRoot;

typedef struct Redaction {
    RedactRoot *items;
    size_t count, capacity;
} Redaction;

// `path` as typed; it may end with '/'. "." and ".." name nothing and are passed over.
void redact_add(Redaction *redaction, Arena *arena, Str path, Str label);

// The text itself where nothing is to be left out. `redaction` NULL: nothing is.
Str redact_text(const Redaction *redaction, Str text, Arena *arena);

// A path: the label where it is a known folder, below one its place there, else its last name.
Str redact_path(const Redaction *redaction, Str path, Arena *arena);

// For texts that are compared with each other: different texts stay different by a checksum after
// what is left.
Str redact_value(Str text, Arena *arena);

#endif
