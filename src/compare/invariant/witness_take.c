// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/witness_take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "compare/invariant/witness_comm.h"
#include "compare/invariant/witness_local.h"
#include "compare/invariant/witness_param.h"
#include "compare/judge/recorded.h"
#include "read/dump/op_name.h"

enum { TABLE_BITS_MIN = 6 };

// The lowest bits of a mark: an op gave the value; it is in out->data, of a call that trains.
#define MARK_GIVEN   1U
#define MARK_TRAINED 2U
#define MARK_SIGNS   ((uint64_t)(MARK_GIVEN | MARK_TRAINED))

typedef struct Taking {
    const Dump *dump;
    RankWitness *out;
    Weighing *weights;
    uint64_t *elements;  // by shape, + 1
    uint64_t *table;     // marks of what calls gave and data were: open addressing, 0 is free
    uint64_t mask;
    bool *trains;       // by op: its outputs take part in what the dump trains
    uint32_t *numbers;  // by stem of the calls that train: how many there were
    size_t stems;
    Names *names;  // of stems
    bool *given;   // of the slots of a call
    size_t given_room;
    bool any_comm, any_chance;  // a communication came, or a dropout that trains
} Taking;

static const Slot *slot_of(const Taking *taking, const Op *op, uint32_t i)
{
    return &taking->dump->slots[op->first_slot + i];
}

// ---- what was given before

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value;
    hash *= 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 29;
}

// Of Max and Min alone: views change the shape, and the order of sums with it. 0: not told, or NaN,
// which equals nothing.
static uint64_t mark_of(const Slot *slot)
{
    uint64_t hash = 0x2545F4914F6CDD1DU;
    double value;
    if (slot->checksum != NAME_NONE)
        return mix(hash, slot->checksum) | (MARK_SIGNS + 1);
    for (int i = STAT_MAX; i <= STAT_MIN; i++) {
        uint64_t bits = 0;
        if (!slot_stat(slot, (Stat)i, &value) || isnan(value))
            return 0;
        memcpy(&bits, &value, sizeof bits);
        hash = mix(hash, bits);
    }
    return hash | (MARK_SIGNS + 1);
}

// The place of a mark, or a free one.
static uint64_t *table_at(const Taking *taking, uint64_t mark)
{
    uint64_t at = mark >> 7 & taking->mask;
    while (taking->table[at] && (taking->table[at] ^ mark) & ~MARK_SIGNS)
        at = (at + 1) & taking->mask;
    return &taking->table[at];
}

static void table_add(Taking *taking, uint64_t mark, uint64_t sign)
{
    uint64_t *at = table_at(taking, mark);
    *at = (mark & ~MARK_SIGNS) | (*at & MARK_SIGNS) | sign;
}

// That of a tensor of as many elements: a mask has the ends of a softmax, an embedding those of its
// weight.
static uint64_t sized_mark(const Taking *taking, const Slot *slot)
{
    uint64_t mark = slot->kind == SLOT_TENSOR ? mark_of(slot) : 0;
    uint64_t *known = &taking->elements[slot->shape];
    if (mark && *known == 0)
        *known = shape_elements(names_text(taking->dump->names, slot->shape)) + 1;
    return mark ? mix(mark, *known) | (MARK_SIGNS + 1) : 0;
}

static void table_init(Taking *taking, Arena *scratch)
{
    int bits = TABLE_BITS_MIN;
    while (bits < 40 && (1ULL << bits) < 3 * (uint64_t)taking->dump->slot_count)
        bits++;
    taking->mask = (1ULL << bits) - 1;
    taking->table = ARENA_ARRAY(scratch, uint64_t, (size_t)taking->mask + 1);
}

// ---- calls that train

static bool is_taken(const Slot *slot)
{
    return slot->kind == SLOT_TENSOR && (slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS);
}

// Whether an output of the call requires a gradient, or goes into a later call that trains. No
// earlier call is asked for its outputs then.
static bool leads_on(const Taking *taking, const Op *op)
{
    bool leads = false;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        uint64_t mark =
            slot->group == GROUP_OUTPUT && slot->kind == SLOT_TENSOR ? mark_of(slot) : 0;
        uint64_t *at = mark ? table_at(taking, mark) : NULL;
        leads = leads || (slot->group == GROUP_OUTPUT && slot->requires_grad == TRI_TRUE) ||
                (at && *at & MARK_TRAINED);
        if (at && *at)
            *at &= ~(uint64_t)MARK_TRAINED;
    }
    return leads;
}

// What gives a value that requires a gradient, or that goes into such a call, trains; what a
// dump evaluates besides does not. All does where nothing requires a gradient.
static void find_training(Taking *taking, Arena *scratch)
{
    bool any = false;
    taking->trains = ARENA_ARRAY(scratch, bool, taking->dump->op_count);
    for (uint32_t i = taking->dump->op_count; i-- > 0;) {
        const Op *op = &taking->dump->ops[i];
        if (op->direction != DIR_FORWARD || op->kind == OP_GRADS || !leads_on(taking, op))
            continue;
        any = taking->trains[i] = true;
        for (uint32_t k = 0; k < op->slot_count; k++) {
            const Slot *slot = slot_of(taking, op, k);
            bool way = is_taken(slot) && slot->requires_grad != TRI_TRUE;
            uint64_t mark = way ? sized_mark(taking, slot) : 0;
            if (mark)
                table_add(taking, mark, MARK_TRAINED);
        }
    }
    if (!any)
        memset(taking->trains, true, taking->dump->op_count);
    memset(taking->table, 0, ((size_t)taking->mask + 1) * sizeof *taking->table);
}

// How many calls of its name trained, this one with them; 0: it does not train.
static uint32_t training_number(Taking *taking, uint32_t op, const OpName *name)
{
    NameId id = taking->trains[op] ? names_add(taking->names, name->stem) : NAME_NONE;
    return id == NAME_NONE
               ? 0
               : ++ARRAY_REACH(names_arena(taking->names), taking->numbers, taking->stems, id)[id];
}

// ---- forward calls

static bool has_any(Str text, const char *const *parts)
{
    for (; *parts; parts++)
        if (str_find(text, str_of(*parts), 0) != SIZE_MAX)
            return true;
    return false;
}

// Embeddings and losses get tokens and labels; counts of an expert's tokens are its own.
static bool takes_tokens(const OpName *name)
{
    static const char *const classes[] = {"Embed", "Loss", "Entropy", NULL};
    return has_any(name->type_name, classes);
}

// A tensor that has elements, and of which nothing is known.
static bool is_blank(const Taking *taking, const Slot *slot)
{
    return slot->kind == SLOT_TENSOR && mark_of(slot) == 0 &&
           shape_elements(names_text(taking->dump->names, slot->shape)) > 0;
}

static void take_data(Taking *taking, uint32_t index, const OpName *name)
{
    RankWitness *out = taking->out;
    const Op *op = &taking->dump->ops[index];
    uint32_t number = training_number(taking, index, name);
    uint64_t sign = number ? MARK_TRAINED : 0;
    // What clipping and optimizers work on is no data.
    bool late = out->has_backward && op->kind == OP_API;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        uint64_t mark = is_taken(slot) && !late ? mark_of(slot) : 0;
        if (!is_taken(slot) || late)
            continue;
        uint64_t before = mark ? *table_at(taking, mark) : 0;
        bool data = slot->requires_grad != TRI_TRUE && !(before & MARK_GIVEN);
        if (!out->begins_told)
            out->begins_with_data = data;
        out->begins_told = true;
        out->blind = out->blind || (is_blank(taking, slot) && number);
        if (!data || mark == 0 || (before && (before & MARK_TRAINED || !sign)))
            continue;
        table_add(taking, mark, sign);
        DataSeen *new = ARRAY_ADD(out->arena, out->data, out->data_count, out->data_capacity);
        new->op = str_copy(out->arena, names_text(taking->dump->names, op->name));
        new->slot = str_copy(out->arena, names_text(taking->dump->names, slot->path));
        new->stem = str_copy(out->arena, name->stem);
        new->number = number;
        new->module = op->kind == OP_MODULE;
        new->tokens = takes_tokens(name);
        tensor_seen_read(taking->dump, slot, taking->out->rounding, out->arena, &new->value);
    }
}

static void take_outputs(Taking *taking, uint32_t index)
{
    RankWitness *out = taking->out;
    const Op *op = &taking->dump->ops[index];
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        uint64_t mark = slot->kind == SLOT_TENSOR ? mark_of(slot) : 0;
        double norm = 0;
        out->trains =
            out->trains || (slot->group == GROUP_OUTPUT && slot->requires_grad == TRI_TRUE);
        out->blind = out->blind || (is_blank(taking, slot) && slot->group == GROUP_OUTPUT &&
                                    taking->trains[index] && !out->has_backward);
        if (mark && (slot->group == GROUP_OUTPUT || slot->group == GROUP_PARAMETERS))
            table_add(taking, mark, MARK_GIVEN);
        if (mark && slot->group == GROUP_OUTPUT)
            table_add(taking, sized_mark(taking, slot), MARK_GIVEN);
        if (!mark || slot->group != GROUP_OUTPUT || out->has_backward || taking->any_comm ||
            taking->any_chance || !taking->trains[index] || !slot_stat(slot, STAT_NORM, &norm) ||
            isnan(norm))
            continue;
        uint64_t bits;
        memcpy(&bits, &norm, sizeof bits);
        out->forward_hash = mix(mix(out->forward_hash, mark), bits);
        out->forward_values++;
    }
}

// Whether the dtype of its result is of interest: norms, softmax, losses.
static bool has_telling_dtype(const OpName *name)
{
    static const char *const parts[] = {"norm",          "Norm",         "softmax", "Softmax",
                                        "cross_entropy", "CrossEntropy", "Loss",    NULL};
    return has_any(name->type_name, parts);
}

// Norms over heads see the heads of their rank: of an API what goes in has a dimension for them.
static bool is_whole_norm(const OpName *name)
{
    Str is = name->type_name;
    bool norm = str_ends(is, STR("LayerNorm")) || str_ends(is, STR("RMSNorm")) ||
                str_ends(is, STR("layer_norm")) || str_ends(is, STR("rms_norm"));
    return norm && str_find(is, STR("Gated"), 0) == SIZE_MAX && !witness_head_norm(name) &&
           !witness_is_expert(name->path);
}

// Its number in norms; 0: it is not told.
static size_t norm_input(Taking *taking, const Op *op)
{
    enum { HIDDEN_LAST = 3 };
    RankWitness *out = taking->out;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        if (slot->kind != SLOT_TENSOR ||
            !str_equal(names_text(taking->dump->names, slot->path), STR("input.0")) ||
            (op->kind == OP_API &&
             shape_dimensions(names_text(taking->dump->names, slot->shape)) > HIDDEN_LAST))
            continue;
        tensor_seen_read(taking->dump, slot, out->rounding, out->arena,
                         ARRAY_ADD(out->arena, out->norms, out->norm_count, out->norm_capacity));
        return out->norm_count;
    }
    return 0;
}

// `text`: the op, a text of the witness. Of a backward call only what arrives at a norm is kept.
static void take_dtype(Taking *taking, const Op *op, const OpName *name, Str text)
{
    RankWitness *out = taking->out;
    DtypeSeen it = {.op = text, .norm = is_whole_norm(name) ? norm_input(taking, op) : 0};
    bool told = op->direction == DIR_BACKWARD && it.norm;
    for (uint32_t i = 0; !told && op->direction == DIR_FORWARD && i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        told = slot->group == GROUP_OUTPUT && slot->kind == SLOT_TENSOR;
        if (told)
            it.dtype = str_copy(out->arena, names_text(taking->dump->names, slot->dtype));
    }
    if (told)
        *ARRAY_ADD(out->arena, out->dtypes, out->dtype_count, out->dtype_capacity) = it;
}

static void take_weights(Taking *taking, uint32_t index, const OpName *name)
{
    const Op *op = &taking->dump->ops[index];
    if (op->kind == OP_MODULE) {
        weighing_module(taking->weights, op, name);
        return;
    }
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        uint64_t mark = sized_mark(taking, slot);
        ARRAY_REACH(names_arena(taking->names), taking->given, taking->given_room, i)
        [i] = mark && *table_at(taking, mark) & MARK_GIVEN;
    }
    weighing_call(taking->weights, index, name, taking->given);
}

static void take_forward(Taking *taking, uint32_t index, const OpName *name)
{
    RankWitness *out = taking->out;
    const Op *op = &taking->dump->ops[index];
    Str text = names_text(taking->dump->names, op->name);
    bool comm = comm_is_call(text);
    if (comm) {
        witness_comm(taking->dump, index, out->rank, !out->has_backward, out);
        taking->any_comm = true;
    } else {
        if (op->kind == OP_API && str_ends(name->type_name, STR("_")))
            witness_comm_use(taking->dump, index, out);
        out->has_calls = out->has_calls || op->kind == OP_API;
        take_data(taking, index, name);
        take_weights(taking, index, name);
    }
    taking->any_chance = taking->any_chance || (taking->trains[index] && !out->has_backward &&
                                                str_find(name->stem, STR("ropout"), 0) != SIZE_MAX);
    take_outputs(taking, index);
    bool module = op->kind == OP_MODULE, dtype = has_telling_dtype(name);
    text = module || dtype ? str_copy(out->arena, text) : text;
    // Shared experts get every token.
    if (module && (!witness_is_expert(name->path) ||
                   str_find(name->path, STR("shared_expert"), 0) != SIZE_MAX))
        *ARRAY_ADD(out->arena, out->modules, out->module_count, out->module_capacity) = text;
    if (dtype)
        take_dtype(taking, op, name, text);
}

static void take_backward(Taking *taking, uint32_t index, const OpName *name)
{
    const Op *op = &taking->dump->ops[index];
    taking->out->has_backward = true;
    weighing_backward(taking->weights, index, name);
    if (is_whole_norm(name))
        take_dtype(taking, op, name,
                   str_copy(taking->out->arena, names_text(taking->dump->names, op->name)));
}

void witness_take(const Dump *dump, const Graph *graph, int64_t rank, Arena *arena,
                  RankWitness *out)
{
    Arena *scratch = arena_new();
    Taking taking = {.dump = dump, .out = out, .names = names_new(scratch)};
    Recorded recorded;
    recorded_collect(dump, scratch, &recorded);
    out->rounding = recorded.rounding;
    out->adds_grads = dump->adds_grads;
    out->arena = arena;
    out->rank = rank;
    taking.weights = weighing_new(dump, out, scratch);
    taking.elements = ARENA_ARRAY(scratch, uint64_t, names_count(dump->names) + 1);
    table_init(&taking, scratch);
    find_training(&taking, scratch);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        OpName name = op_name_of(dump->names, dump->ops[i].name);
        if (dump->ops[i].kind == OP_GRADS)
            weighing_gradients(taking.weights, &dump->ops[i], &name);
        else if (dump->ops[i].direction == DIR_BACKWARD)
            take_backward(&taking, i, &name);
        else if (dump->ops[i].direction == DIR_FORWARD)
            take_forward(&taking, i, &name);
    }
    weighing_end(taking.weights);
    witness_comm_gradients(out);
    witness_local(dump, graph, out);
    arena_release(scratch);
}
