// SPDX-License-Identifier: Apache-2.0
#include "base/text_columns.h"

#include "base/utf8.h"

size_t columns_of(Str text)
{
    size_t width = 0;
    for (size_t at = 0; at < text.size;)
        width += (size_t)utf8_columns(utf8_next(text, &at));
    return width;
}

size_t columns_tail(Str text, size_t columns)
{
    size_t width = columns_of(text), at = 0;
    while (at < text.size && width > columns)
        width -= (size_t)utf8_columns(utf8_next(text, &at));
    return at;
}

size_t columns_head(Str text, size_t columns)
{
    size_t width = 0, end = 0;
    for (size_t at = 0; at < text.size; end = at) {
        width += (size_t)utf8_columns(utf8_next(text, &at));
        if (width > columns)
            return end;
    }
    return text.size;
}

Str columns_fit(Str text, size_t columns, Arena *arena)
{
    if (columns_of(text) <= columns)
        return text;
    size_t room = columns ? columns - 1 : 0;
    Str head = str_slice(text, 0, columns_head(text, room / 2));
    Str tail = str_slice(text, columns_tail(text, room - room / 2), text.size);
    return str_printf(arena, STR_FMT "…" STR_FMT, STR_ARG(head), STR_ARG(tail));
}
