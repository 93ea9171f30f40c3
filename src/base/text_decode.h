// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_TEXT_DECODE_H
#define VERNIER_BASE_TEXT_DECODE_H

#include "base/arena.h"
#include "base/str.h"

// Text of any encoding that people have, as UTF-8: Windows writes marks in front and UTF-16
// (redirects of PowerShell). file_open asks here (base/file.h), so that readers of files see UTF-8.

// The bytes of the mark of UTF-8 in front, 0 or 3.
size_t text_mark(Str bytes);

// Whether the bytes are UTF-16: with a mark, or without one where they begin in ASCII. Numbers that
// begin with the bytes of a mark are none.
bool text_is_wide(Str bytes);

// UTF-16 as UTF-8; `out` has room for 3 bytes for every 2. How many bytes it gave.
size_t text_narrow(Str bytes, char *out);

// The bytes without mark, and converted into `arena` where they are UTF-16.
Str text_decode(Str bytes, Arena *arena);

#endif
