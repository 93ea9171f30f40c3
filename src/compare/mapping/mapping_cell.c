// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping/mapping_cell.h"

Str mapping_cell_path(const NameMapping *cells, Str cell, Arena *arena)
{
    const NamePair *whole = mapping_find(cells, cell);
    if (whole)
        return whole->golden;
    StrBuf out = strbuf_new(arena);
    for (size_t at = 0; at < cell.size;) {
        Str rest = str_slice(cell, at, cell.size);
        const NamePair *entry = mapping_find_start(cells, rest);
        size_t dot = str_find_char(rest, '.', 0);
        Str part = entry ? entry->target : str_slice(rest, 0, dot);
        if (out.size)
            strbuf_add_char(&out, '.');
        strbuf_add(&out, entry ? entry->golden : part);
        at += part.size + 1;
    }
    return strbuf_str(&out);
}
