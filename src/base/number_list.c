// SPDX-License-Identifier: Apache-2.0
#include "base/number_list.h"

#include "base/array.h"
#include "base/words.h"

bool number_range_split(Str text, Str *first, Str *last)
{
    size_t at = 1;  // a first dash is a sign
    while (at < text.size && text.data[at] != '-' && text.data[at] != ':' &&
           !str_starts(str_slice(text, at, text.size), STR("..")))
        at++;
    *first = str_slice(text, 0, at);
    *last =
        at < text.size ? str_slice(text, at + (text.data[at] == '.' ? 2 : 1), text.size) : *first;
    return at < text.size;
}

bool number_list_parse(Str text, Arena *arena, NumberList *out)
{
    *out = (NumberList){0};
    Str part;
    while (str_split(&text, ',', &part)) {
        Str first, last;
        NumberRange range;
        number_range_split(str_trim(part), &first, &last);
        if (!str_to_int64(first, &range.first) || !str_to_int64(last, &range.last))
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

void number_list_note_missing(const NumberList *asked, bool ranks, const int64_t *numbers,
                              size_t count, const char *path, Notices *notices)
{
    for (size_t i = 0; asked && i < asked->count; i++) {
        NumberList one = {.items = &asked->items[i], .count = 1};
        bool there = false;
        for (size_t k = 0; k < count && !there; k++)
            there = number_list_has(&one, numbers[k]);
        if (!there)
            notices_add(notices, NOTICE_UNMET, WHERE_FILE(path),
                        ranks ? tr("no data of rank %lld, which was asked for")
                              : tr("no data of step %lld, which was asked for"),
                        (long long)one.items->first);
    }
}
