// SPDX-License-Identifier: Apache-2.0
#include "read/json/json_python.h"

#include <math.h>

#include "base/number.h"
#include "base/utf8.h"

static bool is_integer(Str digits)
{
    for (size_t i = 0; i < digits.size; i++)
        if (digits.data[i] != '-' && (digits.data[i] < '0' || digits.data[i] > '9'))
            return false;
    return true;
}

double python_real(Str digits)
{
    double value = (double)NAN;
    number_of_text(digits, &value);
    return value;
}

void python_number(Str digits, StrBuf *out)
{
    char text[NUMBER_BYTES];
    if (str_equal(digits, STR("-0")))
        strbuf_add_char(out, '0');
    else if (is_integer(digits))
        strbuf_add(out, digits);
    else
        strbuf_add(out, (Str){text, (size_t)number_python(python_real(digits), text)});
}

typedef struct Range {
    uint32_t first, last;
} Range;

// Characters that Python's str.isprintable refuses: general categories Cc, Cf, Cs, Co, Zl, Zp and
// Zs without the blank (Unicode 15), and of the unassigned ones the large blocks.
static const Range unprintable[] = {
    {0x0000, 0x001F},    {0x007F, 0x00A0},   {0x00AD, 0x00AD},   {0x0600, 0x0605},
    {0x061C, 0x061C},    {0x06DD, 0x06DD},   {0x070F, 0x070F},   {0x1680, 0x1680},
    {0x180E, 0x180E},    {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},
    {0x3000, 0x3000},    {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF},    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF},
    {0xE01F0, 0x10FFFF},
};

static bool is_printable(uint32_t c)
{
    for (size_t i = 0; i < sizeof unprintable / sizeof *unprintable; i++)
        if (c >= unprintable[i].first && c <= unprintable[i].last)
            return false;
    return true;
}

static void add_escape(uint32_t c, StrBuf *out)
{
    if (c == '\n' || c == '\r' || c == '\t')
        strbuf_add(out, c == '\n' ? STR("\\n") : c == '\r' ? STR("\\r") : STR("\\t"));
    else if (c < 0x100)
        strbuf_printf(out, "\\x%02x", (unsigned)c);
    else if (c < 0x10000)
        strbuf_printf(out, "\\u%04x", (unsigned)c);
    else
        strbuf_printf(out, "\\U%08x", (unsigned)c);
}

// The character at *at; the three bytes of a lone surrogate count as that surrogate.
static uint32_t next_character(Str text, size_t *at)
{
    Str three = str_slice(text, *at, *at + 3);
    if (three.size == 3 && (unsigned char)three.data[0] == 0xED &&
        ((unsigned char)three.data[1] & 0xE0) == 0xA0 &&
        ((unsigned char)three.data[2] & 0xC0) == 0x80) {
        *at += 3;
        return 0xD000u | ((unsigned char)three.data[1] & 0x3Fu) << 6 |
               ((unsigned char)three.data[2] & 0x3Fu);
    }
    return utf8_next(text, at);
}

// Where the characters of ASCII end that stand for themselves.
static size_t plain_end(Str text, size_t at, char quote)
{
    while (at < text.size && text.data[at] >= ' ' && text.data[at] < 0x7F &&
           text.data[at] != quote && text.data[at] != '\\')
        at++;
    return at;
}

void python_string(Str text, StrBuf *out)
{
    bool single = str_find_char(text, '\'', 0) != SIZE_MAX;
    char quote = single && str_find_char(text, '"', 0) == SIZE_MAX ? '"' : '\'';
    strbuf_add_char(out, quote);
    for (size_t at = 0; at < text.size;) {
        size_t start = plain_end(text, at, quote);
        strbuf_add(out, str_slice(text, at, start));
        at = start;
        if (at == text.size)
            break;
        uint32_t c = next_character(text, &at);
        if (c == (uint32_t)(unsigned char)quote || c == '\\')
            strbuf_add_char(out, '\\');
        if (is_printable(c))
            strbuf_add(out, str_slice(text, start, at));
        else
            add_escape(c, out);
    }
    strbuf_add_char(out, quote);
}
