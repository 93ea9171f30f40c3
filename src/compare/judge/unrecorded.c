// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/unrecorded.h"

#include "compare/flow.h"
#include "read/dump/op_name.h"

// Fewer calls may be missing ones.
enum { CALLS_MIN = 3 };

typedef struct Side {
    const Comparison *comparison;
    int side;
    const Dump *dump, *other;
    bool *computed;  // by first slot of a value: the other side has it, and no call gives it there
    Names *held;     // APIs of which the other side holds a call
} Side;

static Str stem_of(const Dump *dump, const Op *op)
{
    return op_name_of(dump->names, op->name).stem;
}

// What modules give was given by calls in them.
static bool has_giver(const Side *side, uint32_t slot)
{
    const Flow *flow = side->comparison->flows[1 - side->side];
    uint32_t producer = flow->producer[slot];
    return producer != SLOT_NONE && dump_op_with(side->other, producer)->kind == OP_API;
}

static void collect_computed(const Side *side)
{
    const Comparison *comparison = side->comparison;
    const Flow *flow = comparison->flows[side->side];
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        uint32_t own = side->side == 0 ? pair->golden : pair->target;
        uint32_t other = side->side == 0 ? pair->target : pair->golden;
        if (own != SLOT_NONE && other != SLOT_NONE && flow->same[own] != SLOT_NONE &&
            (pair->status == STATUS_SAME || pair->status == STATUS_PASS) &&
            side->dump->slots[own].kind == SLOT_TENSOR && !has_giver(side, other))
            side->computed[flow->same[own]] = true;
    }
}

static const Op *lacking_op(const Side *side, const OpPair *pair)
{
    if (op_has_both(pair) || pair->status != STATUS_UNMATCHED || shown_side(pair) != side->side)
        return NULL;
    const Op *op = shown_op(side->comparison, pair);
    bool api = op->kind == OP_API && names_find(side->held, stem_of(side->dump, op)) == NAME_NONE;
    return api ? op : NULL;
}

static bool gives_computed(const Side *side, const Op *op)
{
    const Flow *flow = side->comparison->flows[side->side];
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
        if (slot_is_output_tensor(&side->dump->slots[k]) && flow->same[k] != SLOT_NONE &&
            side->computed[flow->same[k]])
            return true;
    return false;
}

static void look_at_side(const Side *side, Arena *scratch, bool *out)
{
    const Comparison *comparison = side->comparison;
    const Flow *flow = comparison->flows[side->side];
    Names *stems = names_new(scratch);
    uint32_t calls = 0;
    for (uint32_t i = comparison->op_count; i-- > 0;) {
        const Op *op = lacking_op(side, &comparison->ops[i]);
        if (!op || !gives_computed(side, op))
            continue;
        names_add(stems, stem_of(side->dump, op));
        calls += op->direction == DIR_FORWARD;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (!slot_is_result(&side->dump->slots[k]) && flow->same[k] != SLOT_NONE)
                side->computed[flow->same[k]] = true;
    }
    for (uint32_t i = 0; calls >= CALLS_MIN && i < comparison->op_count; i++) {
        const Op *op = lacking_op(side, &comparison->ops[i]);
        out[i] |= op && names_find(stems, stem_of(side->dump, op)) != NAME_NONE;
    }
}

void unrecorded_find(const Comparison *comparison, Arena *scratch, bool *out)
{
    for (int s = 0; s < 2; s++) {
        Side side = {.comparison = comparison,
                     .side = s,
                     .dump = comparison_graph(comparison, s)->dump,
                     .other = comparison_graph(comparison, 1 - s)->dump,
                     .held = names_new(scratch)};
        side.computed = ARENA_ARRAY(scratch, bool, (size_t)side.dump->slot_count + 1);
        for (uint32_t i = 0; i < side.other->op_count; i++)
            names_add(side.held, stem_of(side.other, &side.other->ops[i]));
        collect_computed(&side);
        look_at_side(&side, scratch, out);
    }
}
