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
