// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/witness_take.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "compare/invariant/witness_look.h"
#include "model/graph/graph.h"

typedef struct Taking {
    Looking *look;
    const Dump *dump;
    RankWitness *out;
    Weighing *weights;
    uint8_t *data;      // by first slot of a value: AS_DATA if it is in out->data
    bool *trains;       // by op: its outputs take part in what the dump trains
    uint32_t *numbers;  // by stem of the calls that train: how many there were
    size_t stems;
    Names *names;               // of stems
    Str begins;                 // stem of the first forward call
    bool anew;                  // a further micro batch began
    bool any_comm, any_chance;  // a communication came, or a dropout that trains
} Taking;

enum { AS_DATA = 1, AS_TRAINED = 2 };  // of a call that trains

static const Slot *slot_of(const Taking *taking, const Op *op, uint32_t i)
{
    return &taking->dump->slots[op->first_slot + i];
}

// Whether a value is recorded of the tensor that equals itself.
static bool is_told(const Taking *taking, const Slot *slot)
{
    double value;
    if (taking->look->flow->same[slot - taking->dump->slots] == SLOT_NONE)
        return false;
    for (int i = STAT_MAX; i <= STAT_MIN; i++)
        if (slot_stat(slot, (Stat)i, &value) && isnan(value))
            return false;
    return true;
}

// ---- calls that train

static bool is_taken(const Slot *slot)
{
    return slot->kind == SLOT_TENSOR && (slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS);
}

// What gives a value that requires a gradient, or that goes into such a call, trains; what a
// dump evaluates besides does not. All does where nothing requires a gradient.
static void find_training(Taking *taking)
{
    bool any = false;
    const Flow *flow = taking->look->flow;
    taking->trains = ARENA_ARRAY(taking->look->scratch, bool, taking->dump->op_count);
    for (uint32_t i = taking->dump->op_count; i-- > 0;) {
        const Op *op = &taking->dump->ops[i];
        if (op->direction != DIR_FORWARD || op->kind == OP_GRADS ||
            (!taking->trains[i] && !look_needs_gradient(taking->look, op)))
            continue;
        any = taking->trains[i] = true;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (is_taken(&taking->dump->slots[k]) && flow->producer[k] != SLOT_NONE)
                taking->trains[dump_op_with(taking->dump, flow->producer[k]) - taking->dump->ops] =
                    true;
    }
    if (!any)
        memset(taking->trains, true, taking->dump->op_count);
}

// How many calls of its name trained, this one with them; 0: it does not train.
static uint32_t training_number(Taking *taking, uint32_t op)
{
    if (!taking->trains[op])
        return 0;
    NameId id = names_add(taking->names, taking->look->names[op].stem);
    return ++ARRAY_REACH(taking->look->scratch, taking->numbers, taking->stems, id)[id];
}

// ---- forward calls

// Embeddings and losses get tokens and labels; counts of an expert's tokens are its own.
static bool takes_tokens(const OpName *name)
{
    static const char *const classes[] = {"Embed", "Loss", "Entropy", NULL};
    return look_has_any(name->type_name, classes);
}

// A tensor that has elements, and of which nothing is known.
static bool is_blank(const Taking *taking, const Slot *slot)
{
    return slot->kind == SLOT_TENSOR && taking->look->elements[slot->shape] > 0 &&
           !is_told(taking, slot);
}

// Integers that an embedding or a loss takes, whatever call cut or drew them; no positions, which
// count up.
static bool is_tokens(const Taking *taking, const Slot *slot, unsigned traits)
{
    Str shape = names_text(taking->dump->names, slot->shape);
    uint64_t count = taking->look->elements[slot->shape];
    double most, least;
    if (!(traits & (OP_EMBEDS | OP_LOSS)) || count < 2 ||
        flow_precision(taking->look->flow, slot) != PRECISION_EXACT ||
        !slot_stat(slot, STAT_MAX, &most) || !slot_stat(slot, STAT_MIN, &least))
        return false;
    return most - least + 1 != (double)count &&
           most - least + 1 != (double)look_dimension(shape, -1);
}

// What the first forward call begins with, whether it needs a gradient or not, and whether another
// of its name begins anew: with a further micro batch.
static void note_begin(Taking *taking, const Op *op, Str stem)
{
    const Slot *slot = look_slot(taking->look, op, "input.0");
    taking->begins = taking->begins.size ? taking->begins : stem;
    if (!slot || slot->kind != SLOT_TENSOR || !str_equal(taking->begins, stem) ||
        taking->look->flow->producer[slot - taking->dump->slots] != SLOT_NONE)
        return;
    taking->anew = taking->out->begins.elements > 0;
    if (!taking->anew)
        look_read(taking->look, slot, &taking->out->begins);
}

// What no op gave, no weight, once: of a call that trains, if one takes it.
static void take_data(Taking *taking, uint32_t index)
{
    RankWitness *out = taking->out;
    const Flow *flow = taking->look->flow;
    const OpName *name = &taking->look->names[index];
    const Op *op = &taking->dump->ops[index];
    uint32_t number = training_number(taking, index);
    // What clipping and optimizers work on is no data.
    bool late = out->has_backward && op->kind == OP_API;
    note_begin(taking, op, name->stem);
    for (uint32_t k = op->first_slot; !late && k < op->first_slot + op->slot_count; k++) {
        const Slot *slot = &taking->dump->slots[k];
        if (!is_taken(slot))
            continue;
        bool data = slot->requires_grad != TRI_TRUE && flow->source[k] != SOURCE_PARAMETER &&
                    (flow->producer[k] == SLOT_NONE ||
                     is_tokens(taking, slot, taking->look->traits[index]));
        if (!out->begins_told)
            out->begins_with_data = data;
        out->begins_told = true;
        out->blind = out->blind || (number && is_blank(taking, slot));
        if (!data || !is_told(taking, slot))
            continue;
        uint8_t *before = &taking->data[flow->same[k]];
        if (*before & AS_TRAINED || (*before && !number))
            continue;
        *before = number ? AS_TRAINED : AS_DATA;
        DataSeen *new = ARRAY_ADD(out->arena, out->data, out->data_count, out->data_capacity);
        *new = (DataSeen){.op = names_text(taking->dump->names, op->name),
                          .slot = names_text(taking->dump->names, slot->path),
                          .stem = name->stem,
                          .number = number,
                          .module = op->kind == OP_MODULE,
                          .tokens = takes_tokens(name)};
        look_read(taking->look, slot, &new->value);
    }
}

static uint64_t mix(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 29;
}

static void take_outputs(Taking *taking, uint32_t index)
{
    RankWitness *out = taking->out;
    const Op *op = &taking->dump->ops[index];
    bool begins = !out->has_backward && taking->trains[index] &&
                  !(taking->look->traits[index] & API_UNDEFINED);
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        double stats[STAT_COUNT] = {0};
        Str checksum = names_text(taking->dump->names, slot->checksum);
        if (slot->group != GROUP_OUTPUT)
            continue;
        out->trains = out->trains || slot->requires_grad == TRI_TRUE;
        out->blind = out->blind || (begins && is_blank(taking, slot));
        if (!begins || taking->any_comm || taking->any_chance || slot->kind != SLOT_TENSOR ||
            !is_told(taking, slot) ||
            (!slot_stat(slot, STAT_NORM, &stats[STAT_NORM]) && !checksum.size) ||
            isnan(stats[STAT_NORM]))
            continue;
        for (int k = STAT_MAX; k <= STAT_MIN; k++)
            (void)slot_stat(slot, (Stat)k, &stats[k]);
        out->forward_hash =
            mix(mix(mix(out->forward_hash, stats[STAT_MAX]), stats[STAT_MIN]), stats[STAT_NORM]);
        for (size_t k = 0; k < checksum.size; k++)
            out->forward_hash = mix(out->forward_hash, checksum.data[k]);
        out->forward_values++;
    }
}

// The ratio of two probabilities, of which one is not trained: exp of a difference, which may be
// clamped before.
static bool is_ratio(const Taking *taking, uint32_t index)
{
    enum { STEPS_BACK = 2 };
    const Looking *look = taking->look;
    uint32_t at = (look->traits[index] & OP_CURVE) == OP_EXP ? index : OP_NONE;
    for (int i = 0; at != OP_NONE && i < STEPS_BACK; i++) {
        const Op *op = &taking->dump->ops[at];
        const Slot *one = look_slot(look, op, "input.0"), *other = look_slot(look, op, "input.1");
        if (i && other && one && other->kind == SLOT_TENSOR && other->shape == one->shape)
            return STR_IN(look->names[at].type_name, "sub", "__sub__") &&
                   one->requires_grad == TRI_TRUE && other->requires_grad == TRI_FALSE;
        at = one ? flow_producer_op(look->flow, (uint32_t)(one - taking->dump->slots)) : OP_NONE;
    }
    return false;
}

// Whether the dtype of its result is of interest: norms, softmax, losses.
static bool has_telling_dtype(const OpName *name)
{
    static const char *const parts[] = {"norm",          "Norm",         "softmax", "Softmax",
                                        "cross_entropy", "CrossEntropy", "Loss",    NULL};
    return look_has_any(name->type_name, parts);
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

// Of a backward call only what arrives at a norm is kept.
static void take_dtype(Taking *taking, uint32_t index)
{
    enum { HIDDEN_LAST = 3 };
    RankWitness *out = taking->out;
    const Op *op = &taking->dump->ops[index];
    const Slot *in =
        is_whole_norm(&taking->look->names[index]) ? look_slot(taking->look, op, "input.0") : NULL;
    DtypeSeen it = {.op = names_text(taking->dump->names, op->name)};
    if (in && in->kind == SLOT_TENSOR &&
        (op->kind != OP_API ||
         shape_dimensions(names_text(taking->dump->names, in->shape)) <= HIDDEN_LAST))
        look_read(taking->look, in, it.norm = ARENA_NEW(out->arena, TensorSeen));
    bool told = op->direction == DIR_BACKWARD && it.norm;
    for (uint32_t i = 0; !told && op->direction == DIR_FORWARD && i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        told = slot->group == GROUP_OUTPUT && slot->kind == SLOT_TENSOR;
        if (told)
            it.dtype = names_text(taking->dump->names, slot->dtype);
    }
    if (told)
        *ARRAY_ADD(out->arena, out->dtypes, out->dtype_count, out->dtype_capacity) = it;
}

static void take_forward(Taking *taking, uint32_t index)
{
    RankWitness *out = taking->out;
    const Op *op = &taking->dump->ops[index];
    const OpName *name = &taking->look->names[index];
    Str text = names_text(taking->dump->names, op->name);
    if (comm_is_call(text)) {
        witness_comm(taking->look, op, !out->has_backward);
        taking->any_comm = true;
    } else {
        if (op->kind == OP_API && str_ends(name->type_name, STR("_")))
            witness_comm_use(taking->look, op);
        out->has_calls = out->has_calls || op->kind == OP_API;
        take_data(taking, index);
        weighing_forward(taking->weights, op);
    }
    taking->any_chance = taking->any_chance || (taking->trains[index] && !out->has_backward &&
                                                str_find(name->stem, STR("ropout"), 0) != SIZE_MAX);
    take_outputs(taking, index);
    out->weighs_ratio = out->weighs_ratio || is_ratio(taking, index);
    if (!out->has_backward && !taking->anew && !comm_is_call(text) &&
        !(taking->look->traits[index] & API_UNDEFINED))
        (void)look_first(taking->look, op, GROUP_OUTPUT, &out->gives);
    // Shared experts get every token.
    if (op->kind == OP_MODULE && (!witness_is_expert(name->path) ||
                                  str_find(name->path, STR("shared_expert"), 0) != SIZE_MAX))
        *ARRAY_ADD(out->arena, out->modules, out->module_count, out->module_capacity) = text;
    if (has_telling_dtype(name))
        take_dtype(taking, index);
}

static void take_backward(Taking *taking, uint32_t index)
{
    taking->out->has_backward = true;
    weighing_backward(taking->weights, &taking->dump->ops[index]);
    if (is_whole_norm(&taking->look->names[index]))
        take_dtype(taking, index);
}

void witness_take(const Dump *dump, const GraphSource *graph, Arena *arena, RankWitness *out)
{
    Looking look;
    out->arena = arena;
    out->adds_grads = dump->adds_grads;
    look_begin(dump, out, arena, &look);
    if (look.trail.first.kind != BIRTH_NONE) {
        look.trail = (Trail){.rank = out->rank, .flow = look.flow};
        trail_follow(dump, graph->make(graph->context), arena, &look.trail);
    }
    Taking taking = {.look = &look,
                     .dump = dump,
                     .out = out,
                     .weights = weighing_new(&look),
                     .data = ARENA_ARRAY(arena, uint8_t, dump->slot_count + (size_t)1),
                     .names = names_new(arena)};
    find_training(&taking);
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].kind == OP_GRADS)
            weighing_gradients(taking.weights, &dump->ops[i]);
        else if (dump->ops[i].direction == DIR_BACKWARD)
            take_backward(&taking, i);
        else if (dump->ops[i].direction == DIR_FORWARD)
            take_forward(&taking, i);
    weighing_end(taking.weights);
    witness_comm_gradients(out);
    witness_local(&look);
}
