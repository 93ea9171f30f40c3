// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_UTF8_H
#define VERNIER_BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum { UTF8_REPLACEMENT = 0xFFFD };

// The character at `at`, which moves past it. Bytes that are not UTF-8 (overlong forms, surrogates,
// above U+10FFFF included) give UTF8_REPLACEMENT one byte at a time.
uint32_t utf8_next(Str text, size_t *at);

// Writes up to 4 bytes; returns how many. Surrogates and values past U+10FFFF give U+FFFD.
int utf8_write(uint32_t character, char out[4]);

bool utf8_valid(Str text);

// Whether every byte is printable ASCII or one of the characters `also`: shown as it is.
bool utf8_plain(Str text, const char *also);

// For display: bytes that are no UTF-8 become U+FFFD, control characters (C0, DEL, C1) and the
// bidirectional controls and noncharacters become visible escapes like "\x1B" and "\u202E". `text`
// itself when it is clean.
Str utf8_display(Str text, Arena *arena);

// What is shown in one direction, left to right: a mark (U+200E) after each stretch of Hebrew or
// Arabic keeps the dots and numbers that follow in their order. `text` itself without any.
Str utf8_in_order(Str text, Arena *arena);

// The beginning of at most `most` bytes; no character is cut apart.
Str utf8_start(Str text, size_t most);

// Columns in a terminal: 2 for full-width characters and emoji, 0 for combining marks.
int utf8_columns(uint32_t character);

#endif
