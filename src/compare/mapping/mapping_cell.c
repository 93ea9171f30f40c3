// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping/mapping_cell.h"

// The longest entry that stands at the start of `rest` as whole parts.
static const NamePair *entry_at(const NameMapping *cells, Str rest)
{
    const NamePair *best = NULL;
    for (size_t i = 0; i < cells->count; i++) {
        Str text = cells->items[i].target;
        bool whole = text.size && str_starts(rest, text) &&
                     (rest.size == text.size || rest.data[text.size] == '.');
        if (whole && (!best || text.size > best->target.size))
            best = &cells->items[i];
    }
    return best;
}

Str mapping_cell_path(const NameMapping *cells, Str cell, Arena *arena)
{
    const NamePair *whole = mapping_find(cells, cell);
    if (whole)
        return whole->golden;
    StrBuf out = strbuf_new(arena);
    for (size_t at = 0; at < cell.size;) {
        Str rest = str_slice(cell, at, cell.size);
        const NamePair *entry = entry_at(cells, rest);
        size_t dot = str_find_char(rest, '.', 0);
        Str part = entry ? entry->target : str_slice(rest, 0, dot);
        if (out.size)
            strbuf_add_char(&out, '.');
        strbuf_add(&out, entry ? entry->golden : part);
        at += part.size + 1;
    }
    return strbuf_str(&out);
}
