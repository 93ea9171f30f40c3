// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static bool continues(Str text, size_t at)
{
    return at < text.size && ((unsigned char)text.data[at] & 0xC0) == 0x80;
}

uint32_t utf8_next(Str text, size_t *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)text.data[*at];
    if (lead < 0x80) {
        (*at)++;
        return lead;
    }
    int length = lead >= 0xF0 && lead < 0xF8   ? 4
                 : lead >= 0xE0 && lead < 0xF0 ? 3
                 : lead >= 0xC0 && lead < 0xE0 ? 2
                                               : 0;
    uint32_t character = length ? lead & (0xFFu >> (length + 1)) : 0;
    for (int i = 1; i < length; i++) {
        if (!continues(text, *at + (size_t)i)) {
            length = 0;
            break;
        }
        character = character << 6 | ((unsigned char)text.data[*at + (size_t)i] & 0x3F);
    }
    bool bad = length == 0 || character < least[length] || character > 0x10FFFF ||
               (character >= 0xD800 && character <= 0xDFFF);
    *at += bad ? 1 : (size_t)length;
    return bad ? UTF8_REPLACEMENT : character;
}

int utf8_write(uint32_t character, char out[4])
{
    if (character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF))
        character = UTF8_REPLACEMENT;
    if (character < 0x80) {
        out[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        out[0] = (char)(0xC0 | character >> 6);
        out[1] = (char)(0x80 | (character & 0x3F));
        return 2;
    }
    if (character < 0x10000) {
        out[0] = (char)(0xE0 | character >> 12);
        out[1] = (char)(0x80 | (character >> 6 & 0x3F));
        out[2] = (char)(0x80 | (character & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | character >> 18);
    out[1] = (char)(0x80 | (character >> 12 & 0x3F));
    out[2] = (char)(0x80 | (character >> 6 & 0x3F));
    out[3] = (char)(0x80 | (character & 0x3F));
    return 4;
}

// Where the bytes of ASCII end that follow `at`, eight at a time, so a few may be left.
static size_t skip_ascii(Str text, size_t at)
{
    for (uint64_t word; text.size - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text.data + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    return at;
}

bool utf8_valid(Str text)
{
    for (size_t at = 0; (at = skip_ascii(text, at)) < text.size;) {
        size_t start = at;
        if (utf8_next(text, &at) == UTF8_REPLACEMENT && at == start + 1)
            return false;
    }
    return true;
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

// Noncharacters are allowed in UTF-8, but neither XML nor PDF take them.
static bool is_noncharacter(uint32_t c)
{
    return (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
}

static bool is_bidi_or_separator(uint32_t c)
{
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E ||
           c == 0x200F || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
}

// How many bytes at the start are printable ASCII, eight at a time, so a few more may be.
static size_t skip_printable(Str text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    size_t at = 0;
    for (uint64_t word; text.size - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text.data + at, sizeof word);
        // In each byte: below 0x80; at least 0x20, else the bit that is lent is gone; not 0x7F.
        uint64_t bad = word | ~((word | highs) - 0x20 * ones) | (word + ones);
        if (bad & highs)
            break;
    }
    return at;
}

bool utf8_plain(Str text, const char *also)
{
    for (size_t i = skip_printable(text); i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];  // a char has no sign on aarch64
        if ((byte < 0x20 || byte >= 0x7F) && (byte == 0 || !strchr(also, byte)))
            return false;
    }
    return true;
}

Str utf8_start(Str text, size_t most)
{
    size_t end = text.size < most ? text.size : most;
    while (end > 0 && most - end < 3 && continues(text, end))
        end--;
    return str_slice(text, 0, end);
}

Str utf8_display(Str text, Arena *arena)
{
    if (utf8_plain(text, ""))
        return text;
    StrBuf buf = strbuf_new(arena);
    for (size_t at = 0; at < text.size;) {
        uint32_t c = utf8_next(text, &at);
        char bytes[4];
        if (is_control(c))
            strbuf_printf(&buf, "\\x%02X", (unsigned)c);
        else if (is_bidi_or_separator(c) || is_noncharacter(c))
            strbuf_printf(&buf, "\\u%04X", (unsigned)c);
        else
            strbuf_add(&buf, (Str){bytes, (size_t)utf8_write(c, bytes)});
    }
    return strbuf_str(&buf);
}

typedef struct Range {
    uint32_t first, last;
} Range;

// Unicode 15: general category Mn/Me/Cf of the scripts that occur in names, and East Asian Width
// W/F (UAX #11), merged into coarse blocks.
static const Range zero_width[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},
    {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};
static const Range double_width[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD},
};

static bool inside(const Range *ranges, size_t count, uint32_t c)
{
    for (size_t i = 0; i < count; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return false;
}

static const Range right_to_left[] = {
    {0x0590, 0x08FF}, {0xFB1D, 0xFDFF}, {0xFE70, 0xFEFC}, {0x10800, 0x10FFF}, {0x1E800, 0x1EFFF}};

Str utf8_in_order(Str text, Arena *arena)
{
    enum { MARK = 0x200E };
    StrBuf buf = strbuf_new(arena);
    bool before = false, any = false;
    char bytes[4] = {0};
    for (size_t at = 0; at < text.size;) {
        size_t from = at;
        uint32_t c = utf8_next(text, &at);
        bool turned = inside(right_to_left, sizeof right_to_left / sizeof *right_to_left, c);
        if (before && !turned)
            strbuf_add(&buf, (Str){bytes, (size_t)utf8_write(MARK, bytes)});
        strbuf_add(&buf, str_slice(text, from, at));
        before = turned;
        any = any || turned;
    }
    return any ? strbuf_str(&buf) : text;
}

int utf8_columns(uint32_t c)
{
    if (c < 0x300)
        return 1;
    if (inside(zero_width, sizeof zero_width / sizeof *zero_width, c))
        return 0;
    return inside(double_width, sizeof double_width / sizeof *double_width, c) ? 2 : 1;
}
