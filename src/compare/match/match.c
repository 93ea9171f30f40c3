// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match.h"

#include "base/array.h"
#include "compare/mapping/mapping_data.h"
#include "compare/match/match_arrays.h"
#include "compare/match/match_crossed.h"
#include "compare/match/match_fused.h"
#include "compare/match/match_kernel.h"
#include "compare/match/match_slots.h"
#include "compare/match/match_stage.h"
#include "read/dump/op_name.h"

// ---- dumps with the same ops in the same order, by far the most

static NameId parent_name(const Graph *graph, NameId op)
{
    NodeId node = graph_find(graph, op);
    NodeId parent = node == NODE_NONE ? NODE_NONE : graph->nodes[node].parent;
    if (parent == NODE_NONE || graph->nodes[parent].type == NODE_GROUP)
        return NAME_NONE;
    return graph->nodes[parent].name;
}

static bool same_shapes(const MatchSides *sides, const NameId *golden_name, uint32_t op)
{
    const Op *golden = &sides->golden->ops[op], *target = &sides->target->ops[op];
    if (golden->slot_count != target->slot_count)
        return false;
    for (uint32_t i = 0; i < target->slot_count; i++) {
        NameId b = sides->golden->slots[golden->first_slot + i].shape;
        NameId n = sides->target->slots[target->first_slot + i].shape;
        if (n == NAME_NONE ? b != NAME_NONE : golden_name[n] != b)
            return false;
    }
    return true;
}

// Same names in the same order, the same modules around them, the same shapes.
static bool same_ops(const MatchSides *sides, Arena *scratch)
{
    const Dump *golden = sides->golden, *target = sides->target;
    bool scoped = sides->golden_graph && sides->target_graph;
    if (golden->op_count != target->op_count)
        return false;
    NameId *golden_name = names_translate(target->names, golden->names, scratch);
    for (uint32_t i = 0; i < target->op_count; i++) {
        NameId name = target->ops[i].name;
        if (golden_name[name] != golden->ops[i].name || !same_shapes(sides, golden_name, i))
            return false;
        NameId parent = scoped ? parent_name(sides->target_graph, name) : NAME_NONE;
        if (scoped && golden_name[parent] != parent_name(sides->golden_graph, golden->ops[i].name))
            return false;
    }
    return true;
}

static void pair_in_order(OpMatch *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        out->golden_of[i] = out->target_of[i] = i;
    out->counts.by_name = count;
}

// ---- which side comes first: told by what they hold, so that it does not depend on their roles

static int order_of_scopes(const Matcher *matcher, uint32_t op)
{
    const NameId *names[2];
    for (int side = 0; side < 2; side++) {
        NodeId scope = matcher->keys.ops[side][op].scope;
        names[side] = scope == NODE_NONE ? NULL : &matcher->keys.node_name[side][scope];
    }
    if (!names[0] || !names[1])
        return (names[0] != NULL) - (names[1] != NULL);
    return str_compare(names_text(matcher->keys.texts, *names[0]),
                       names_text(matcher->keys.texts, *names[1]));
}

static int order_of_shapes(const Matcher *matcher, uint32_t op)
{
    const Op *ops[2] = {&matcher->sides[0].dump->ops[op], &matcher->sides[1].dump->ops[op]};
    if (ops[0]->slot_count != ops[1]->slot_count)
        return ops[0]->slot_count < ops[1]->slot_count ? -1 : 1;
    for (uint32_t i = 0; i < ops[0]->slot_count; i++) {
        Str shapes[2];
        for (int side = 0; side < 2; side++) {
            const Dump *dump = matcher->sides[side].dump;
            shapes[side] = names_text(dump->names, dump->slots[ops[side]->first_slot + i].shape);
        }
        int order = str_compare(shapes[0], shapes[1]);
        if (order != 0)
            return order;
    }
    return 0;
}

static int order_of_sides(const Matcher *matcher)
{
    uint32_t counts[2] = {matcher->sides[0].dump->op_count, matcher->sides[1].dump->op_count};
    if (counts[0] != counts[1])
        return counts[0] < counts[1] ? -1 : 1;
    for (uint32_t i = 0; i < counts[0]; i++) {
        int order = str_compare(names_text(matcher->keys.texts, matcher->keys.ops[0][i].whole),
                                names_text(matcher->keys.texts, matcher->keys.ops[1][i].whole));
        if (order == 0)
            order = order_of_scopes(matcher, i);
        if (order == 0)
            order = order_of_shapes(matcher, i);
        if (order != 0)
            return order;
    }
    return 0;
}

#define SWAP(type, pair)       \
    do {                       \
        type kept = (pair)[0]; \
        (pair)[0] = (pair)[1]; \
        (pair)[1] = kept;      \
    } while (0)

static void swap_sides(Matcher *matcher)
{
    SWAP(MatchSide, matcher->sides);
    SWAP(OpKey *, matcher->keys.ops);
    SWAP(NameId *, matcher->keys.node_name);
    SWAP(bool *, matcher->keys.node_known);
    SWAP(bool *, matcher->keys.node_bare);
    SWAP(uint32_t *, matcher->partner);
    SWAP(uint8_t *, matcher->stage);
}

// ---- gradients

// By stem of side 1: what side 0 calls the module, told from its calls; the stem itself otherwise.
static NameId *module_stems(const Matcher *matcher, Arena *scratch)
{
    size_t count = names_count(matcher->keys.texts) + 1;
    NameId *stems = ARENA_ARRAY(scratch, NameId, count);
    for (size_t i = 0; i < count; i++)
        stems[i] = (NameId)i;
    for (uint32_t i = matcher->sides[1].dump->op_count; i-- > 0;) {
        uint32_t first = matcher->partner[1][i];
        if (first != OP_NONE && matcher->sides[1].dump->ops[i].kind == OP_MODULE)
            stems[matcher->keys.ops[1][i].stem] = matcher->keys.ops[0][first].stem;
    }
    return stems;
}

// Where the sides hold different numbers of entries of a module, their names tell which is which.
static void match_gradients_by_name(Matcher *matcher, const NameId *stems, Arena *scratch)
{
    size_t count = names_count(matcher->keys.texts) + 1;
    uint32_t *entries[2];
    uint32_t *op_of = array_of_none(scratch, count);
    for (int side = 0; side < 2; side++) {
        entries[side] = ARENA_ARRAY(scratch, uint32_t, count);
        for (uint32_t i = 0; i < matcher->sides[side].dump->op_count; i++) {
            NameId stem = matcher->keys.ops[side][i].stem;
            if (matcher->stage[side][i] == STAGE_GRADS)
                entries[side][side == 0 ? stem : stems[stem]]++;
        }
    }
    for (uint32_t i = 0; i < matcher->sides[0].dump->op_count; i++)
        if (matcher->stage[0][i] == STAGE_GRADS)
            op_of[matcher->keys.ops[0][i].whole] = i;
    for (uint32_t i = 0; i < matcher->sides[1].dump->op_count; i++) {
        const OpKey *key = &matcher->keys.ops[1][i];
        NameId module = stems[key->stem];
        if (matcher->stage[1][i] == STAGE_GRADS && entries[0][module] != entries[1][module] &&
            op_of[key->whole] != OP_NONE)
            match_pair(matcher, op_of[key->whole], i);
    }
}

// Per module a queue of the gradient entries of side 0 in the order of the file.
static void match_gradients(Matcher *matcher)
{
    Arena *scratch = arena_new();
    const NameId *stems = module_stems(matcher, scratch);
    match_gradients_by_name(matcher, stems, scratch);
    uint32_t *head = array_of_none(scratch, names_count(matcher->keys.texts) + 1);
    uint32_t *next = array_of_none(scratch, matcher->sides[0].dump->op_count);
    for (uint32_t i = matcher->sides[0].dump->op_count; i-- > 0;) {
        if (matcher->stage[0][i] != STAGE_GRADS || matcher->partner[0][i] != OP_NONE)
            continue;
        NameId module = matcher->keys.ops[0][i].stem;
        next[i] = head[module];
        head[module] = i;
    }
    for (uint32_t i = 0; i < matcher->sides[1].dump->op_count; i++) {
        if (matcher->stage[1][i] != STAGE_GRADS || matcher->partner[1][i] != OP_NONE)
            continue;
        NameId module = stems[matcher->keys.ops[1][i].stem];
        uint32_t first = head[module];
        if (first == OP_NONE)
            continue;
        match_pair(matcher, first, i);
        head[module] = next[first];
    }
    arena_release(scratch);
    match_stage_gradients(matcher);
}

// ---- all together

static MatchStage stage_of(const Op *op)
{
    if (op->kind == OP_GRADS)
        return STAGE_GRADS;
    if (op->direction == DIR_BACKWARD)
        return STAGE_BACKWARD;
    return op->kind == OP_MODULE ? STAGE_MODULE : STAGE_API;
}

static bool has_modules(const Graph *graph)
{
    return graph && !graph->flat;
}

static void match_all(Matcher *matcher)
{
    if (order_of_sides(matcher) > 0)
        swap_sides(matcher);
    const Dump *first = matcher->sides[0].dump, *second = matcher->sides[1].dump;
    if (match_is_fused(first, second)) {
        match_fused(matcher);
        return;
    }
    match_stage_run(matcher, STAGE_MODULE);
    // Ranks count their calls each for themselves.
    matcher->fuzzy = matcher->fuzzy || matcher->keys.merged;
    match_stage_run(matcher, STAGE_API);
    match_stage_backward(matcher);
    match_gradients(matcher);
    if (match_is_kernels(first) != match_is_kernels(second))
        match_kernels(matcher);
}

// What the data mapping says is settled before anything else.
static void fix_pairs(Matcher *matcher, const MappedRows *rows)
{
    for (uint32_t i = 0; i < matcher->sides[1].dump->op_count; i++) {
        uint32_t golden = rows->golden_of[i];
        if (golden == MAPPED_NOT)
            continue;
        matcher->stage[1][i] = STAGE_FIXED;
        if (golden == MAPPED_NONE)
            continue;
        matcher->stage[0][golden] = STAGE_FIXED;
        match_pair(matcher, golden, i);
    }
}

// Under a common spelling nodes without data are known by it.
static NodeId *nodes_by_name(const Matcher *matcher, Arena *arena)
{
    const Graph *golden = matcher->sides[0].graph, *target = matcher->sides[1].graph;
    if (!golden || !target || matcher->keys.plain)
        return NULL;
    NodeId *of_name = array_of_none(arena, names_count(matcher->keys.texts) + 1);
    NodeId *golden_of = array_of_none(arena, target->count);
    for (NodeId id = golden->count; id-- > 0;)
        of_name[matcher->keys.node_name[0][id]] = id;
    for (NodeId id = 0; id < target->count; id++)
        if (target->nodes[id].type == NODE_MODULE)
            golden_of[id] = of_name[matcher->keys.node_name[1][id]];
    return golden_of;
}

// What a wrapper adds to a name makes it another name.
static bool same_stem(const Matcher *matcher, uint32_t first, uint32_t second)
{
    if (matcher->keys.ops[0][first].stem != matcher->keys.ops[1][second].stem)
        return false;
    const Dump *a = matcher->sides[0].dump, *b = matcher->sides[1].dump;
    bool module = a->ops[first].kind == OP_MODULE || a->ops[first].kind == OP_GRADS;
    return !matcher->keys.unwrapped || !module ||
           str_equal(op_name_of(a->names, a->ops[first].name).stem,
                     op_name_of(b->names, b->ops[second].name).stem);
}

// Which side is golden does not matter to the counts.
static void count_pairs(const Matcher *matcher, MatchCounts *counts)
{
    for (uint32_t i = 0; i < matcher->sides[0].dump->op_count; i++) {
        uint32_t other = matcher->partner[0][i];
        if (other == OP_NONE)
            continue;
        const OpKey *a = &matcher->keys.ops[0][i], *b = &matcher->keys.ops[1][other];
        bool grads = matcher->stage[0][i] == STAGE_GRADS, same = same_stem(matcher, i, other);
        if (matcher->stage[0][i] == STAGE_FIXED)
            counts->mapped++;
        else if (same && (a->whole == b->whole || grads))
            counts->by_name++;
        else if (same)
            counts->renumbered++;
        else
            counts->renamed++;
    }
}

static void match_unequal(const MatchSides *sides, const MatchOptions *options,
                          const MappedRows *rows, Arena *arena, OpMatch *out)
{
    Arena *scratch = arena_new();
    Matcher matcher = {
        .sides = {{sides->golden, sides->golden_graph}, {sides->target, sides->target_graph}},
        .partner = {out->target_of, out->golden_of},
        .fuzzy = options->fuzzy};
    matcher.scoped = has_modules(sides->golden_graph) && has_modules(sides->target_graph);
    match_keys_build(matcher.sides, options, scratch, &matcher.keys);
    for (int side = 0; side < 2; side++) {
        const Dump *dump = matcher.sides[side].dump;
        matcher.stage[side] = ARENA_ARRAY(scratch, uint8_t, (size_t)dump->op_count + 1);
        for (uint32_t i = 0; i < dump->op_count; i++)
            matcher.stage[side][i] = (uint8_t)stage_of(&dump->ops[i]);
    }
    if (rows)
        fix_pairs(&matcher, rows);
    out->golden_node_of = nodes_by_name(&matcher, arena);
    match_all(&matcher);
    count_pairs(&matcher, &out->counts);
    arena_release(scratch);
}

static bool says_nothing(const MatchOptions *options)
{
    return !options->data && !options->cells && !options->apis && !options->by_layers;
}

void match_ops(const MatchSides *sides, const MatchOptions *options, Arena *arena, OpMatch *out)
{
    static const MatchOptions nothing = {0};
    options = options ? options : &nothing;
    *out = (OpMatch){.golden_of = array_of_none(arena, sides->target->op_count),
                     .target_of = array_of_none(arena, sides->golden->op_count)};
    Arena *scratch = arena_new();
    MappedRows rows = {0};
    if (options->data)
        mapping_data_rows(options->data, sides->golden, sides->target, scratch, &rows);
    bool arrays = says_nothing(options) &&
                  match_arrays(sides->golden, sides->target, scratch, &rows.golden_of);
    if (!arrays && says_nothing(options) && same_ops(sides, scratch))
        pair_in_order(out, sides->target->op_count);
    else
        match_unequal(sides, options, options->data || arrays ? &rows : NULL, arena, out);
    match_slots(sides, options, options->data ? &rows : NULL, arena, out);
    if (!options->data)
        match_crossed_operands(sides->golden, sides->target, out);
    arena_release(scratch);
}
