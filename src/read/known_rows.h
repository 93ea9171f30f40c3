// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_KNOWN_ROWS_H
#define VERNIER_READ_KNOWN_ROWS_H

#include "base/str.h"

// What the program knows as data: the lines "KEY TEXT" of a file of templates/, in their order,
// without blanks around them, comments ("# …") and empty lines.

typedef struct KnownRows {
    Str text;  // what is not read yet
} KnownRows;

KnownRows known_rows(const char *name);  // "checklist.table"
bool known_rows_next(KnownRows *rows, Str *key, Str *text);

// Of rows that are sorted by the bytes of their keys, the text of known_rows: the text of the row
// with that key; empty: there is none.
Str known_row(Str rows, Str key);

// The same of the longest key that `text` begins with; *key is empty where there is none.
Str known_prefix(Str rows, Str text, Str *key);

// Whether the word is one of the group, in any case, in templates/log.groups; whether one of the
// group is part of the text, as it is written there.
bool known_group_has(const char *group, Str word);
bool known_group_in(const char *group, Str text);
// The words of the group.
Str known_group(const char *group);

// The word before the first blank; *text is then what follows.
Str known_word(Str *text);

// The text of the row KEY below the row "HEAD NAME" of a file; empty: there is none.
const char *known_text(const char *file, const char *head, Str name, const char *key, Arena *arena);

#endif
