// SPDX-License-Identifier: Apache-2.0
#include "read/known_rows.h"

#include "templates/templates.h"

KnownRows known_rows(const char *name)
{
    const Template *at = templates;
    while (at->name && strcmp(at->name, name) != 0)
        at++;
    return (KnownRows){at->name ? (Str){at->data, at->size} : STR("")};
}

Str known_word(Str *text)
{
    size_t blank = str_find_char(*text, ' ', 0);
    Str word = str_slice(*text, 0, blank);
    *text = str_trim(str_slice(*text, blank, text->size));
    return word;
}

bool known_rows_next(KnownRows *rows, Str *key, Str *text)
{
    Str line;
    while (str_split(&rows->text, '\n', &line)) {
        *text = str_trim(line);
        *key = known_word(text);
        if (key->size && key->data[0] != '#')
            return true;
    }
    return false;
}

static int order_of(Str a, Str b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

Str known_find(const char *name, Str key)
{
    Str text = known_rows(name).text;
    for (size_t low = 0, high = text.size; low < high;) {
        size_t from = low + (high - low) / 2;
        while (from > low && text.data[from - 1] != '\n')
            from--;
        size_t stop = str_find_char(text, '\n', from);
        stop = stop < high ? stop : high;
        Str rest = str_slice(text, from, stop), own = known_word(&rest);
        int order = order_of(key, own);
        if (order == 0)
            return rest;
        if (order < 0)
            high = from;
        else
            low = stop + 1;
    }
    return STR("");
}

const char *known_text(const char *file, const char *head, Str name, const char *key, Arena *arena)
{
    KnownRows rows = known_rows(file);
    Str own, text;
    bool inside = false;
    while (known_rows_next(&rows, &own, &text)) {
        if (str_equal(own, str_of(head)))
            inside = str_equal(text, name);
        else if (inside && str_equal(own, str_of(key)))
            return str_cstr(arena, text);
    }
    return "";
}
