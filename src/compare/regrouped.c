// SPDX-License-Identifier: Apache-2.0
// Calls that do the work of a module in other parts, where both sides agree about the module.
#include "compare/regrouped.h"

#include <math.h>

#include "base/array.h"
#include "compare/flow.h"
#include "compare/judge/fold.h"
#include "compare/rewritten.h"
#include "read/dump/op_name.h"

// What a module around holds: a call that has no partner, or one of other shapes, of each side.
enum {
    OF_GOLDEN = 1,
    OF_TARGET = 2,
    ALONE = 4,
    DIVIDED = OF_GOLDEN | OF_TARGET | ALONE,
    OTHER_OP = 8  // a value that its calls alone gave is another one: see rewritten_keeps
};

typedef struct Regrouping {
    Comparison *out;
    const Graph *graphs[2];
    uint32_t *pair_of[2];  // by side and op: its pair
    uint32_t *module[2];   // by side and node: the pair of the innermost module, itself included,
                           // that both sides hold and that is not divided itself, or PAIR_NONE
    uint32_t *around;      // by pair: that of the module around it that agrees, or PAIR_NONE
    uint8_t *inside;       // by pair of such a module: bits of what is inside
    Names *calls[2];       // of each side, that were regrouped
    Arena *scratch;
} Regrouping;

static bool has_other_shapes(const Comparison *out, const OpPair *op)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (out->slots[i].reason == REASON_SHAPE)
            return true;
    return false;
}

static Direction direction_of(const Regrouping *of, const OpPair *pair)
{
    return (Direction)shown_op(of->out, pair)->direction;
}

static void find_modules(Regrouping *of, int side)
{
    const Graph *graph = of->graphs[side];
    of->module[side] = array_of_none(of->scratch, graph->count);
    for (uint32_t i = graph->order_count; i-- > 0;) {
        const Node *node = &graph->nodes[graph->order[i]];
        uint32_t *out = &of->module[side][graph->order[i]];
        uint32_t own = node->op == OP_NONE ? PAIR_NONE : of->pair_of[side][node->op];
        if (own != PAIR_NONE && op_has_both(&of->out->ops[own]) &&
            !has_other_shapes(of->out, &of->out->ops[own]))
            *out = own;
        else if (node->parent != NODE_NONE)
            *out = of->module[side][node->parent];
    }
}

static uint32_t module_around(const Regrouping *of, int side, uint32_t op)
{
    const Graph *graph = of->graphs[side];
    NodeId node = graph_find(graph, graph->dump->ops[op].name);
    NodeId parent = node == NODE_NONE ? NODE_NONE : graph->nodes[node].parent;
    return parent == NODE_NONE ? PAIR_NONE : of->module[side][parent];
}

static bool agrees(const OpPair *pair)
{
    return !status_differs((Status)pair->status) &&
           (pair->output_status == STATUS_SAME || pair->output_status == STATUS_PASS);
}

static void find_divided(Regrouping *of)
{
    Comparison *out = of->out;
    for (uint32_t i = 0; i < out->op_count; i++) {
        const OpPair *pair = &out->ops[i];
        of->around[i] = PAIR_NONE;
        bool alone = pair->status == STATUS_UNMATCHED;
        if (direction_of(of, pair) != DIR_FORWARD ||
            !(alone || (op_has_both(pair) && has_other_shapes(out, pair))))
            continue;
        int side = pair->golden == OP_NONE ? 1 : 0;
        uint32_t module = module_around(of, side, op_on_side(pair, side));
        bool both = alone || module == module_around(of, 1, pair->target);
        if (module == PAIR_NONE || !both || !agrees(&out->ops[module]))
            continue;
        of->around[i] = module;
        of->inside[module] |= alone ? ALONE : 0;
        of->inside[module] |= pair->golden == OP_NONE ? 0 : OF_GOLDEN;
        of->inside[module] |= pair->target == OP_NONE ? 0 : OF_TARGET;
    }
}

// The module around the call without a partner that gave the value; PAIR_NONE: it has one.
static uint32_t module_of_giver(const Regrouping *of, int side, uint32_t slot)
{
    uint32_t producer = of->out->flows[side]->producer[slot];
    const Dump *dump = of->graphs[side]->dump;
    if (producer == SLOT_NONE)
        return PAIR_NONE;
    uint32_t pair = of->pair_of[side][dump_op_with(dump, producer) - dump->ops];
    return op_has_both(&of->out->ops[pair]) ? PAIR_NONE : of->around[pair];
}

static void find_other_ops(Regrouping *of)
{
    for (uint32_t i = 0; i < of->out->op_count; i++) {
        const OpPair *op = &of->out->ops[i];
        for (uint32_t k = op->first_slot; op_has_both(op) && k < op->first_slot + op->slot_count;
             k++) {
            const SlotPair *pair = &of->out->slots[k];
            if (pair->status != STATUS_PASS || pair->golden == SLOT_NONE ||
                pair->target == SLOT_NONE ||
                slot_is_result(&of->graphs[0]->dump->slots[pair->golden]))
                continue;
            uint32_t module = module_of_giver(of, 0, pair->golden);
            if (module != PAIR_NONE && module == module_of_giver(of, 1, pair->target) &&
                !rewritten_keeps(of->out, pair, NULL))
                of->inside[module] |= OTHER_OP;
        }
    }
}

// Calls of modules are counted backwards by some dumpers: all of one module belong together.
static Str call_key(const Regrouping *of, int side, uint32_t op)
{
    const Dump *dump = of->graphs[side]->dump;
    OpName name = op_name_of(dump->names, dump->ops[op].name);
    if (name.kind == OP_MODULE)
        return name.stem;
    return str_printf(of->scratch, STR_FMT " %d", STR_ARG(name.stem), (int)name.call);
}

// Calls that do other parts of the work are no pair: neither their arguments nor their values say
// anything. A weight is the same whatever it is applied to; its gradient from a part of the whole
// is not.
static void loosen(Regrouping *of, OpPair *op, bool weights)
{
    Comparison *out = of->out;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        SlotPair *pair = &out->slots[i];
        bool both = pair->golden != SLOT_NONE && pair->target != SLOT_NONE;
        bool weight = both && out->flows[0]->source[pair->golden] == SOURCE_PARAMETER &&
                      out->flows[1]->source[pair->target] == SOURCE_PARAMETER;
        if (weights && weight && pair->reason != REASON_SHAPE)
            continue;
        fold_excuse(out, pair, REASON_REGROUPED);
        pair->metric = METRIC_NONE;
        pair->error = pair->norm_error = (double)NAN;
    }
    fold_op(out, op);
}

static void settle_forward(Regrouping *of)
{
    rewritten_find(of->out, of->scratch, of->out->regrouped);
    for (uint32_t i = 0; i < of->out->op_count; i++) {
        bool divided = of->around[i] != PAIR_NONE && of->inside[of->around[i]] == DIVIDED;
        if (!divided && !of->out->regrouped[i])
            continue;
        of->out->regrouped[i] = true;
        for (int side = 0; side < 2; side++)
            if (op_on_side(&of->out->ops[i], side) != OP_NONE)
                names_add(of->calls[side], call_key(of, side, op_on_side(&of->out->ops[i], side)));
        if (op_has_both(&of->out->ops[i]))
            loosen(of, &of->out->ops[i], true);
    }
}

static void settle_backward(Regrouping *of)
{
    for (uint32_t i = 0; i < of->out->op_count; i++) {
        OpPair *pair = &of->out->ops[i];
        bool regrouped = false;
        for (int side = 0; side < 2 && direction_of(of, pair) == DIR_BACKWARD; side++)
            regrouped |= op_on_side(pair, side) != OP_NONE &&
                         names_find(of->calls[side], call_key(of, side, op_on_side(pair, side))) !=
                             NAME_NONE;
        if (!regrouped)
            continue;
        of->out->regrouped[i] = true;
        if (op_has_both(pair))
            loosen(of, pair, false);
    }
}

static bool has_any(const Comparison *out)
{
    for (uint32_t i = 0; i < out->op_count; i++)
        if (!op_has_both(&out->ops[i]))
            return true;
    return false;
}

void regrouped_settle(Comparison *comparison, Arena *arena)
{
    if (comparison->rules != RULES_VERNIER || comparison->kernels ||
        !rule_on(comparison->without, REASON_REGROUPED) || !has_any(comparison))
        return;
    size_t pairs = (size_t)comparison->op_count + 1;
    Arena *scratch = arena_new();
    Regrouping of = {.out = comparison,
                     .graphs = {comparison->golden, comparison->target},
                     .around = ARENA_ARRAY(scratch, uint32_t, pairs),
                     .inside = ARENA_ARRAY(scratch, uint8_t, pairs),
                     .calls = {names_new(scratch), names_new(scratch)},
                     .scratch = scratch};
    comparison->regrouped = ARENA_ARRAY(arena, bool, pairs);
    for (int side = 0; side < 2; side++)
        of.pair_of[side] = pairs_by_op(comparison, side, scratch);
    for (int side = 0; side < 2; side++)
        find_modules(&of, side);
    find_divided(&of);
    find_other_ops(&of);
    settle_forward(&of);
    settle_backward(&of);
    arena_release(scratch);
}
