// SPDX-License-Identifier: Apache-2.0
#include "compare/listed_names.h"

#include "read/dump/op_name.h"

// A list keeps what holds one of so few names.
enum { LISTED_MOST = 4 };

static Str lower(Arena *arena, Str text)
{
    char *copy = str_cstr(arena, text);
    for (size_t i = 0; i < text.size; i++)
        copy[i] = (char)(copy[i] >= 'A' && copy[i] <= 'Z' ? copy[i] - 'A' + 'a' : copy[i]);
    return (Str){copy, text.size};
}

bool list_names_find(const Dump *dump, Arena *scratch, ListNames *out)
{
    Names *seen = names_new(scratch);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        OpName parts = op_name_of(dump->names, dump->ops[i].name);
        size_t before = names_count(seen);
        NameId id = names_add(seen, lower(scratch, parts.type_name));
        if (names_count(seen) == before || !parts.type_name.size)
            continue;
        if (out->count == LIST_NAMES)
            return false;
        out->items[out->count++] = names_text(seen, id);
    }
    return true;
}

uint64_t list_names_in(const ListNames *names, const Dump *dump, const Op *op, Arena *scratch)
{
    Str text = lower(scratch, op_name_of(dump->names, op->name).stem);
    uint64_t found = 0;
    for (uint32_t i = 0; i < names->count; i++)
        if (str_find(text, names->items[i], 0) != SIZE_MAX)
            found |= UINT64_C(1) << i;
    return found;
}

static void weigh_list(ListSearch *search, uint64_t list, uint32_t size)
{
    size_t missing = 0;
    for (size_t i = 0; i < search->missing_count; i++)
        missing += (search->missing[i] & list) != 0;
    bool better = !search->best || missing < search->best_missing ||
                  (missing == search->best_missing && size < search->best_size);
    if (!better)
        return;
    search->best = list;
    search->best_missing = missing;
    search->best_size = size;
}

// Whatever holds no name of the list yet needs one of its own.
static void try_list(ListSearch *search, uint64_t list, uint32_t size)
{
    size_t at = 0;
    while (at < search->kept_count && (search->kept[at] & list))
        at++;
    if (at == search->kept_count) {
        weigh_list(search, list, size);
        return;
    }
    for (uint32_t i = 0; i < LIST_NAMES && size < LISTED_MOST; i++)
        if (search->kept[at] & (UINT64_C(1) << i))
            try_list(search, list | UINT64_C(1) << i, size + 1);
}

void list_search_keep(ListSearch *search, uint64_t names)
{
    for (size_t i = 0; i < search->kept_count; i++)
        if (search->kept[i] == names)
            return;
    search->kept[search->kept_count++] = names;
}

void list_search(ListSearch *search)
{
    try_list(search, 0, 0);
}
