// SPDX-License-Identifier: Apache-2.0
// Forward calls that a run with activation recomputation makes a second time.
#include "compare/repeated_calls.h"

#include "read/dump/op_name.h"

// The last call that took and gave what hashes so.
typedef struct CallPlace {
    uint64_t hash;
    uint32_t op;  // + 1; 0: empty
} CallPlace;

typedef struct Calls {
    const Dump *dump;
    const Flow *flow;
    Names *stems;
    CallPlace *places;
    size_t mask;
    uint32_t *pair_of_name;  // by NameId: the op pair of the op with that name, + 1
} Calls;

static bool is_repeatable(const Op *op)
{
    return (op->kind == OP_API || op->kind == OP_MODULE) && op->direction == DIR_FORWARD;
}

static const Op *op_of(const Comparison *comparison, const OpPair *pair, int side)
{
    uint32_t at = side == 0 ? pair->golden : pair->target;
    const Dump *dump = side == 0 ? comparison->golden->dump : comparison->target->dump;
    return at == OP_NONE ? NULL : &dump->ops[at];
}

// 0: its results tell nothing.
static uint64_t hash_of(Calls *calls, const Op *op)
{
    uint64_t hash = names_add(calls->stems, op_name_of(calls->dump->names, op->name).stem);
    bool told = false;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &calls->dump->slots[i];
        if (slot->kind != SLOT_TENSOR)
            continue;
        told = told || (slot->group == GROUP_OUTPUT && calls->flow->same[i] != SLOT_NONE);
        hash = (hash ^ calls->flow->same[i]) * 0x9E3779B97F4A7C15u + slot->shape;
        hash ^= hash >> 31;
    }
    return told ? hash | 1 : 0;
}

static CallPlace *place_of(const Calls *calls, uint64_t hash)
{
    size_t at = (size_t)(hash >> 7) & calls->mask;
    while (calls->places[at].op && calls->places[at].hash != hash)
        at = (at + 1) & calls->mask;
    return &calls->places[at];
}

static bool is_same_call(const Calls *calls, const Op *a, const Op *b)
{
    const Names *names = calls->dump->names;
    if (a->slot_count != b->slot_count || a->kind != b->kind ||
        !str_equal(op_name_of(names, a->name).stem, op_name_of(names, b->name).stem))
        return false;
    for (uint32_t i = 0; i < a->slot_count; i++) {
        uint32_t x = a->first_slot + i, y = b->first_slot + i;
        const Slot *own = &calls->dump->slots[x], *other = &calls->dump->slots[y];
        if (own->kind != other->kind || own->group != other->group || own->shape != other->shape ||
            calls->flow->same[x] != calls->flow->same[y])
            return false;
    }
    return true;
}

// Whether a forward call has a backward call of its own number that the other side does not have.
static bool has_backward_alone(const Comparison *comparison, const Calls *calls, const Op *op,
                               Arena *scratch)
{
    OpName name = op_name_of(calls->dump->names, op->name);
    Str text = op->kind == OP_MODULE
                   ? str_printf(scratch, STR_FMT ".backward.%d", STR_ARG(name.stem), op->call)
                   : str_printf(scratch, STR_FMT ".%d.backward", STR_ARG(name.stem), op->call);
    NameId id = names_find(calls->dump->names, text);
    uint32_t at = id == NAME_NONE ? 0 : calls->pair_of_name[id];
    return at && comparison->ops[at - 1].status == STATUS_UNMATCHED;
}

static Calls calls_new(const Comparison *comparison, int side, Arena *scratch)
{
    const Dump *dump = side == 0 ? comparison->golden->dump : comparison->target->dump;
    size_t size = 16;
    while (size < (size_t)dump->op_count * 2)
        size *= 2;
    Calls calls = {.dump = dump,
                   .flow = comparison->flows[side],
                   .stems = names_new(scratch),
                   .mask = size - 1};
    calls.places = ARENA_ARRAY(scratch, CallPlace, size);
    calls.pair_of_name = ARENA_ARRAY(scratch, uint32_t, names_count(dump->names) + 1);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const Op *op = op_of(comparison, &comparison->ops[i], side);
        if (op)
            calls.pair_of_name[op->name] = i + 1;
    }
    return calls;
}

static bool has_open_forward(const Comparison *comparison, int side)
{
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const Op *op = op_of(comparison, &comparison->ops[i], side);
        if (op && comparison->ops[i].status == STATUS_UNMATCHED && is_repeatable(op))
            return true;
    }
    return false;
}

// Behind the last backward call nothing is made again for gradients: an optimizer steps there.
static uint32_t last_backward(const Dump *dump)
{
    uint32_t last = dump->op_count;
    while (last > 0 && dump->ops[last - 1].direction != DIR_BACKWARD)
        last--;
    return last;
}

static void mark_side(const Comparison *comparison, int side, Arena *scratch, bool *out)
{
    Calls calls = calls_new(comparison, side, scratch);
    bool backward = false;
    uint32_t end = last_backward(calls.dump);
    for (uint32_t i = 0; i < end; i++) {
        const Op *op = &calls.dump->ops[i];
        uint32_t at = calls.pair_of_name[op->name];
        backward = backward || op->direction == DIR_BACKWARD;
        if (!at || !is_repeatable(op))
            continue;
        const OpPair *pair = &comparison->ops[at - 1];
        bool alone = !op_has_both(pair);
        uint64_t hash = alone && !backward ? 0 : hash_of(&calls, op);
        if (hash == 0)
            continue;
        CallPlace *place = place_of(&calls, hash);
        if (!alone)
            *place = (CallPlace){hash, i + 1};
        else if (pair->status == STATUS_UNMATCHED && place->op &&
                 is_same_call(&calls, op, &calls.dump->ops[place->op - 1]))
            out[at - 1] = !has_backward_alone(comparison, &calls, op, scratch);
    }
}

void repeated_calls_find(const Comparison *comparison, Arena *scratch, bool *out)
{
    for (int side = 0; side < 2; side++)
        if (has_open_forward(comparison, side))
            mark_side(comparison, side, scratch, out);
}
