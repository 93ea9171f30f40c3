// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/witness_look.h"

#include <stdarg.h>

#include "compare/judge/recorded.h"
#include "model/graph/graph.h"

typedef struct CallKey {
    NameId stem;
    int32_t call;
} CallKey;

// A backward call has the stem and the number of its forward call.
static const uint32_t *pair_calls(const Looking *of)
{
    const Dump *dump = of->dump;
    Names *keys = names_new(of->scratch);
    uint32_t *out = array_of_none(of->scratch, dump->op_count + (size_t)1);
    uint32_t *forwards = ARENA_ARRAY(of->scratch, uint32_t, 2 * (size_t)dump->op_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const OpName *name = &of->names[i];
        if (dump->ops[i].kind == OP_GRADS || dump->ops[i].direction == DIR_NONE)
            continue;
        CallKey key = {names_add(keys, name->stem), name->call};
        NameId id = names_add(keys, (Str){(const char *)&key, sizeof key});
        if (dump->ops[i].direction == DIR_FORWARD)
            forwards[id] = i + 1;
        else if (forwards[id])
            out[i] = forwards[id] - 1;
    }
    return out;
}

void look_begin(const Dump *dump, RankWitness *out, Arena *scratch, Looking *of)
{
    OpName *names = ARENA_ARRAY(scratch, OpName, dump->op_count + (size_t)1);
    unsigned *traits = ARENA_ARRAY(scratch, unsigned, dump->op_count + (size_t)1);
    Recorded recorded;
    recorded_collect(dump, scratch, &recorded);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        names[i] = op_name_of(dump->names, dump->ops[i].name);
        traits[i] = op_traits(names[i].type_name);
    }
    out->rounding = recorded.rounding;
    *of = (Looking){.dump = dump,
                    .flow = flow_find(dump, scratch),
                    .out = out,
                    .scratch = scratch,
                    .names = names,
                    .traits = traits,
                    .elements = recorded.elements,
                    .comms = ARENA_ARRAY(scratch, uint32_t, dump->op_count + (size_t)1)};
    of->forward = pair_calls(of);
    of->trail = (Trail){.rank = out->rank, .flow = of->flow};
    trail_follow(dump, NULL, scratch, &of->trail);
}

void look_break(Looking *of, LocalLaw law, Str op, const char *format, ...)
{
    LocalSeen *seen = &of->out->local[law];
    va_list arguments;
    va_start(arguments, format);
    if (seen->broken < LOCAL_KEPT)
        seen->first[seen->broken] = (LocalBreak){op, str_vprintf(of->scratch, format, arguments)};
    va_end(arguments);
    seen->broken++;
}

Str look_name(const Looking *of, const Op *op)
{
    return names_text(of->dump->names, op->name);
}

const Slot *look_slot(const Looking *of, const Op *op, const char *path)
{
    Str wanted = str_of(path);
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &of->dump->slots[op->first_slot + i];
        if (str_equal(names_text(of->dump->names, slot->path), wanted))
            return slot;
    }
    return NULL;
}

void look_read(const Looking *of, const Slot *slot, TensorSeen *out)
{
    const Names *names = of->dump->names;
    *out = (TensorSeen){.rounding = of->out->rounding,
                        .dtype = names_text(names, slot->dtype),
                        .shape = names_text(names, slot->shape),
                        .checksum = names_text(names, slot->checksum),
                        .elements = of->elements[slot->shape]};
    for (int i = 0; i < STAT_COUNT; i++)
        if (slot_stat(slot, (Stat)i, &out->stat[i]))
            out->known = (uint8_t)(out->known | 1U << i);
}

bool look_tensor(const Looking *of, const Op *op, const char *path, TensorSeen *out)
{
    const Slot *slot = look_slot(of, op, path);
    if (!slot || slot->kind != SLOT_TENSOR)
        return false;
    look_read(of, slot, out);
    return true;
}

bool look_first(const Looking *of, const Op *op, SlotGroup group, TensorSeen *out)
{
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &of->dump->slots[op->first_slot + i];
        if (slot_place_group(slot) != group || slot->kind != SLOT_TENSOR)
            continue;
        look_read(of, slot, out);
        return slot->parts == 0;
    }
    return false;
}

bool look_needs_gradient(const Looking *of, const Op *op)
{
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &of->dump->slots[op->first_slot + i];
        if (slot->group == GROUP_OUTPUT && slot->requires_grad == TRI_TRUE)
            return true;
    }
    return false;
}

int64_t look_dimension(Str shape, int64_t dim)
{
    int64_t sizes[16], count = 0;
    Str rest = str_slice(shape, 1, shape.size ? shape.size - 1 : 0), part;
    while (count < 16 && str_split(&rest, ',', &part))
        if (!str_to_int64(str_trim(part), &sizes[count++]))
            return 0;
    dim = dim < 0 ? dim + count : dim;
    return dim >= 0 && dim < count ? sizes[dim] : 0;
}

const Slot *look_argument(const Looking *of, const Op *op, const char *keyword, const char *place)
{
    const Slot *slot = look_slot(of, op, keyword);
    slot = slot ? slot : look_slot(of, op, place);
    return slot && slot->kind == SLOT_SCALAR ? slot : NULL;
}

Str look_value(const Looking *of, const Slot *slot)
{
    return slot ? names_text(of->dump->names, slot->value) : STR("");
}

bool look_has_any(Str text, const char *const *parts)
{
    for (; *parts; parts++)
        if (str_find(text, str_of(*parts), 0) != SIZE_MAX)
            return true;
    return false;
}

const Op *look_forward(const Looking *of, const Op *backward)
{
    uint32_t forward = of->forward[look_index(of, backward)];
    return forward == OP_NONE ? NULL : &of->dump->ops[forward];
}

bool look_begins_forward(const Looking *of, const Op *op)
{
    return op->direction == DIR_FORWARD &&
           (op->kind == OP_MODULE ||
            str_starts(of->names[look_index(of, op)].stem, STR("Functional.")));
}

uint32_t look_passes_end(const Looking *of)
{
    uint32_t end = of->dump->op_count;
    for (; end > 0; end--) {
        const Op *op = &of->dump->ops[end - 1];
        if (op->kind != OP_GRADS && (op->direction == DIR_BACKWARD || look_begins_forward(of, op)))
            break;
    }
    return end;
}
