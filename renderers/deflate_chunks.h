// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_DEFLATE_CHUNKS_H
#define VERNIER_RENDERERS_DEFLATE_CHUNKS_H

#include <stdint.h>
#include <stdio.h>

#include "base/crew.h"
#include "base/str.h"

// Deflates a text in chunks of one size, each with the end of the one before as its dictionary, so
// that a crew may work on several at once: the bytes do not depend on who did. Memory is that of a
// few chunks.
typedef struct Deflater Deflater;

// A text that was deflated: raw blocks up to a byte's end, none of which is the last.
typedef struct DeflatedText {
    FILE *file;  // of nothing else
    uint64_t size, packed_size;
    uint32_t crc;  // CRC-32 of the text
} DeflatedText;

Deflater *deflater_new(Arena *arena, Crew *crew);  // crew NULL: everything is done here
void deflater_free(Deflater *deflater);            // NULL is allowed

// Starts a text; `to` is filled until deflater_end. Write errors stay with its file.
void deflater_start(Deflater *deflater, DeflatedText *to);
void deflater_add(Deflater *deflater, Str text);
void deflater_end(Deflater *deflater);

// A short text at once: raw blocks as above, or with the last one.
Str deflate_piece(Str text, bool last, Arena *arena);
Str inflate_piece(Str packed, size_t size, Arena *arena);  // empty if it does not give `size` bytes

#endif
