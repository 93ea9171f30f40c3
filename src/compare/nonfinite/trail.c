// SPDX-License-Identifier: Apache-2.0
#include "compare/nonfinite/trail.h"

#include <math.h>

#include "compare/flow.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

// Steps: 1. every op in the order of the dump gets flags: an input is bad, an output is bad, both
// but for what is healthy. Healthy are infinities that an argument puts there (masked_fill), the
// -Inf of masks and what follows from them, and memory that was never written; what is healthy is
// known again by its extremes. 2. Modules whose children explain them are set aside. 3. The first
// bad op that is left is where the trouble begins; later ones with finite inputs are further
// births.

enum {
    OP_BAD_IN = 1,
    OP_BAD_OUT = 2,
    OP_COMM = 4,
    OP_EXPLAINED = 8,    // a module with a bad op inside
    OP_HARMLESS_IN = 16  // its bad input is infinite only and does no harm here
};

// Extremes of healthy tensors, to know them again after a view or a cast.
typedef struct Healthy {
    double max, min;
    Nonfinite kinds;
    uint32_t op;    // that showed it first
    uint32_t lost;  // op + 1 of the first overflow that looks the same, 0: none
} Healthy;

enum { HEALTHY_KEPT = 4096 };

typedef struct Walk {
    const Dump *dump;
    Trail *trail;
    Arena *scratch;
    uint8_t *flags;    // by op
    Nonfinite *found;  // by op
    Healthy *healthy;
    size_t healthy_count;
    uint32_t *op_of_name;  // by NameId: op + 1
    const Flow *flow;      // NULL until a value that is not finite comes in
    uint32_t at;           // the op looked at: what later ones told is not known yet
    uint32_t mask_lost;    // op + 1 of the first overflow that looks like a mask, 0: none
    bool tainted;
    bool has_apis;
    bool results_alone;  // no forward call has a tensor that goes in
} Walk;

// What one op shows.
typedef struct Look {
    unsigned api;  // of op_traits
    Nonfinite bad_in, healthy_in, arguments, bad_out, healthy_out, unsure_out;
    bool lowest;           // an input holds the lowest number of its dtype
    bool zero_one;         // all float inputs lie in 0 … 1 with both ends
    bool weight;           // a weight is among what is bad
    bool inputs_recorded;  // the dump says of an input whether it is finite
    uint32_t in_slot, out_slot;
    double largest;
} Look;

static bool is_input_group(const Slot *slot)
{
    return slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS ||
           slot->group == GROUP_PARAMETERS;
}

// A cast to bfloat16 moves an end by less: its step is 0.8 %. With a narrower limit a mask that was
// cast is called an overflow; with a wider one an overflow of that size passes for the mask.
#define LOOKS_ALIKE 0.01

static bool near(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b))
        return a == b;
    return fabs(a - b) <= LOOKS_ALIKE * fabs(a);
}

static Healthy extremes_of(const Dump *dump, const Slot *slot)
{
    Healthy out = {.max = (double)NAN, .min = (double)NAN, .kinds = nonfinite_of(dump, slot)};
    nonfinite_stat(dump, slot, STAT_MAX, &out.max);
    nonfinite_stat(dump, slot, STAT_MIN, &out.min);
    return out;
}

static Healthy *find_healthy(const Walk *walk, const Slot *slot)
{
    Healthy seen = extremes_of(walk->dump, slot);
    for (size_t i = walk->healthy_count; i-- > 0;) {
        Healthy *known = &walk->healthy[i];
        if (known->op <= walk->at && (!known->lost || known->lost > walk->at) &&
            known->kinds == seen.kinds && near(known->max, seen.max) && near(known->min, seen.min))
            return known;
    }
    return NULL;
}

static bool is_known_healthy(const Walk *walk, const Slot *slot)
{
    return find_healthy(walk, slot) != NULL;
}

// After an overflow of -Inf that looks like a mask, looks prove nothing any more.
static void forget_masks(Walk *walk, const Slot *slot)
{
    Healthy *known = find_healthy(walk, slot);
    if (known)
        known->lost = walk->at + 1;
    if (!walk->mask_lost && nonfinite_is_mask(walk->dump, slot))
        walk->mask_lost = walk->at + 1;
}

static void remember_healthy(Walk *walk, const Slot *slot)
{
    if (walk->healthy_count == HEALTHY_KEPT || is_known_healthy(walk, slot))
        return;
    Healthy *kept = &walk->healthy[walk->healthy_count++];
    *kept = extremes_of(walk->dump, slot);
    kept->op = walk->at;
}

static bool is_weight(Walk *walk, uint32_t slot)
{
    if (slot == SLOT_NONE)
        return false;
    if (!walk->flow)
        walk->flow = flow_find(walk->dump, walk->scratch);
    return walk->flow->source[slot] == SOURCE_PARAMETER;
}

static bool looks_like_mask(const Walk *walk, const Slot *slot)
{
    bool proves = !walk->mask_lost || walk->mask_lost > walk->at;
    return proves && nonfinite_is_mask(walk->dump, slot);
}

// Before any trouble a tensor with -Inf and nothing worse is a mask, wherever it was made; after
// that only what is known or looks like one. A weight is a mask only if it is 0 elsewhere.
static bool is_healthy_input(const Walk *walk, const Slot *slot, bool weight, Nonfinite found)
{
    if (weight)
        return nonfinite_is_mask(walk->dump, slot) && extremes_of(walk->dump, slot).max == 0;
    if (found == NONFINITE_MINUS && !walk->tainted)
        return true;
    bool constant = str_equal(names_text(walk->dump->names, slot->shape), STR("[]"));
    if (!(found & NONFINITE_NAN) && constant && !walk->tainted)
        return true;
    return looks_like_mask(walk, slot) || is_known_healthy(walk, slot);
}

static void look_at_size(const Walk *walk, const Slot *slot, Look *look)
{
    double max = (double)NAN, min = (double)NAN;
    nonfinite_stat(walk->dump, slot, STAT_MAX, &max);
    nonfinite_stat(walk->dump, slot, STAT_MIN, &min);
    if (isfinite(max))
        look->largest = fmax(look->largest, fabs(max));
    if (isfinite(min))
        look->largest = fmax(look->largest, fabs(min));
    look->lowest = look->lowest || nonfinite_is_lowest(walk->dump, slot);
    look->zero_one = look->zero_one && max == 1 && min == 0;
}

static void look_at_input(Walk *walk, uint32_t index, Look *look)
{
    const Slot *slot = &walk->dump->slots[index];
    Nonfinite found = nonfinite_of(walk->dump, slot);
    look->arguments = (Nonfinite)(look->arguments | nonfinite_of_scalar(walk->dump, slot));
    if (slot->kind != SLOT_TENSOR)
        return;
    look_at_size(walk, slot, look);
    look->inputs_recorded = look->inputs_recorded || nonfinite_told(walk->dump, slot);
    bool first = str_equal(names_text(walk->dump->names, slot->path), STR("input.0"));
    if (!found || (look->api & API_OVERWRITES) || (first && (look->api & API_FIRST_IS_RESULT)))
        return;
    bool weight = is_weight(walk, index);
    if (is_healthy_input(walk, slot, weight, found)) {
        look->healthy_in = (Nonfinite)(look->healthy_in | found);
        return;
    }
    look->weight = look->weight || weight;
    if (!look->bad_in)
        look->in_slot = index;
    look->bad_in = (Nonfinite)(look->bad_in | found);
}

// Modules that make masks: in a dump without APIs their -Inf has no other explanation.
static bool makes_masks(const Walk *walk, const Op *op)
{
    if (op->kind != OP_MODULE || walk->has_apis)
        return false;
    Str class_name = op_name_of(walk->dump->names, op->name).type_name;
    return STR_ANY(class_name, str_has, "mask", "Mask", "alibi", "Alibi", "Bias", "bias");
}

// What an API makes of finite values is no mask for looking like one that is known; a module may
// have made it inside.
static bool is_healthy_output(const Walk *walk, const Op *op, const Look *look, const Slot *slot,
                              Nonfinite found)
{
    if (look->api & API_UNDEFINED)
        return true;
    bool filled = (found & ~look->arguments) == 0 || (found == NONFINITE_MINUS && !look->bad_in);
    if ((look->api & API_FILLS) && filled)
        return true;
    if (found & NONFINITE_NAN)
        return false;
    bool flips = (look->api & API_FLIPS) && look->healthy_in;
    if (!look->bad_in && look->healthy_in && ((found & ~look->healthy_in) == 0 || flips))
        return true;
    bool known = (op->kind != OP_API || look->healthy_in) && is_known_healthy(walk, slot);
    if (found != NONFINITE_MINUS)
        return known;
    bool of_mask = look->zero_one && !isnan(look->largest);  // and something goes in
    return look->lowest || ((look->api & API_LOGARITHM) && of_mask) || makes_masks(walk, op) ||
           known;
}

// Where what goes in is not recorded, -Inf may be that of a mask that was an input.
static bool is_unsure(const Walk *walk, const Op *op, const Look *look, Nonfinite found)
{
    return walk->results_alone && op->direction == DIR_FORWARD && found == NONFINITE_MINUS &&
           !look->bad_in && !walk->tainted;
}

static void look_at_output(Walk *walk, const Op *op, uint32_t index, Look *look)
{
    const Slot *slot = &walk->dump->slots[index];
    Nonfinite found = nonfinite_of(walk->dump, slot);
    if (!found)
        return;
    if (is_healthy_output(walk, op, look, slot, found)) {
        look->healthy_out = (Nonfinite)(look->healthy_out | found);
        remember_healthy(walk, slot);
        return;
    }
    if (is_unsure(walk, op, look, found)) {
        look->unsure_out = found;
        return;
    }
    if (found == NONFINITE_MINUS)
        forget_masks(walk, slot);
    if (!look->bad_out)
        look->out_slot = index;
    look->bad_out = (Nonfinite)(look->bad_out | found);
}

// Gradients and saved variables have no inputs, and where gradients are in the file says nothing
// about when they came.
static bool is_judged(const Op *op)
{
    return op->kind != OP_GRADS;
}

static Look look_at(Walk *walk, uint32_t index)
{
    const Dump *dump = walk->dump;
    const Op *op = &dump->ops[index];
    walk->at = index;
    Look look = {.largest = (double)NAN,
                 .zero_one = true,
                 .api = op_traits(op_name_of(dump->names, op->name).type_name)};
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (is_input_group(&dump->slots[i]))
            look_at_input(walk, i, &look);
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (!is_input_group(&dump->slots[i]))
            look_at_output(walk, op, i, &look);
    bool told =
        look.bad_in || look.bad_out || look.healthy_in || look.healthy_out || look.unsure_out;
    if (!told && op->is_nan == TRI_TRUE) {
        look.bad_out = NONFINITE_NAN;
        look.out_slot = SLOT_NONE;
    }
    // The flag is of the whole op: after an earlier NaN it may have come in.
    if (op->is_nan == TRI_TRUE && !look.bad_in && !look.inputs_recorded && walk->tainted) {
        look.bad_in = NONFINITE_NAN;
        look.in_slot = SLOT_NONE;
    }
    // NaN or Inf given as a number to an API that computes with it.
    if (!(look.api & API_FILLS) && look.bad_out && !look.bad_in && look.arguments) {
        look.bad_in = look.arguments;
        look.in_slot = SLOT_NONE;
        for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
            if (look.in_slot == SLOT_NONE && nonfinite_of_scalar(dump, &dump->slots[i]))
                look.in_slot = i;
    }
    return look;
}

// The values of a communication: what it gave and got, not its buffers.
static Look look_at_calls(Walk *walk, const CommCalls *calls, size_t first)
{
    Look look = look_at(walk, calls->items[first].op);
    look.bad_in = look.bad_out = 0;
    for (size_t i = first; i < calls->count; i++) {
        const CommCall *call = &calls->items[i];
        if (call->gave && !look.bad_in)
            look.in_slot = call->gave_slot;
        if (call->got && !look.bad_out)
            look.out_slot = call->got_slot;
        look.bad_in = (Nonfinite)(look.bad_in | call->gave);
        look.bad_out = (Nonfinite)(look.bad_out | call->got);
    }
    return look;
}

static uint8_t flags_of(const Look *look, bool comm)
{
    unsigned flags = comm ? OP_COMM : 0;
    bool patched = (look->api & API_PATCHES) || !(look->bad_in & NONFINITE_NAN);
    bool harmless = !look->bad_out && patched && !look->weight && !comm;
    if (look->bad_in)
        flags |= harmless ? OP_HARMLESS_IN : OP_BAD_IN;
    if (look->bad_out)
        flags |= OP_BAD_OUT;
    return (uint8_t)flags;
}

static bool is_trouble(uint8_t flags)
{
    return (flags & (OP_BAD_IN | OP_BAD_OUT)) != 0;
}

static void follow_op(Walk *walk, uint32_t index, CommCalls *calls)
{
    const Dump *dump = walk->dump;
    const Op *op = &dump->ops[index];
    Trail *trail = walk->trail;
    Str name = names_text(dump->names, op->name);
    bool comm = op->kind == OP_API && comm_is_call(name);
    size_t before = calls->count;
    if (comm)
        comm_calls_add(dump, index, trail->rank, walk->scratch, calls);
    if (!walk->flags)
        return;
    Look look = comm ? look_at_calls(walk, calls, before) : look_at(walk, index);
    uint8_t flags = flags_of(&look, comm);
    walk->flags[index] = flags;
    walk->found[index] = (Nonfinite)(look.bad_in | look.bad_out);
    bool harmless = (flags & OP_HARMLESS_IN) != 0;
    bool healthy = look.healthy_in || look.healthy_out || harmless;
    bool unsure = look.unsure_out && !is_trouble(flags);
    trail->unsure += unsure;
    trail->healthy += healthy && !unsure && !is_trouble(flags);
    trail->marks[index] = harmless            ? TRAIL_HARMLESS
                          : healthy || unsure ? TRAIL_HEALTHY
                                              : TRAIL_FINE;
    if (!is_trouble(flags))
        return;
    walk->tainted = true;
    bool nan = (walk->found[index] & NONFINITE_NAN) != 0;
    trail->marks[index] = nan ? TRAIL_NAN : TRAIL_INF;
    trail->bad_ops++;
    if (nan && !trail->nan_position) {
        trail->nan_position = index + 1;
        trail->nan_op = name;
    }
}

// Modules with a bad op inside: what they show comes from there. What is above a node that was
// passed is explained already.
static void explain_modules(Walk *walk, const Graph *graph)
{
    const Dump *dump = walk->dump;
    Arena *scratch = arena_new();
    bool *passed = ARENA_ARRAY(scratch, bool, (size_t)graph->count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        NodeId node = is_trouble(walk->flags[i]) ? graph_find(graph, dump->ops[i].name) : NODE_NONE;
        while (node != NODE_NONE && graph->nodes[node].parent != NODE_NONE && !passed[node]) {
            passed[node] = true;
            node = graph->nodes[node].parent;
            uint32_t op = graph->nodes[node].op;
            if (op != OP_NONE)
                walk->flags[op] |= OP_EXPLAINED;
        }
    }
    arena_release(scratch);
}

static Str module_of(const Walk *walk, const Graph *graph, uint32_t index)
{
    const Dump *dump = walk->dump;
    if (dump->ops[index].kind == OP_MODULE)
        return names_text(dump->names, dump->ops[index].name);
    NodeId node = graph ? graph_find(graph, dump->ops[index].name) : NODE_NONE;
    for (; node != NODE_NONE; node = graph->nodes[node].parent)
        if (graph->nodes[node].type == NODE_MODULE && graph->nodes[node].parent != NODE_NONE)
            return names_text(dump->names, graph->nodes[node].name);
    return (Str){"", 0};
}

static void copy_frames(const Graph *graph, NameId op, Arena *arena, Sighting *out)
{
    NodeId node = graph && graph->stacks ? graph_find(graph, op) : NODE_NONE;
    const StackFrames *stack = node == NODE_NONE ? NULL : graph_stack(graph, node);
    if (!stack)
        return;
    out->frame_count = stack->count < STACK_FRAMES_TOLD ? stack->count : STACK_FRAMES_TOLD;
    out->frames = ARENA_ARRAY(arena, Str, out->frame_count);
    for (uint32_t i = 0; i < out->frame_count; i++)
        out->frames[i] = str_copy(arena, stack->frames[i]);
}

static Overflow level_of(const Look *look, BirthKind kind)
{
    if (look->bad_out)
        return look->bad_in && kind != BIRTH_PARAMETER ? OVERFLOW_HIGH : OVERFLOW_CRITICAL;
    return OVERFLOW_MEDIUM;
}

static BirthKind kind_of(Walk *walk, const Look *look, uint8_t flags)
{
    if (!look->bad_in)
        return flags & OP_COMM ? BIRTH_ARRIVAL : BIRTH_OUTPUT;
    return is_weight(walk, look->in_slot) ? BIRTH_PARAMETER : BIRTH_INPUT;
}

// Looks at an op again, as if nothing bad had come before it.
static Sighting sighting_of(Walk *walk, const Graph *graph, uint32_t index, bool first,
                            Arena *arena)
{
    const Dump *dump = walk->dump;
    const Trail *trail = walk->trail;
    size_t own = SIZE_MAX;
    for (size_t i = 0; i < trail->call_count && own == SIZE_MAX; i++)
        own = trail->calls[i].op == index ? i : own;
    walk->tainted = !first;
    CommCalls calls = {.items = trail->calls, .count = trail->call_count};
    while (own != SIZE_MAX && calls.count > own + 1 && calls.items[calls.count - 1].op != index)
        calls.count--;
    Look look = own == SIZE_MAX ? look_at(walk, index) : look_at_calls(walk, &calls, own);
    Sighting out = {.kind = kind_of(walk, &look, walk->flags[index]),
                    .position = index + 1,
                    .op = str_copy(arena, names_text(dump->names, dump->ops[index].name)),
                    .found = look.bad_in ? look.bad_in : look.bad_out,
                    .inputs_finite = !look.bad_in,
                    .inputs_untold = walk->results_alone,
                    .masked = look.healthy_in != 0,
                    .largest = look.largest,
                    .module = str_copy(arena, module_of(walk, graph, index))};
    out.level = level_of(&look, out.kind);
    uint32_t slot = look.bad_in ? look.in_slot : look.out_slot;
    if (slot != SLOT_NONE)
        out.slot = str_copy(arena, names_text(dump->names, dump->slots[slot].path));
    copy_frames(graph, dump->ops[index].name, arena, &out);
    return out;
}

// The forward of a backward op was bad already: its saved tensors explain the gradient.
static bool has_bad_twin(const Walk *walk, uint32_t index)
{
    const Dump *dump = walk->dump;
    if (dump->ops[index].direction != DIR_BACKWARD)
        return false;
    Str name = str_replace(walk->scratch, names_text(dump->names, dump->ops[index].name),
                           STR(".backward"), STR(".forward"));
    NameId twin = names_find(dump->names, name);
    uint32_t op = twin == NAME_NONE ? 0 : walk->op_of_name[twin];
    return op && is_trouble(walk->flags[op - 1]);
}

static void find_births(Walk *walk, const Graph *graph, Arena *arena)
{
    const Dump *dump = walk->dump;
    Trail *trail = walk->trail;
    bool flat = !graph || graph->flat;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        uint8_t flags = walk->flags[i];
        bool born = (flags & (OP_BAD_IN | OP_BAD_OUT)) == OP_BAD_OUT;
        bool first = trail->first.kind == BIRTH_NONE;
        if (!is_trouble(flags) || (flags & OP_EXPLAINED && (born || first)))
            continue;
        if (first) {
            trail->first = sighting_of(walk, graph, i, true, arena);
            continue;
        }
        bool counts = born && !(flags & OP_COMM) && !has_bad_twin(walk, i) &&
                      !(flat && dump->ops[i].kind == OP_MODULE);
        if (counts && trail->later_count < TRAIL_LATER)
            trail->later[trail->later_count++] = sighting_of(walk, graph, i, false, arena);
    }
}

// Gradients count where nothing else of the rank is bad.
static void find_bad_gradient(Walk *walk, const Graph *graph, Arena *arena)
{
    const Dump *dump = walk->dump;
    for (uint32_t i = 0; i < dump->op_count && walk->trail->first.kind == BIRTH_NONE; i++) {
        if (is_judged(&dump->ops[i]))
            continue;
        Look look = look_at(walk, i);
        if (!look.bad_out)
            continue;
        walk->flags[i] = OP_BAD_OUT;
        walk->trail->marks[i] = look.bad_out & NONFINITE_NAN ? TRAIL_NAN : TRAIL_INF;
        walk->trail->bad_ops++;
        walk->trail->first = sighting_of(walk, graph, i, true, arena);
    }
}

static void count_tensors(const Dump *dump, Trail *out)
{
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        bool whole = op->is_nan != TRI_ABSENT;
        out->tensors += whole;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            const Slot *slot = &dump->slots[k];
            bool told = nonfinite_told(dump, slot);
            out->tensors += told;
            out->untold += !told && !whole && slot->kind == SLOT_TENSOR &&
                           shape_elements(names_text(dump->names, slot->shape)) > 0;
        }
    }
}

static bool tells_results_alone(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (op->direction == DIR_FORWARD && dump->slots[k].kind == SLOT_TENSOR &&
                is_input_group(&dump->slots[k]) && dump->slots[k].group != GROUP_PARAMETERS)
                return false;
    }
    return true;
}

static void walk_init(Walk *walk, Arena *arena)
{
    const Dump *dump = walk->dump;
    walk->trail->marks = ARENA_ARRAY(arena, uint8_t, dump->op_count);
    walk->flags = ARENA_ARRAY(walk->scratch, uint8_t, dump->op_count);
    walk->found = ARENA_ARRAY(walk->scratch, Nonfinite, dump->op_count);
    walk->healthy = ARENA_ARRAY(walk->scratch, Healthy, HEALTHY_KEPT);
    walk->results_alone = tells_results_alone(dump);
    walk->op_of_name = ARENA_ARRAY(walk->scratch, uint32_t, names_count(dump->names) + 1);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        walk->op_of_name[dump->ops[i].name] = i + 1;
        walk->has_apis = walk->has_apis || dump->ops[i].kind == OP_API;
    }
}

static void keep_calls(const CommCalls *calls, Arena *arena, Trail *out)
{
    out->calls = ARENA_ARRAY(arena, CommCall, calls->count);
    out->call_count = calls->count;
    for (size_t i = 0; i < calls->count; i++) {
        out->calls[i] = calls->items[i];
        out->calls[i].name = str_copy(arena, calls->items[i].name);
        out->calls[i].channel = str_copy(arena, calls->items[i].channel);
        out->calls[i].ranks = str_copy(arena, calls->items[i].ranks);
    }
}

void trail_follow(const Dump *dump, const Graph *graph, Arena *arena, Trail *out)
{
    Walk walk = {.dump = dump, .trail = out, .flow = out->flow, .scratch = arena_new()};
    CommCalls calls = {0};
    out->op_count = dump->op_count;
    count_tensors(dump, out);
    if (nonfinite_any(dump))
        walk_init(&walk, arena);
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (is_judged(&dump->ops[i]))
            follow_op(&walk, i, &calls);
    keep_calls(&calls, arena, out);
    if (walk.tainted && graph)
        explain_modules(&walk, graph);
    if (walk.tainted)
        find_births(&walk, graph, arena);
    else if (walk.flags)
        find_bad_gradient(&walk, graph, arena);
    out->nan_op = str_copy(arena, out->nan_op);
    arena_release(walk.scratch);
}
