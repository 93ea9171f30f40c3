// SPDX-License-Identifier: Apache-2.0
#include "report/kit/tree_text.h"

#include "base/text_columns.h"
#include "base/utf8.h"

enum { WIDEST = 100, NAME_LEAST = 16 };

static const char *escape_of(CellStyle style)
{
    switch (style) {
    case STYLE_STRONG:
        return "\x1b[1m";
    case STYLE_ERROR:
        return "\x1b[1;31m";
    case STYLE_ERROR_TINT:
        return "\x1b[31m";
    case STYLE_WARNING:
        return "\x1b[1;33m";
    case STYLE_WARNING_TINT:
        return "\x1b[33m";
    case STYLE_UNMATCHED:
        return "\x1b[35m";
    case STYLE_SAME:
    case STYLE_PASS:
    case STYLE_PASS_TINT:
    case STYLE_NO_DATA:
        return "\x1b[2m";
    default:
        return "";
    }
}

static void add(StrBuf *buf, Str text, CellStyle style, bool colour)
{
    const char *escape = colour ? escape_of(style) : "";
    strbuf_printf(buf, "%s" STR_FMT "%s", escape, STR_ARG(text), *escape ? "\x1b[0m" : "");
}

static void add_line(StrBuf *buf, const Cell *cells, size_t columns, bool colour, Arena *arena)
{
    size_t branch = columns_of(cells[0].text), figures = columns_of(cells[2].text);
    if (branch + NAME_LEAST + 2 + figures > columns)
        figures = 0;
    size_t room = columns > branch ? columns - branch : 0;
    if (figures)
        room -= figures + 2;
    Str name = utf8_display(cells[1].text, arena), class_name = utf8_display(cells[1].title, arena);
    if (class_name.size && columns_of(name) + 2 + columns_of(class_name) <= room)
        name = str_printf(arena, STR_FMT "  " STR_FMT, STR_ARG(name), STR_ARG(class_name));
    name = columns_fit(name, room, arena);
    // The mark at the end of the branch has the colour of the row.
    size_t mark = cells[0].text.size ? columns_tail(cells[0].text, 2) : 0;
    strbuf_add(buf, str_slice(cells[0].text, 0, mark));
    Str marked = str_concat(arena, str_slice(cells[0].text, mark, cells[0].text.size), name);
    add(buf, marked, cells[1].style, colour);
    for (size_t at = branch + columns_of(name); figures && at + figures < columns; at++)
        strbuf_add_char(buf, ' ');
    if (figures)
        add(buf, cells[2].text, cells[2].style, colour);
    strbuf_add_char(buf, '\n');
}

Str tree_text(Table *tree, size_t columns, bool colour, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    columns = columns > WIDEST ? WIDEST : columns;
    tree->rewind(tree->state);
    for (;;) {
        Cell cells[3] = {0};
        if (tree->column_count != 3 || !tree->next(tree->state, cells))
            break;
        add_line(&buf, cells, columns, colour, arena);
    }
    return strbuf_str(&buf);
}
