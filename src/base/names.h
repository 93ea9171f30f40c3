// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_NAMES_H
#define VERNIER_BASE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

// Interned texts: equal text, equal id. Ids count up from 1 in the order of first use; 0 is "no
// name". Each dump has a table of its own, so dumps can be read side by side; names_translate
// brings two tables together.
typedef uint32_t NameId;
enum { NAME_NONE = 0 };

typedef struct Names Names;

Names *names_new(Arena *arena);
NameId names_add(Names *names, Str text);         // copies the text into the arena when it is new
NameId names_find(const Names *names, Str text);  // NAME_NONE if unknown
Str names_text(const Names *names, NameId id);    // empty for NAME_NONE; valid as long as the arena
// Paths in texts that are added or looked up from now on are cut (base/redact.h).
void names_redact(Names *names);
bool names_redacted(const Names *names);
// The bytes of a number, as a text to be looked up by; valid as long as the number.
Str names_number(const int64_t *number);
size_t names_count(const Names *names);  // ids are 1 … names_count

// What else is known of a name, kept with it; NULL where nothing was set. The note lives as long as
// the names.
void names_set_note(Names *names, NameId id, const void *note);
const void *names_note(const Names *names, NameId id);
Arena *names_arena(const Names *names);

// to_of[id] is the id in `to` of the text with that id in `from`, or NAME_NONE; names_count(from)+1
// items. Linear in the names.
NameId *names_translate(const Names *from, const Names *to, Arena *arena);

#endif
