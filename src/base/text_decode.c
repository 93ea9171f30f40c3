// SPDX-License-Identifier: Apache-2.0
#include "base/text_decode.h"

#include "base/utf8.h"

enum { MARK_BYTES = 3, PROBE_BYTES = 32, WIDE_PROBE_BYTES = 64 };

size_t text_mark(Str bytes)
{
    return str_starts(bytes, STR("\xEF\xBB\xBF")) ? MARK_BYTES : 0;
}

static bool is_marked(Str bytes)
{
    return str_starts(bytes, STR("\xFF\xFE")) || str_starts(bytes, STR("\xFE\xFF"));
}

// By the first characters: many are ASCII, and none is NUL.
static bool continues_as_text(Str bytes, bool big)
{
    Str head = str_slice(bytes, 0, WIDE_PROBE_BYTES);
    size_t ascii = 0, nothing = 0;
    for (size_t i = 2; i + 1 < head.size; i += 2) {
        ascii += head.data[i + !big] == '\0';
        nothing += head.data[i] == '\0' && head.data[i + 1] == '\0';
    }
    return nothing == 0 && ascii >= head.size / 8;
}

// Characters of ASCII as two bytes each, without a mark in front.
static bool begins_as_wide(Str bytes, bool big)
{
    if (bytes.size < PROBE_BYTES)
        return false;
    for (size_t i = 0; i < PROBE_BYTES; i++)
        if ((bytes.data[i] == '\0') != ((i % 2 == 0) == big))
            return false;
    return true;
}

bool text_is_wide(Str bytes)
{
    if (is_marked(bytes))
        return continues_as_text(bytes, bytes.data[0] == '\xFE');
    return begins_as_wide(bytes, true) || begins_as_wide(bytes, false);
}

static uint32_t unit(Str bytes, size_t at, bool big)
{
    uint32_t first = (unsigned char)bytes.data[at], second = (unsigned char)bytes.data[at + 1];
    return big ? first << 8 | second : second << 8 | first;
}

size_t text_narrow(Str bytes, char *out)
{
    bool marked = is_marked(bytes);
    bool big = marked ? bytes.data[0] == '\xFE' : bytes.data[0] == '\0';
    size_t size = 0;
    for (size_t at = marked ? 2 : 0; at + 1 < bytes.size; at += 2) {
        uint32_t character = unit(bytes, at, big);
        bool high = character >= 0xD800 && character < 0xDC00 && at + 3 < bytes.size;
        uint32_t low = high ? unit(bytes, at + 2, big) : 0;
        if (low >= 0xDC00 && low < 0xE000) {
            character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
            at += 2;
        }
        size += (size_t)utf8_write(character, out + size);
    }
    return size;
}

Str text_decode(Str bytes, Arena *arena)
{
    if (!text_is_wide(bytes))
        return str_slice(bytes, text_mark(bytes), bytes.size);
    char *out = arena_array(arena, bytes.size / 2 + 1, 3);
    return (Str){out, text_narrow(bytes, out)};
}
