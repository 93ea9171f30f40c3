// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe_nodes.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "compare/mapping/row_name.h"
#include "compare/msprobe/msprobe_match.h"
#include "compare/msprobe/msprobe_rows.h"

typedef struct NodeJudge {
    const Graph *golden, *target;
    CompareMode mode;
    bool merged;  // of several ranks: shapes are not judged (docs/spec/graph.md §2.14)
    const MsprobeMetricsSource *metrics;
    MsprobeSides sides;
    MsprobeNodes *out;
    uint32_t *golden_items, *target_items;  // slots of the nodes at work, in msProbe's order
    size_t golden_capacity, target_capacity;
    MsprobeFacts *facts;
    uint32_t *hits;
    StrBuf name;
    Arena *arena;
} NodeJudge;

// ---- matching

// Same id and same ancestors: the parents are partners already, since parents come first.
static void match_exactly(const Graph *golden, const Graph *target, Arena *scratch,
                          MsprobeNodes *out)
{
    NameId *golden_name = names_translate(target->dump->names, golden->dump->names, scratch);
    for (uint32_t i = target->order_count; i > 0; i--) {
        NodeId id = target->order[i - 1];
        NodeId partner = graph_find(golden, golden_name[target->nodes[id].name]);
        if (partner == NODE_NONE || golden_name[target->nodes[id].name] == NAME_NONE)
            continue;
        NodeId parent = target->nodes[id].parent, above = golden->nodes[partner].parent;
        bool same = parent == NODE_NONE ? above == NODE_NONE
                                        : above != NODE_NONE && out->golden_of[parent] == above;
        if (!same)
            continue;
        out->golden_of[id] = partner;
        out->target_of[partner] = id;
    }
}

// ---- micro steps of golden

static uint32_t last_number(Str name)
{
    size_t dot = str_rfind_char(name, '.');
    uint64_t number = 0;
    if (dot == SIZE_MAX || !str_to_uint64(str_slice(name, dot + 1, name.size), &number))
        return 0;
    return number > UINT32_MAX ? 0 : (uint32_t)number;
}

// Children of the root take the number of their partner, else the last part of their own id; what
// is below inherits.
static void number_golden(const Graph *golden, const Graph *target, MsprobeNodes *out)
{
    for (uint32_t i = golden->order_count; i > 0; i--) {
        NodeId id = golden->order[i - 1];
        const Node *node = &golden->nodes[id];
        if (node->parent == NODE_NONE)
            continue;
        if (node->parent != 0)
            out->golden_micro_step[id] = out->golden_micro_step[node->parent];
        else if (out->target_of[id] != NODE_NONE)
            out->golden_micro_step[id] = target->nodes[out->target_of[id]].micro_step;
        else
            out->golden_micro_step[id] = last_number(names_text(golden->dump->names, node->name));
    }
}

// ---- items of a node

// In msProbe's maps an item with the name of an earlier one takes its place. That happens with
// gradients, whose list index is not part of the name.
static uint32_t without_repeats(const Dump *dump, uint32_t *items, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Slot *slot = &dump->slots[items[i]];
        const Slot *last = kept ? &dump->slots[items[kept - 1]] : NULL;
        bool repeat = last && last->path == slot->path && last->group == slot->group &&
                      last->data_name == slot->data_name;
        items[repeat ? kept - 1 : kept++] = items[i];
    }
    return kept;
}

static uint32_t items_of(const Dump *dump, uint32_t op, uint32_t **items, size_t *capacity,
                         Arena *arena)
{
    if (op == OP_NONE)
        return 0;
    uint32_t count = dump->ops[op].slot_count;
    if (count > *capacity) {
        *capacity = (size_t)count * 2;
        *items = ARENA_ARRAY(arena, uint32_t, *capacity);
    }
    msprobe_slot_order(dump, &dump->ops[op], *items);
    return without_repeats(dump, *items, count);
}

// Inputs and keywords are one class for pairing, the others one each.
static int item_class(const Dump *dump, uint32_t slot)
{
    SlotGroup group = (SlotGroup)dump->slots[slot].group;
    return group == GROUP_KWARGS ? GROUP_INPUT : (int)group;
}

// ---- verdict

static bool dtype_may_differ(NodeJudge *judge, uint32_t golden_op, const Slot *golden)
{
    const Dump *dump = judge->golden->dump;
    Str name = row_name(dump, &dump->ops[golden_op], golden, &judge->name);
    return str_find(name, STR("qkv"), 0) != SIZE_MAX ||
           str_find(name, STR("gate_up"), 0) != SIZE_MAX;
}

// The golden fields of a surplus item are the text "Nan": unequal to everything, and not finite.
static void facts_of_surplus(const Slot *target, MsprobeFacts *facts)
{
    facts->nonfinite = false;
    facts->dtype = facts->shape = true;
    facts->requires_grad = target->requires_grad != TRI_ABSENT;
    facts->norm_relative = (MsprobeCell){.kind = MSPROBE_NA};
}

static MsprobeFacts facts_of(NodeJudge *judge, uint32_t golden_op, uint32_t golden, uint32_t target)
{
    const Slot *n = &judge->target->dump->slots[target];
    const Slot *b = golden == SLOT_NONE ? NULL : &judge->golden->dump->slots[golden];
    MsprobeFacts facts = {.output = false};
    if (judge->mode == MODE_CHECKSUM) {
        facts.checksum = msprobe_compare_checksums(&judge->sides, b, n);
        return facts;
    }
    msprobe_facts_statistics(&judge->sides, b, n, MSPROBE_FORMULA_8, &facts);
    if (!b) {
        facts_of_surplus(n, &facts);
        return facts;
    }
    facts.requires_grad =
        facts.requires_grad && n->requires_grad != TRI_ABSENT && b->requires_grad != TRI_ABSENT;
    facts.dtype = facts.dtype && !dtype_may_differ(judge, golden_op, b);
    facts.shape = facts.shape && !judge->merged;
    const MsprobeMetrics *metrics =
        judge->metrics ? judge->metrics->of(judge->metrics->context, golden, target) : NULL;
    if (metrics) {
        facts.cosine = metrics->cells[ELEMENT_COSINE];
        facts.thousandths = metrics->cells[ELEMENT_THOUSANDTH];
    }
    return facts;
}

static void reserve_facts(NodeJudge *judge, size_t capacity)
{
    judge->facts = ARENA_ARRAY(judge->arena, MsprobeFacts, capacity);
    judge->hits = ARENA_ARRAY(judge->arena, uint32_t, capacity);
}

static uint32_t target_items(NodeJudge *judge, uint32_t op)
{
    size_t before = judge->target_capacity;
    uint32_t count = items_of(judge->target->dump, op, &judge->target_items,
                              &judge->target_capacity, judge->arena);
    if (judge->target_capacity != before)
        reserve_facts(judge, judge->target_capacity);
    return count;
}

// Where each class begins among golden's items, and where the last one ends.
static void class_bounds(const Dump *dump, const uint32_t *items, uint32_t count,
                         uint32_t first[GROUP_COUNT], uint32_t end[GROUP_COUNT])
{
    memset(first, 0, GROUP_COUNT * sizeof *first);
    memset(end, 0, GROUP_COUNT * sizeof *end);
    for (uint32_t i = 0; i < count; i++) {
        int class = item_class(dump, items[i]);
        if (end[class] == 0)
            first[class] = i;
        end[class] = i + 1;
    }
}

// Pairs the items by position within each class and gathers what the rules look at; golden's
// surplus is ignored.
static MsprobeExempt gather_facts(NodeJudge *judge, uint32_t op, uint32_t count, uint32_t golden_op)
{
    const Dump *target = judge->target->dump, *golden = judge->golden->dump;
    uint32_t golden_count =
        items_of(golden, golden_op, &judge->golden_items, &judge->golden_capacity, judge->arena);
    uint32_t next[GROUP_COUNT], end[GROUP_COUNT];
    class_bounds(golden, judge->golden_items, golden_count, next, end);
    MsprobeExempt exempt = EXEMPT_NOTHING;
    bool seen_input = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = judge->target_items[i];
        int class = item_class(target, slot);
        uint32_t partner =
            next[class] < end[class] ? judge->golden_items[next[class]++] : SLOT_NONE;
        judge->facts[i] = facts_of(judge, golden_op, partner, slot);
        Str name = row_name(target, &target->ops[op], &target->slots[slot], &judge->name);
        judge->facts[i].output = str_find(name, STR(".output."), 0) != SIZE_MAX;
        if (!judge->facts[i].output && !seen_input)
            exempt = msprobe_exempt(name);
        seen_input = seen_input || !judge->facts[i].output;
    }
    return exempt;
}

static double index_of(Status status)
{
    return status == STATUS_ERROR ? 1 : status == STATUS_WARNING ? 0.5 : 0;
}

// APIs that make memory and leave it as it was. In checksum mode they show 1, a relic of releases
// where 1 meant equal.
static bool makes_unset_memory(Str name)
{
    Str part = {NULL, 0};
    str_split(&name, '.', &part);
    if (!str_split(&name, '.', &part))
        return false;
    return STR_IN(part, "empty", "empty_like", "empty_with_format", "new_empty",
                  "new_empty_strided", "empty_strided");
}

static void judge_node(NodeJudge *judge, NodeId id)
{
    const Node *node = &judge->target->nodes[id];
    NodeId partner = judge->out->golden_of[id];
    if (partner == NODE_NONE) {
        judge->out->status[id] = STATUS_UNMATCHED;
        return;
    }
    uint32_t count = target_items(judge, node->op);
    if (count == 0)
        return;
    MsprobeExempt exempt = gather_facts(judge, node->op, count, judge->golden->nodes[partner].op);
    msprobe_judge(judge->facts, count, judge->mode, exempt, judge->hits);
    Status worst = STATUS_PASS;
    for (uint32_t i = 0; i < count; i++) {
        Status status = msprobe_status(judge->hits[i]);
        worst = status > worst ? status : worst;
    }
    judge->out->status[id] = (uint8_t)worst;
    judge->out->precision_index[id] = index_of(worst);
    if (makes_unset_memory(names_text(judge->target->dump->names, node->name)))
        judge->out->precision_index[id] = judge->mode == MODE_CHECKSUM ? 1 : 0;
}

// A group at the root shows the worst of its APIs, whether it has a partner or not; of merged ranks
// first the groups in it. In tensor mode msProbe sums up too early and shows 0.
static void sum_up_groups(const Graph *target, CompareMode mode, MsprobeNodes *out)
{
    for (uint32_t i = 0; i < target->order_count; i++) {
        const Node *group = &target->nodes[target->order[i]];
        if (group->type != NODE_GROUP)
            continue;
        double worst = 0;
        NodeId child = group->first_child;
        for (; child != NODE_NONE && mode != MODE_TENSOR; child = target->nodes[child].next)
            if (out->precision_index[child] > worst)
                worst = out->precision_index[child];
        out->precision_index[target->order[i]] = worst;
    }
}

void msprobe_nodes_compare(const Graph *golden, const Graph *target, CompareMode mode,
                           const MatchOptions *options, const MsprobeMetricsSource *metrics,
                           Arena *arena, MsprobeNodes *out)
{
    *out = (MsprobeNodes){
        .golden_of = array_of_none(arena, target->count),
        .target_of = array_of_none(arena, golden->count),
        .precision_index = ARENA_ARRAY(arena, double, (size_t)target->count + 1),
        .status = ARENA_ARRAY(arena, uint8_t, (size_t)target->count + 1),
        .golden_micro_step = ARENA_ARRAY(arena, uint32_t, (size_t)golden->count + 1),
    };
    for (uint32_t i = 0; i < target->count; i++)
        out->precision_index[i] = (double)NAN;
    Arena *scratch = arena_new();
    NodeMatch nodes;
    if (match_msprobe_nodes(golden, target, options, arena, &nodes)) {
        out->golden_of = nodes.golden_of;
        out->target_of = nodes.target_of;
    } else {
        match_exactly(golden, target, scratch, out);
    }
    number_golden(golden, target, out);
    NodeJudge judge = {.golden = golden,
                       .target = target,
                       .mode = mode,
                       .merged = golden->dump->merged || target->dump->merged,
                       .metrics = metrics,
                       .out = out,
                       .arena = scratch};
    judge.sides = (MsprobeSides){
        .golden = golden->dump,
        .target = target->dump,
        .to_target = names_translate(golden->dump->names, target->dump->names, scratch)};
    judge.name = strbuf_new(scratch);
    for (uint32_t i = 0; i < target->order_count && mode != MODE_STRUCTURE; i++)
        judge_node(&judge, target->order[i]);
    if (mode != MODE_STRUCTURE)
        sum_up_groups(target, mode, out);
    arena_release(scratch);
}

static bool shows_checksum(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot->checksum == NAME_NONE)
            continue;
        Str path = names_text(dump->names, slot->path);
        size_t dot = str_find_char(path, '.', 0);
        bool shallow = dot == SIZE_MAX || str_find_char(path, '.', dot + 1) == SIZE_MAX;
        if (slot->group == GROUP_GRADS ||
            (shallow && (slot->group == GROUP_INPUT || slot->group == GROUP_OUTPUT)))
            return true;
    }
    return false;
}

CompareMode msprobe_graph_mode(const Dump *golden, const Dump *target)
{
    if (str_equal(target->task, STR("structure")))
        return MODE_STRUCTURE;
    if (str_equal(target->task, STR("tensor")))
        return MODE_TENSOR;
    return shows_checksum(target) && shows_checksum(golden) ? MODE_CHECKSUM : MODE_STATISTICS;
}
