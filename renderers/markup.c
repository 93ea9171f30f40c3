// SPDX-License-Identifier: Apache-2.0
#include "renderers/markup.h"

#include "base/number.h"
#include "base/utf8.h"

void markup_init(Markup *markup, Sink *out)
{
    markup->out = out;
    markup->used = 0;
}

void markup_flush(Markup *markup)
{
    sink_write(markup->out, markup->buffer, markup->used);
    markup->used = 0;
}

void markup_large(Markup *markup, Str text)
{
    markup_flush(markup);
    if (text.size > MARKUP_BYTES)
        sink_str(markup->out, text);
    else
        markup_str(markup, text);
}

// What stands for a character in text and attributes; NULL: the character itself.
static const char *const entities[256] = {
    ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};

static void write_escaped(Markup *markup, Str text)
{
    size_t from = 0;
    for (size_t i = 0; i < text.size; i++) {
        const char *escaped = entities[(unsigned char)text.data[i]];
        if (!escaped)
            continue;
        markup_str(markup, str_slice(text, from, i));
        markup_raw(markup, escaped);
        from = i + 1;
    }
    markup_str(markup, str_slice(text, from, text.size));
}

void markup_shown(Markup *markup, Str text)
{
    if (utf8_plain(text, "")) {
        write_escaped(markup, text);
        return;
    }
    Arena *arena = arena_new();
    write_escaped(markup, utf8_in_order(utf8_display(text, arena), arena));
    arena_release(arena);
}

void markup_text(Markup *markup, Str text)
{
    if (utf8_plain(text, "")) {
        write_escaped(markup, text);
        return;
    }
    Arena *arena = arena_new();
    write_escaped(markup, utf8_display(text, arena));
    arena_release(arena);
}

void markup_number(Markup *markup, double value, int digits)
{
    char text[NUMBER_BYTES];
    int size = number_fixed(value, digits, text);
    markup_str(markup, (Str){text, (size_t)size});
}

void markup_int(Markup *markup, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value >= 0 && value < 10) {
        markup_char(markup, (char)('0' + value));
        return;
    }
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        digits[--at] = '-';
    markup_str(markup, (Str){digits + at, sizeof digits - at});
}

void markup_tenths(Markup *markup, int64_t tenths)
{
    if (tenths < 0) {
        markup_char(markup, '-');
        tenths = -tenths;
    }
    if (tenths >= 10 || tenths == 0)
        markup_int(markup, tenths / 10);
    if (tenths % 10) {
        markup_char(markup, '.');
        markup_char(markup, (char)('0' + tenths % 10));
    }
}

static void open_attribute(Markup *markup, const char *name)
{
    markup_char(markup, ' ');
    markup_raw(markup, name);
    markup_raw(markup, "=\"");
}

void markup_attribute(Markup *markup, const char *name, Str value)
{
    open_attribute(markup, name);
    markup_text(markup, value);
    markup_char(markup, '"');
}

void markup_attribute_number(Markup *markup, const char *name, double value, int digits)
{
    open_attribute(markup, name);
    markup_number(markup, value, digits);
    markup_char(markup, '"');
}

void markup_attribute_tenths(Markup *markup, const char *name, int64_t tenths)
{
    open_attribute(markup, name);
    markup_tenths(markup, tenths);
    markup_char(markup, '"');
}

bool markup_is_local(Str link)
{
    if (!link.size || link.data[0] == '/' || link.data[0] == '.')
        return false;
    for (size_t i = 0; i < link.size; i++) {
        char c = link.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '_' || c == '.' || c == '~' || c == '/' ||
                     (c == '#' && i == 0);
        if (!plain)
            return false;
    }
    return str_find(link, STR(".."), 0) == SIZE_MAX && str_find(link, STR("//"), 0) == SIZE_MAX;
}
