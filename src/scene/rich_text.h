// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_SCENE_RICH_TEXT_H
#define VERNIER_SCENE_RICH_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

// The marks inside a line of an author's Markdown: **bold**, *italic*, `code`, [text](address), and
// a backslash before any mark. Everything else is text; raw HTML is text too.

typedef struct RichSpan {
    Str text;  // without its marks
    bool bold, italic, code;
    Str link;  // http://, https:// or #anchor; empty: none. Other addresses stay text.
} RichSpan;

typedef struct RichSpans {
    RichSpan *items;
    size_t count, capacity;
} RichSpans;

// Linear in the text. The spans live in `arena` and borrow from `text`.
void rich_text_read(Str text, Arena *arena, RichSpans *out);

// The text without marks.
Str rich_text_plain(Str text, Arena *arena);

#endif
