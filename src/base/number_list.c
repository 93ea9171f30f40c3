// SPDX-License-Identifier: Apache-2.0
#include "base/number_list.h"

#include "base/array.h"

bool number_list_parse(Str text, Arena *arena, NumberList *out)
{
    *out = (NumberList){0};
    Str part;
    while (str_split(&text, ',', &part)) {
        part = str_trim(part);
        size_t dash = str_find_char(part, '-', 0);
        NumberRange range;
        if (!str_to_int64(str_slice(part, 0, dash), &range.first))
            return false;
        range.last = range.first;
        if (dash != SIZE_MAX && !str_to_int64(str_slice(part, dash + 1, part.size), &range.last))
            return false;
        if (range.first < 0 || range.last < range.first)
            return false;
        *ARRAY_PUSH(arena, out) = range;
    }
    return true;
}

bool number_list_has(const NumberList *list, int64_t number)
{
    if (!list || list->count == 0)
        return true;
    for (size_t i = 0; i < list->count; i++)
        if (number >= list->items[i].first && number <= list->items[i].last)
            return true;
    return false;
}
