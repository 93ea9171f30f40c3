// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/witness_look.h"

void look_break(Looking *of, LocalLaw law, Str op, Str text)
{
    LocalSeen *seen = &of->out->local[law];
    if (seen->broken < LOCAL_KEPT)
        seen->first[seen->broken] =
            (LocalBreak){str_copy(of->out->arena, op), str_copy(of->out->arena, text)};
    seen->broken++;
}

Str look_name(const Looking *of, const Op *op)
{
    return names_text(of->dump->names, op->name);
}

const Slot *look_slot(const Looking *of, const Op *op, const char *path)
{
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &of->dump->slots[op->first_slot + i];
        if (str_equal(names_text(of->dump->names, slot->path), str_of(path)))
            return slot;
    }
    return NULL;
}

bool look_tensor(const Looking *of, const Op *op, const char *path, TensorSeen *out)
{
    const Slot *slot = look_slot(of, op, path);
    if (!slot || slot->kind != SLOT_TENSOR)
        return false;
    tensor_seen_read(of->dump, slot, of->out->rounding, of->scratch, out);
    return true;
}

NameId look_forward(const Dump *dump, const Op *backward, Arena *scratch)
{
    Str text = names_text(dump->names, backward->name), way = STR("backward");
    size_t at = str_find(text, way, 0);
    if (at == SIZE_MAX)
        return NAME_NONE;
    Str behind = str_slice(text, at + way.size, text.size);
    return names_find(dump->names, str_printf(scratch, STR_FMT "forward" STR_FMT,
                                              STR_ARG(str_slice(text, 0, at)), STR_ARG(behind)));
}
