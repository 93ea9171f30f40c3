// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping/row_name.h"

Str row_name_cut_extension(Str file)
{
    size_t dot = str_rfind_char(file, '.');
    return dot == SIZE_MAX || dot == 0 ? file : str_slice(file, 0, dot);
}

Str row_name(const Dump *dump, const Op *op, const Slot *slot, StrBuf *buffer)
{
    buffer->size = 0;
    if (slot->data_name != NAME_NONE) {
        strbuf_add(buffer, row_name_cut_extension(names_text(dump->names, slot->data_name)));
        return strbuf_str(buffer);
    }
    strbuf_add(buffer, names_text(dump->names, op->name));
    if (slot->path != NAME_NONE) {
        strbuf_add_char(buffer, '.');
        strbuf_add(buffer, names_text(dump->names, slot->path));
    }
    return strbuf_str(buffer);
}
