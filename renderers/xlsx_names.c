// SPDX-License-Identifier: Apache-2.0
#include "renderers/xlsx_names.h"

#include <string.h>

#include "base/utf8.h"

static size_t utf16_units(uint32_t c)
{
    return c >= 0x10000 ? 2 : 1;
}

Str xlsx_cut(Str text, size_t units, Arena *arena)
{
    size_t used = 0, fitting = 0;
    if (text.size <= units)
        return text;
    for (size_t at = 0; at < text.size;) {
        used += utf16_units(utf8_next(text, &at));
        if (used > units)
            return str_concat(arena, str_slice(text, 0, fitting), STR("…"));
        if (used < units)
            fitting = at;
    }
    return text;
}

static bool is_taken(Str name, const Str *taken, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal_nocase(name, taken[i]))
            return true;
    return str_equal_nocase(name, STR("History"));  // Excel keeps that name for itself
}

static Str without_apostrophes(Str name)
{
    while (name.size && name.data[0] == '\'')
        name = str_slice(name, 1, name.size);
    while (name.size && name.data[name.size - 1] == '\'')
        name.size--;
    return name;
}

Str xlsx_sheet_name(Str wanted, const Str *taken, size_t count, Arena *arena)
{
    Str name = str_copy(arena, utf8_display(wanted, arena));
    for (size_t i = 0; i < name.size; i++)
        if (strchr("[]:*?/\\", name.data[i]))
            ((char *)name.data)[i] = '_';  // the copy is ours
    name = without_apostrophes(name);
    if (!name.size)
        name = STR("Sheet");
    Str unique = xlsx_cut(name, XLSX_NAME_UNITS, arena);
    for (size_t number = 2; is_taken(unique, taken, count); number++) {
        Str tail = str_printf(arena, " (%zu)", number);
        unique = str_concat(arena, xlsx_cut(name, XLSX_NAME_UNITS - tail.size, arena), tail);
    }
    return unique;
}
