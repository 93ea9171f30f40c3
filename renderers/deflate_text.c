// SPDX-License-Identifier: Apache-2.0
#include "renderers/deflate_text.h"

#include <libdeflate.h>

// Half the time of zlib's level 5 for rows of numbers, and a tenth smaller.
enum { LEVEL = 5, PIXEL_LEVEL = 4, STORED_MOST = 0xffff };

Str deflate_stored(Str text, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    while (text.size) {
        Str piece = str_slice(text, 0, STORED_MOST);
        const unsigned size[] = {(unsigned)piece.size, ~(unsigned)piece.size};
        strbuf_add_char(&out, 0);
        for (int i = 0; i < 4; i++)
            strbuf_add_char(&out, (char)(size[i / 2] >> i % 2 * 8));
        strbuf_add(&out, piece);
        text = str_slice(text, piece.size, text.size);
    }
    return strbuf_str(&out);
}

typedef size_t BoundOf(struct libdeflate_compressor *own, size_t size);
typedef size_t Pack(struct libdeflate_compressor *own, const void *from, size_t size, void *to,
                    size_t room);

static Str packed(Str bytes, int level, BoundOf *bound, Pack *pack, Arena *arena)
{
    struct libdeflate_compressor *own = libdeflate_alloc_compressor(level);
    if (!own)
        out_of_memory();
    size_t room = bound(own, bytes.size);
    char *to = arena_alloc(arena, room);
    size_t size = pack(own, bytes.data, bytes.size, to, room);
    libdeflate_free_compressor(own);
    return (Str){to, size};
}

Str deflate_last(Str text, Arena *arena)
{
    return packed(text, LEVEL, libdeflate_deflate_compress_bound, libdeflate_deflate_compress,
                  arena);
}

Str deflate_zlib(Str bytes, Arena *arena)
{
    return packed(bytes, PIXEL_LEVEL, libdeflate_zlib_compress_bound, libdeflate_zlib_compress,
                  arena);
}

Str inflate_text(Str packed, size_t size, Arena *arena)
{
    struct libdeflate_decompressor *own = libdeflate_alloc_decompressor();
    if (!own)
        out_of_memory();
    char *text = arena_alloc(arena, size);
    bool good = libdeflate_deflate_decompress(own, packed.data, packed.size, text, size, NULL) ==
                LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(own);
    return (Str){text, good ? size : 0};
}

uint32_t deflate_crc(uint32_t crc, Str text)
{
    return libdeflate_crc32(crc, text.data, text.size);
}
