// SPDX-License-Identifier: Apache-2.0
#include "renderers/cell_text.h"

#include "base/utf8.h"

Str cell_shown(const Cell *cell, char buffer[NUMBER_BYTES])
{
    switch (cell->kind) {
    case CELL_EMPTY:
        break;
    case CELL_TEXT:
        return cell->text;
    case CELL_NUMBER:
        if (cell->text.size)
            return cell->text;
        return (Str){buffer, (size_t)number_python(cell->number, buffer)};
    case CELL_PERCENT: {
        int size = number_python(cell->number, buffer);
        buffer[size++] = '%';
        return (Str){buffer, (size_t)size};
    }
    case CELL_BOOL:
        return cell->number > 0 ? STR("True") : STR("False");
    }
    return (Str){"", 0};
}

// "\r\n" of a source file is a line end like "\n".
static Str without_return(Str line, bool ends)
{
    return ends && line.size && line.data[line.size - 1] == '\r' ? str_slice(line, 0, line.size - 1)
                                                                 : line;
}

Str cell_clean(Str text, Arena *arena)
{
    if (utf8_plain(text, "\n\t"))
        return text;
    StrBuf buf = strbuf_new(arena);
    for (size_t from = 0; from <= text.size;) {
        size_t end = str_find_char(text, '\n', from);
        bool ends = end != SIZE_MAX;
        Str line = without_return(str_slice(text, from, ends ? end : text.size), ends);
        bool first = true;
        for (Str part; str_split(&line, '\t', &part); first = false) {
            if (!first)
                strbuf_add_char(&buf, '\t');
            strbuf_add(&buf, utf8_display(part, arena));
        }
        if (!ends)
            break;
        strbuf_add_char(&buf, '\n');
        from = end + 1;
    }
    return strbuf_str(&buf);
}
