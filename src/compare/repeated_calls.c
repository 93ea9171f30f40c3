// SPDX-License-Identifier: Apache-2.0
// Forward calls that a run with activation recomputation makes a second time.
#include "compare/repeated_calls.h"

#include <math.h>

#include "compare/judge/floor.h"
#include "compare/slot_values.h"
#include "read/dump/op_name.h"

// Among how many calls of an API, before and after the last one that was made again, the next is
// looked for where kernels give other last digits each time.
#define NEAR_CALLS 256

// The last call that took and gave what hashes so.
typedef struct CallPlace {
    uint64_t hash;
    uint32_t op;  // + 1; 0: empty
} CallPlace;

typedef struct Calls {
    const Dump *dump;
    Names *stems;
    CallPlace *places;
    size_t mask;
    uint32_t *pair_of_name;  // by NameId: the op pair of the op with that name, + 1
    // By op, + 1: the call before and after it of the same stem, of those that both sides hold.
    uint32_t *before, *behind;
    uint32_t *last, *made;  // by NameId of `stems`: the last of them, the last that was made again
    Precision coarsest;
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
        told = told || (slot->group == GROUP_OUTPUT && slot_values_equal(slot, slot));
        hash = (hash ^ slot_values_hash(slot)) * 0x9E3779B97F4A7C15u + slot->shape;
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

static bool is_same_call(const Dump *dump, const Op *a, const Op *b)
{
    if (a->slot_count != b->slot_count || a->kind != b->kind ||
        !str_equal(op_name_of(dump->names, a->name).stem, op_name_of(dump->names, b->name).stem))
        return false;
    for (uint32_t i = 0; i < a->slot_count; i++) {
        const Slot *x = &dump->slots[a->first_slot + i], *y = &dump->slots[b->first_slot + i];
        bool equal = x->kind != SLOT_TENSOR || slot_values_equal(x, y) ||
                     (!slot_values_equal(x, x) && !slot_values_equal(y, y));
        if (x->kind != y->kind || x->group != y->group || x->shape != y->shape || !equal)
            return false;
    }
    return true;
}

static bool is_near(const Calls *calls, const Slot *a, const Slot *b)
{
    const Names *names = calls->dump->names;
    Precision own = precision_of_slot(names, a);
    uint64_t elements = shape_elements(names_text(names, a->shape));
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double x = 0, y = 0;
        bool told = slot_stat(a, (Stat)stat, &x);
        if (told != slot_stat(b, (Stat)stat, &y))
            return false;
        double most = own == PRECISION_EXACT ? 0
                                             : floor_default((Stat)stat, own, calls->coarsest) *
                                                   floor_scale(a, (Stat)stat, elements);
        if (told && x != y && !(isnan(x) && isnan(y)) && !(fabs(x - y) <= most))
            return false;
    }
    return a->dtype == b->dtype;
}

// As is_same_call, but for the rounding of kernels that add up in another order each time.
static bool is_near_call(const Calls *calls, const Op *a, const Op *b)
{
    if (a->slot_count != b->slot_count || a->kind != b->kind)
        return false;
    for (uint32_t i = 0; i < a->slot_count; i++) {
        const Slot *x = &calls->dump->slots[a->first_slot + i];
        const Slot *y = &calls->dump->slots[b->first_slot + i];
        if (x->kind != y->kind || x->group != y->group || x->shape != y->shape ||
            (x->kind == SLOT_TENSOR && !is_near(calls, x, y)))
            return false;
    }
    return true;
}

static void add_call(Calls *calls, uint32_t op, NameId stem)
{
    calls->before[op] = calls->last[stem];
    if (calls->last[stem])
        calls->behind[calls->last[stem] - 1] = op + 1;
    calls->last[stem] = op + 1;
}

static bool find_near(Calls *calls, uint32_t op, NameId stem)
{
    uint32_t *const ways[] = {calls->behind, calls->before};
    for (int way = 0; way < 2; way++) {
        uint32_t at = calls->made[stem] ? calls->made[stem] : calls->last[stem];
        for (int i = 0; i < NEAR_CALLS && at; i++, at = ways[way][at - 1])
            if (is_near_call(calls, &calls->dump->ops[at - 1], &calls->dump->ops[op])) {
                calls->made[stem] = at;
                return true;
            }
    }
    return false;
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
    Calls calls = {.dump = dump, .stems = names_new(scratch), .mask = size - 1};
    calls.places = ARENA_ARRAY(scratch, CallPlace, size);
    calls.pair_of_name = ARENA_ARRAY(scratch, uint32_t, names_count(dump->names) + 1);
    calls.before = ARENA_ARRAY(scratch, uint32_t, (size_t)dump->op_count + 1);
    calls.behind = ARENA_ARRAY(scratch, uint32_t, (size_t)dump->op_count + 1);
    calls.last = ARENA_ARRAY(scratch, uint32_t, (size_t)dump->op_count + 1);
    calls.made = ARENA_ARRAY(scratch, uint32_t, (size_t)dump->op_count + 1);
    calls.coarsest = precision_coarsest(dump);
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

// Whether the open call of that hash, after the first backward call, was made before.
static bool is_again(Calls *calls, const CallPlace *place, uint32_t op, NameId stem)
{
    if (!place->op ||
        !is_same_call(calls->dump, &calls->dump->ops[op], &calls->dump->ops[place->op - 1]))
        return find_near(calls, op, stem);
    calls->made[stem] = place->op;
    return true;
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
        NameId stem = names_find(calls.stems, op_name_of(calls.dump->names, op->name).stem);
        if (!alone) {
            *place = (CallPlace){hash, i + 1};
            add_call(&calls, i, stem);
        } else if (pair->status == STATUS_UNMATCHED && is_again(&calls, place, i, stem))
            out[at - 1] = !has_backward_alone(comparison, &calls, op, scratch);
    }
}

void repeated_calls_find(const Comparison *comparison, Arena *scratch, bool *out)
{
    for (int side = 0; side < 2; side++)
        if (has_open_forward(comparison, side))
            mark_side(comparison, side, scratch, out);
}
