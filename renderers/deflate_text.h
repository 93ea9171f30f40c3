// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_DEFLATE_TEXT_H
#define VERNIER_RENDERERS_DEFLATE_TEXT_H

#include <stdint.h>

#include "base/str.h"

// Raw deflate by libdeflate, whose bytes are the same on every processor. What the functions give
// is of the arena.

// The text in stored blocks, none of which is the last: others may follow.
Str deflate_stored(Str text, Arena *arena);
// Blocks up to the last one.
Str deflate_last(Str text, Arena *arena);
// A whole zlib stream, at the level of pixels.
Str deflate_zlib(Str bytes, Arena *arena);
Str inflate_text(Str packed, size_t size, Arena *arena);  // empty if it does not give `size` bytes

uint32_t deflate_crc(uint32_t crc, Str text);  // CRC-32 of what `crc` is of, then the text; first 0

#endif
