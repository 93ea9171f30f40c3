// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/witness_take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "compare/invariant/witness_comm.h"
#include "compare/invariant/witness_local.h"
#include "compare/judge/recorded.h"
#include "read/dump/op_name.h"

enum { TABLE_BITS_MIN = 6 };

typedef struct Taking {
    const Dump *dump;
    RankWitness *out;
    Names *keys;             // names of parameters and modules
    uint32_t *parameter_of;  // by key: index + 1
    size_t parameter_keys;
    bool *backward_of;  // by key of a module
    size_t backward_keys;
    uint64_t *table;  // marks of what calls gave and data were: open addressing, 0 is free
    uint64_t mask;
    bool any_comm;
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
        return mix(hash, slot->checksum) | 1;
    for (int i = STAT_MAX; i <= STAT_MIN; i++) {
        uint64_t bits = 0;
        if (!slot_stat(slot, (Stat)i, &value) || isnan(value))
            return 0;
        memcpy(&bits, &value, sizeof bits);
        hash = mix(hash, bits);
    }
    return hash | 1;
}

static bool table_has(const Taking *taking, uint64_t mark)
{
    for (uint64_t at = mark >> 7 & taking->mask; taking->table[at]; at = (at + 1) & taking->mask)
        if (taking->table[at] == mark)
            return true;
    return false;
}

static void table_add(Taking *taking, uint64_t mark)
{
    uint64_t at = mark >> 7 & taking->mask;
    while (taking->table[at] && taking->table[at] != mark)
        at = (at + 1) & taking->mask;
    taking->table[at] = mark;
}

static void table_init(Taking *taking, Arena *scratch)
{
    int bits = TABLE_BITS_MIN;
    while (bits < 40 && (1ULL << bits) < 2 * (uint64_t)taking->dump->slot_count)
        bits++;
    taking->mask = (1ULL << bits) - 1;
    taking->table = ARENA_ARRAY(scratch, uint64_t, (size_t)taking->mask + 1);
}

// ---- parameters and their gradients

static ParameterSeen *parameter_named(Taking *taking, Str path, Str name, Str class_name, Str op)
{
    RankWitness *out = taking->out;
    Str full = str_printf(out->arena, STR_FMT "%s" STR_FMT, STR_ARG(path), path.size ? "." : "",
                          STR_ARG(name));
    NameId key = names_add(taking->keys, full);
    uint32_t *index = &ARRAY_REACH(names_arena(taking->keys), taking->parameter_of,
                                   taking->parameter_keys, key)[key];
    if (*index)
        return &out->parameters[*index - 1];
    *index = (uint32_t)out->parameter_count + 1;
    ParameterSeen *new =
        ARRAY_ADD(out->arena, out->parameters, out->parameter_count, out->parameter_capacity);
    *new = (ParameterSeen){.name = full,
                           .class_name = str_copy(out->arena, class_name),
                           .op = str_copy(out->arena, op),
                           .gradient_zero = true};
    return new;
}

static Str behind_group(Str path)
{
    size_t dot = str_find_char(path, '.', 0);
    return dot == SIZE_MAX ? path : str_slice(path, dot + 1, path.size);
}

static bool has_any(Str text, const char *const *parts)
{
    for (; *parts; parts++)
        if (str_find(text, str_of(*parts), 0) != SIZE_MAX)
            return true;
    return false;
}

static bool is_head_norm(const OpName *name)
{
    Str rest = name->path, part;
    while (str_split(&rest, '.', &part))
        if (STR_IN(part, "q_norm", "k_norm", "qk_norm", "q_layernorm", "k_layernorm",
                   "qk_layernorm", "q_rmsnorm", "k_rmsnorm", "q_ln", "k_ln", "norm_q", "norm_k",
                   "ln_q", "ln_k", "query_norm", "key_norm", "query_layernorm", "key_layernorm",
                   "norm_added_q", "norm_added_k"))
            return true;
    return false;
}

static size_t dimensions(Str shape)
{
    size_t count = 1;
    for (size_t i = 0; i < shape.size; i++)
        count += shape.data[i] == ',';
    return count;
}

// A norm of each head has one weight for all of them, and a dimension of heads; else each rank has
// the weights of its own heads.
static bool takes_heads_as_one(const Taking *taking, const Op *op, const OpName *name)
{
    enum { WITH_HEADS = 4 };
    for (uint32_t i = 0; is_head_norm(name) && i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        if (slot->group == GROUP_INPUT && slot->kind == SLOT_TENSOR)
            return dimensions(names_text(taking->dump->names, slot->shape)) < WITH_HEADS;
    }
    return is_head_norm(name);
}

static void take_parameters(Taking *taking, const Op *op, const OpName *name)
{
    RankWitness *out = taking->out;
    Str text = names_text(taking->dump->names, op->name);
    bool flows = false;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        flows = flows || (slot->group == GROUP_OUTPUT && slot->requires_grad == TRI_TRUE);
    }
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        if (slot->group != GROUP_PARAMETERS || slot->kind != SLOT_TENSOR)
            continue;
        Str path = behind_group(names_text(taking->dump->names, slot->path));
        ParameterSeen *it = parameter_named(taking, name->path, path, name->type_name, text);
        it->flows = it->flows || flows;
        out->has_parameters = true;
        if (it->seen)
            continue;
        it->seen = true;
        it->of_heads = takes_heads_as_one(taking, op, name);
        it->op = str_copy(out->arena, text);
        it->requires_grad = slot->requires_grad;
        tensor_seen_read(taking->dump, slot, taking->out->rounding, out->arena, &it->value);
    }
}

static void take_gradients(Taking *taking, const Op *op, const OpName *name)
{
    RankWitness *out = taking->out;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        if (slot->group != GROUP_GRADS)
            continue;
        ParameterSeen *it =
            parameter_named(taking, name->path, names_text(taking->dump->names, slot->path),
                            name->type_name, names_text(taking->dump->names, op->name));
        it->gradient_told = true;
        if (slot->kind != SLOT_TENSOR)
            continue;
        out->has_gradients = it->gradient_came = true;
        tensor_seen_read(taking->dump, slot, taking->out->rounding, out->arena, &it->gradient);
        bool zero = tensor_seen_zero(&it->gradient);
        // What the writer rounded to 0 is not known to be 0.
        bool known = !zero || tensor_seen_blur(&it->gradient, STAT_MAX) == 0;
        it->gradient_zero = it->gradient_zero && zero && known;
        it->gradient_nonzero =
            it->gradient_nonzero ||
            (!zero && tensor_seen_has_ends(&it->gradient) && !tensor_seen_nan(&it->gradient));
    }
}

static void mark_backward(Taking *taking, const OpName *name)
{
    NameId key = names_add(taking->keys, name->path);
    ARRAY_REACH(names_arena(taking->keys), taking->backward_of, taking->backward_keys, key)
    [key] = true;
}

static int by_name(const void *a, const void *b)
{
    return str_compare(((const ParameterSeen *)a)->name, ((const ParameterSeen *)b)->name);
}

static void finish_parameters(Taking *taking)
{
    RankWitness *out = taking->out;
    for (size_t i = 0; i < out->parameter_count; i++) {
        ParameterSeen *it = &out->parameters[i];
        size_t dot = str_rfind_char(it->name, '.');
        Str path = str_slice(it->name, 0, dot == SIZE_MAX ? 0 : dot);
        NameId key = names_find(taking->keys, path);
        it->backward = key && key < taking->backward_keys && taking->backward_of[key];
        it->gradient_zero = it->gradient_zero && it->gradient_came;
    }
    if (out->parameter_count > 1)
        qsort(out->parameters, out->parameter_count, sizeof *out->parameters, by_name);
}

const ParameterSeen *witness_parameter(const RankWitness *witness, Str name)
{
    size_t at;
    FIND_FIRST(at, witness->parameter_count, str_compare(witness->parameters[at].name, name) < 0);
    bool found = at < witness->parameter_count && str_equal(witness->parameters[at].name, name);
    return found ? &witness->parameters[at] : NULL;
}

bool witness_is_expert(Str name)
{
    return str_find(name, STR("expert"), 0) != SIZE_MAX;
}

// ---- forward calls

// Embeddings and losses get tokens and labels; counts of an expert's tokens are its own.
static bool takes_tokens(const OpName *name)
{
    static const char *const classes[] = {"Embed", "Loss", "Entropy", NULL};
    return has_any(name->type_name, classes);
}

static void take_data(Taking *taking, const Op *op, const OpName *name, bool comm)
{
    RankWitness *out = taking->out;
    // What clipping and optimizers work on is no data.
    bool late = out->has_backward && op->kind == OP_API;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        bool input = slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS;
        if (!input || slot->kind != SLOT_TENSOR || comm || late)
            continue;
        uint64_t mark = mark_of(slot);
        bool data = slot->requires_grad != TRI_TRUE && !(mark && table_has(taking, mark));
        if (!out->begins_told)
            out->begins_with_data = data;
        out->begins_told = true;
        if (!data || mark == 0)
            continue;
        table_add(taking, mark);
        DataSeen *new = ARRAY_ADD(out->arena, out->data, out->data_count, out->data_capacity);
        new->op = str_copy(out->arena, names_text(taking->dump->names, op->name));
        new->slot = str_copy(out->arena, names_text(taking->dump->names, slot->path));
        new->module = op->kind == OP_MODULE;
        new->tokens = takes_tokens(name);
        tensor_seen_read(taking->dump, slot, taking->out->rounding, out->arena, &new->value);
    }
}

static void take_outputs(Taking *taking, const Op *op)
{
    RankWitness *out = taking->out;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        uint64_t mark = slot->kind == SLOT_TENSOR ? mark_of(slot) : 0;
        double norm = 0;
        out->trains =
            out->trains || (slot->group == GROUP_OUTPUT && slot->requires_grad == TRI_TRUE);
        if (mark && (slot->group == GROUP_OUTPUT || slot->group == GROUP_PARAMETERS))
            table_add(taking, mark);
        if (!mark || slot->group != GROUP_OUTPUT || out->has_backward || taking->any_comm ||
            !slot_stat(slot, STAT_NORM, &norm) || isnan(norm))
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

// Norms over heads see the heads of their rank.
static bool is_whole_norm(const OpName *name)
{
    return (str_ends(name->type_name, STR("LayerNorm")) ||
            str_ends(name->type_name, STR("RMSNorm"))) &&
           str_find(name->type_name, STR("Gated"), 0) == SIZE_MAX && !is_head_norm(name) &&
           !witness_is_expert(name->path);
}

// Its number in norms; 0: it is not told.
static size_t norm_input(Taking *taking, const Op *op)
{
    RankWitness *out = taking->out;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        if (slot->kind != SLOT_TENSOR ||
            !str_equal(names_text(taking->dump->names, slot->path), STR("input.0")))
            continue;
        tensor_seen_read(taking->dump, slot, out->rounding, out->arena,
                         ARRAY_ADD(out->arena, out->norms, out->norm_count, out->norm_capacity));
        return out->norm_count;
    }
    return 0;
}

// `text`: the op, a text of the witness.
static void take_dtype(Taking *taking, const Op *op, const OpName *name, Str text)
{
    RankWitness *out = taking->out;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(taking, op, i);
        if (slot->group != GROUP_OUTPUT || slot->kind != SLOT_TENSOR)
            continue;
        bool norm = op->kind == OP_MODULE && is_whole_norm(name);
        *ARRAY_ADD(out->arena, out->dtypes, out->dtype_count, out->dtype_capacity) =
            (DtypeSeen){.op = text,
                        .dtype = str_copy(out->arena, names_text(taking->dump->names, slot->dtype)),
                        .norm = norm ? norm_input(taking, op) : 0};
        return;
    }
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
    } else if (op->kind == OP_API && str_ends(name->type_name, STR("_"))) {
        witness_comm_use(taking->dump, index, out);
    }
    take_data(taking, op, name, comm);
    take_outputs(taking, op);
    bool module = op->kind == OP_MODULE, dtype = has_telling_dtype(name);
    text = module || dtype ? str_copy(out->arena, text) : text;
    if (module)
        take_parameters(taking, op, name);
    // Shared experts get every token.
    if (module && (!witness_is_expert(name->path) ||
                   str_find(name->path, STR("shared_expert"), 0) != SIZE_MAX))
        *ARRAY_ADD(out->arena, out->modules, out->module_count, out->module_capacity) = text;
    if (dtype)
        take_dtype(taking, op, name, text);
}

void witness_take(const Dump *dump, const Graph *graph, int64_t rank, Arena *arena,
                  RankWitness *out)
{
    Arena *scratch = arena_new();
    Taking taking = {.dump = dump, .out = out, .keys = names_new(scratch)};
    Recorded recorded;
    recorded_collect(dump, scratch, &recorded);
    out->rounding = recorded.rounding;
    out->adds_grads = dump->adds_grads;
    out->arena = arena;
    out->rank = rank;
    table_init(&taking, scratch);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        OpName name = op_name_of(dump->names, dump->ops[i].name);
        if (dump->ops[i].kind == OP_GRADS) {
            take_gradients(&taking, &dump->ops[i], &name);
        } else if (dump->ops[i].direction == DIR_BACKWARD) {
            out->has_backward = true;
            if (dump->ops[i].kind == OP_MODULE)
                mark_backward(&taking, &name);
        } else if (dump->ops[i].direction == DIR_FORWARD) {
            take_forward(&taking, i, &name);
        }
    }
    finish_parameters(&taking);
    witness_local(dump, graph, out);
    arena_release(scratch);
}
