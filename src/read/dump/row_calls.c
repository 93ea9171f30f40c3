// SPDX-License-Identifier: Apache-2.0
#include "read/dump/row_calls.h"

#include "base/array.h"

void row_calls_init(RowCalls *calls, DumpRows *rows)
{
    *calls = (RowCalls){.rows = rows, .keys = names_new(rows->scratch)};
}

int32_t row_calls_next(RowCalls *calls, Str key)
{
    NameId id = names_add(calls->keys, key);
    return (int32_t)ARRAY_REACH(calls->rows->scratch, calls->seen, calls->seen_count, id)[id]++;
}

// The next row, with its path. `what`: stem, path, class, kind, direction and call of the op. The
// slot is valid until the next call.
static Slot *add_row(RowCalls *calls, const OpName *what, Str slot, uint64_t offset)
{
    DumpRows *rows = calls->rows;
    Names *names = rows->dump->names;
    OpName note = *what;
    Str name = note.call ? str_printf(rows->scratch, STR_FMT "#%d", STR_ARG(what->stem), note.call)
                         : what->stem;
    NameId id = names_add(names, name);
    if (!names_note(names, id)) {
        note.stem = str_slice(names_text(names, id), 0, what->stem.size);
        note.path = str_copy(rows->arena, what->path);
        note.type_name = str_copy(rows->arena, what->type_name);
        note.prefix = str_copy(rows->arena, what->prefix);
        op_name_set(names, id, note);
    }
    Slot *out = dump_rows_add(rows, names_text(names, id), offset);
    out->path = names_add(names, slot);
    out->group = str_starts(slot, STR("input.")) ? GROUP_INPUT : GROUP_OUTPUT;
    return out;
}

Slot *row_calls_tensor(RowCalls *calls, const OpName *what, Str slot, Str dtype, Str shape,
                       uint64_t offset)
{
    Slot *out = add_row(calls, what, slot, offset);
    Names *names = calls->rows->dump->names;
    out->kind = SLOT_TENSOR;
    out->type = names_add(names, STR("torch.Tensor"));
    out->dtype = dtype.size ? names_add(names, dtype) : NAME_NONE;
    out->shape = shape.size ? names_add(names, shape) : NAME_NONE;
    return out;
}
