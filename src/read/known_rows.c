// SPDX-License-Identifier: Apache-2.0
#include "read/known_rows.h"

#include "templates/templates.h"

KnownRows known_rows(const char *name)
{
    const Template *at = templates;
    while (at->name && (at->name[0] != *name || strcmp(at->name, name) != 0))
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

Str known_group(const char *group)
{
    Str text = known_rows("log.groups").text, name = str_of(group);
    for (size_t at = 0; (at = str_find(text, name, at)) != SIZE_MAX; at += name.size)
        if (at && text.data[at - 1] == '\n' && text.data[at + name.size] == ' ')
            return str_slice(text, at + name.size + 1, str_find_char(text, '\n', at));
    return STR("");
}

bool known_group_has(const char *group, Str word)
{
    Str words = known_group(group);
    for (size_t at = 0; word.size && at < words.size;) {
        size_t stop = str_find_char(words, ' ', at);
        stop = stop < words.size ? stop : words.size;
        if (stop - at == word.size && str_equal_nocase(str_slice(words, at, stop), word))
            return true;
        at = stop + 1;
    }
    return false;
}

bool known_group_in(const char *group, Str text)
{
    Str words = known_group(group);
    while (words.size)
        if (str_find(text, known_word(&words), 0) != SIZE_MAX)
            return true;
    return false;
}

static int order_of(Str a, Str b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

// The last row whose key does not come after `key`: its key, empty for none, and *text.
static Str row_before(Str rows, Str key, Str *text)
{
    Str found = STR("");
    *text = STR("");
    for (size_t low = 0, high = rows.size; low < high;) {
        size_t from = low + (high - low) / 2;
        while (from > low && rows.data[from - 1] != '\n')
            from--;
        size_t blank = from;
        while (blank < high && rows.data[blank] != ' ')
            blank++;
        Str own = str_slice(rows, from, blank);
        if (order_of(key, own) < 0) {
            high = from;
            continue;
        }
        size_t stop = str_find_char(rows, '\n', blank);
        low = stop == SIZE_MAX ? high : stop + 1;
        if (own.size && own.data[0] == '#')
            continue;
        found = own;
        *text = str_slice(rows, blank + 1, stop);
    }
    return found;
}

Str known_row(Str rows, Str key)
{
    Str text;
    return str_equal(row_before(rows, key, &text), key) ? text : STR("");
}

Str known_prefix(Str rows, Str text, Str *key)
{
    Str found = STR("");
    for (size_t same = text.size; same; text = str_slice(text, 0, same)) {
        *key = row_before(rows, text, &found);
        if (key->size && str_starts(text, *key))
            return found;
        for (same = 0; same < key->size && same < text.size && key->data[same] == text.data[same];)
            same++;
    }
    *key = STR("");
    return *key;
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
