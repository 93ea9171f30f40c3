// SPDX-License-Identifier: Apache-2.0
// Weights and their gradients, from modules and from the inputs of calls.
#include "compare/invariant/witness_look.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"

// A weight that goes into a call.
typedef struct Operand {
    uint32_t slot;
    NameId held;         // what a module would hold by it; NAME_NONE: it tells too little
    uint32_t parameter;  // + 1; 0: none
} Operand;

typedef struct WeightCall {
    uint32_t op;
    size_t first, count;  // of its operands
    uint32_t uses;        // of the first of several: how many of them train
    uint32_t again;       // + 1: the first call of its API that had one of them
    bool told;            // one of them tells itself from others
    bool left_out;        // its weights have names already
} WeightCall;

struct Weighing {
    Looking *look;
    const Dump *dump;
    RankWitness *out;
    Arena *scratch;
    Names *keys;             // names of parameters and modules
    uint32_t *parameter_of;  // by key: index + 1
    size_t parameter_keys;
    bool *backward_of;  // by key of a module
    size_t backward_keys;
    Names *values;    // what weights hold
    uint32_t *owner;  // by value: the first parameter that has it + 1
    size_t owner_count;
    size_t unnamed;      // calls whose weights no module names
    size_t named, used;  // weights of modules; of these that calls have as well
    uint32_t *holder;    // by value: the first call that has it, from 1; or MODULE_HOLDS
    size_t holder_count;
    Operand *operands;
    size_t operand_count, operand_capacity;
    WeightCall *calls;
    size_t call_count, call_capacity;
    uint32_t *call_of;  // by op: call + 1
    uint32_t *backwards;
    size_t backward_count, backward_capacity;
};

#define MODULE_HOLDS UINT32_MAX
#define CALL_HOLDS   (UINT32_MAX - 1)  // as a value of modules

Weighing *weighing_new(Looking *look)
{
    Weighing *of = ARENA_NEW(look->scratch, Weighing);
    *of = (Weighing){.look = look,
                     .dump = look->dump,
                     .out = look->out,
                     .scratch = look->scratch,
                     .call_of = ARENA_ARRAY(look->scratch, uint32_t, look->dump->op_count + 1),
                     .keys = names_new(look->scratch),
                     .values = names_new(look->scratch)};
    return of;
}

static const OpName *name_of(const Weighing *of, const Op *op)
{
    return &of->look->names[look_index(of->look, op)];
}

static const Slot *slot_of(const Weighing *of, const Op *op, uint32_t i)
{
    return &of->dump->slots[op->first_slot + i];
}

// What a weight holds where calls of `stem` have it, or modules; NAME_NONE: too little is recorded.
static NameId value_key(Weighing *of, const Slot *slot, const TensorSeen *seen, NameId stem)
{
    struct {
        double stat[STAT_COUNT];
        NameId shape, checksum, stem, frozen;
    } key;
    if (!tensor_seen_rich(seen))
        return NAME_NONE;
    memset(&key, 0, sizeof key);
    key.shape = slot->shape;
    key.checksum = slot->checksum;
    key.stem = stem;
    key.frozen = slot->requires_grad == TRI_FALSE;  // a target network may begin as a copy
    for (int i = 0; i < STAT_COUNT && slot->checksum == NAME_NONE; i++)
        key.stat[i] = seen->known >> i & 1 ? seen->stat[i] : 0;
    return names_add(of->values, (Str){(const char *)&key, sizeof key});
}

static uint32_t *holder_of(Weighing *of, NameId key)
{
    return &ARRAY_REACH(of->scratch, of->holder, of->holder_count, key)[key];
}

// Tied weights have one gradient; a copy that is not trained is another weight.
static void find_shared(Weighing *of, NameId held, ParameterSeen *it)
{
    if (held == NAME_NONE || it->requires_grad == TRI_FALSE)
        return;
    uint32_t *owner = &ARRAY_REACH(of->scratch, of->owner, of->owner_count, held)[held];
    if (*owner)
        it->shared = of->out->parameters[*owner - 1].shared = true;
    else
        *owner = (uint32_t)(it - of->out->parameters) + 1;
}

// ---- weights of modules

static ParameterSeen *parameter_named(Weighing *of, Str full, Str class_name, Str op)
{
    RankWitness *out = of->out;
    NameId key = names_add(of->keys, full);
    uint32_t *index = &ARRAY_REACH(of->scratch, of->parameter_of, of->parameter_keys, key)[key];
    if (*index)
        return &out->parameters[*index - 1];
    *index = (uint32_t)out->parameter_count + 1;
    ParameterSeen *new =
        ARRAY_ADD(out->arena, out->parameters, out->parameter_count, out->parameter_capacity);
    *new = (ParameterSeen){.name = full, .class_name = class_name, .op = op, .gradient_zero = true};
    return new;
}

static ParameterSeen *parameter_of_module(Weighing *of, const OpName *name, Str own, Str op)
{
    Str path = name->path.size ? str_concat(of->scratch, name->path, STR(".")) : name->path;
    return parameter_named(of, str_concat(of->scratch, path, own), name->type_name, op);
}

bool witness_head_norm(const OpName *name)
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

// A norm of each head has one weight for all of them, and a dimension of heads; else each rank has
// the weights of its own heads.
static bool takes_heads_as_one(const Weighing *of, const Op *op)
{
    const OpName *name = name_of(of, op);
    enum { WITH_HEADS = 4 };
    for (uint32_t i = 0; witness_head_norm(name) && i < op->slot_count; i++) {
        const Slot *slot = slot_of(of, op, i);
        if (slot->group == GROUP_INPUT && slot->kind == SLOT_TENSOR)
            return shape_dimensions(names_text(of->dump->names, slot->shape)) < WITH_HEADS;
    }
    return witness_head_norm(name);
}

static void take_module(Weighing *of, const Op *op)
{
    const OpName *name = name_of(of, op);
    RankWitness *out = of->out;
    Str text = names_text(of->dump->names, op->name);
    bool flows = look_needs_gradient(of->look, op);
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(of, op, i);
        if (slot->group != GROUP_PARAMETERS || slot->kind != SLOT_TENSOR)
            continue;
        Str path = names_text(of->dump->names, slot->path);
        size_t dot = str_find_char(path, '.', 0);
        Str own = dot == SIZE_MAX ? path : str_slice(path, dot + 1, path.size);
        ParameterSeen *it = parameter_of_module(of, name, own, text);
        it->flows = it->flows || flows;
        out->has_parameters = true;
        if (it->seen)
            continue;
        it->seen = true;
        it->of_heads = takes_heads_as_one(of, op);
        it->op = text;
        it->requires_grad = slot->requires_grad;
        look_read(of->look, slot, &it->value);
        NameId key = value_key(of, slot, &it->value, NAME_NONE);
        find_shared(of, key, it);
        if (key == NAME_NONE)
            continue;
        of->named++;
        of->used += *holder_of(of, key) == CALL_HOLDS;
        *holder_of(of, key) = MODULE_HOLDS;
    }
}

static void take_gradient(Weighing *of, ParameterSeen *it, const Slot *slot)
{
    of->out->has_gradients = it->gradient_came = it->gradient_told = true;
    it->gradient_parts++;
    look_read(of->look, slot, &it->gradient);
    bool zero = tensor_seen_zero(&it->gradient);
    // What the writer rounded to 0 is not known to be 0.
    bool known = !zero || tensor_seen_blur(&it->gradient, STAT_MAX) == 0;
    it->gradient_zero = it->gradient_zero && zero && known;
    it->gradient_nonzero = it->gradient_nonzero || (!zero && tensor_seen_has_ends(&it->gradient) &&
                                                    !tensor_seen_nan(&it->gradient));
}

void weighing_gradients(Weighing *of, const Op *op)
{
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(of, op, i);
        if (slot->group != GROUP_GRADS)
            continue;
        ParameterSeen *it =
            parameter_of_module(of, name_of(of, op), names_text(of->dump->names, slot->path),
                                names_text(of->dump->names, op->name));
        it->gradient_told = true;
        if (slot->kind == SLOT_TENSOR)
            take_gradient(of, it, slot);
    }
}

void weighing_backward(Weighing *of, const Op *op)
{
    if (op->kind == OP_API && of->call_count) {
        *ARRAY_ADD(of->scratch, of->backwards, of->backward_count, of->backward_capacity) =
            look_index(of->look, op);
    } else if (op->kind == OP_MODULE) {
        NameId key = names_add(of->keys, name_of(of, op)->path);
        ARRAY_REACH(of->scratch, of->backward_of, of->backward_keys, key)[key] = true;
    }
}

// ---- weights among the inputs of calls

// What no op gave, at the place of a weight; statistics of a norm of batches are none.
static bool is_weight(const Weighing *of, const Slot *slot, unsigned traits)
{
    Str path = names_text(of->dump->names, slot->path);
    bool statistic = traits & OP_WEIGHT_4 &&
                     (slot->requires_grad == TRI_FALSE ||
                      (slot->requires_grad == TRI_ABSENT && STR_IN(path, "input.1", "input.2")));
    return slot->kind == SLOT_TENSOR && !statistic && op_weight_place(traits, path) &&
           str_find(names_text(of->dump->names, slot->dtype), STR("loat"), 0) != SIZE_MAX &&
           flow_producer_op(of->look->flow, (uint32_t)(slot - of->dump->slots)) == OP_NONE;
}

static void take_call(Weighing *of, const Op *op)
{
    unsigned traits = of->look->traits[look_index(of->look, op)];
    NameId stem = names_add(of->keys, name_of(of, op)->stem);
    WeightCall call = {.op = look_index(of->look, op), .first = of->operand_count};
    uint32_t number = (uint32_t)of->call_count + 1;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = slot_of(of, op, i);
        TensorSeen seen;
        if (!is_weight(of, slot, traits))
            continue;
        look_read(of->look, slot, &seen);
        NameId key = value_key(of, slot, &seen, stem);
        *ARRAY_ADD(of->scratch, of->operands, of->operand_count, of->operand_capacity) =
            (Operand){.slot = op->first_slot + i, .held = value_key(of, slot, &seen, NAME_NONE)};
        call.count++;
        if (key == NAME_NONE)
            continue;
        uint32_t *named = holder_of(of, of->operands[of->operand_count - 1].held);
        of->used += *named == MODULE_HOLDS;
        *named = *named ? *named : CALL_HOLDS;
        uint32_t *holder = holder_of(of, key);
        call.told = true;
        call.again = *holder && *holder != number ? *holder : call.again;
        *holder = *holder ? *holder : number;
    }
    if (call.count == 0)
        return;
    of->call_of[call.op] = number;
    *ARRAY_ADD(of->scratch, of->calls, of->call_count, of->call_capacity) = call;
}

void weighing_forward(Weighing *of, const Op *op)
{
    if (op->kind == OP_MODULE)
        take_module(of, op);
    else if (of->look->traits[look_index(of->look, op)] &
             (OP_WEIGHT_1 | OP_WEIGHT_2 | OP_WEIGHT_3 | OP_WEIGHT_4))
        take_call(of, op);
}

static bool is_named(Weighing *of, const WeightCall *call)
{
    for (size_t i = 0; i < call->count; i++) {
        NameId held = of->operands[call->first + i].held;
        if (held != NAME_NONE && *holder_of(of, held) == MODULE_HOLDS)
            return true;
    }
    return false;
}

static bool are_alike(const Weighing *of, const WeightCall *a, const WeightCall *b)
{
    const OpName *names = of->look->names;
    return str_equal(names[a->op].stem, names[b->op].stem) && a->count == b->count && !b->told;
}

// A call of which no weight tells itself from others, as norms in their first step, comes again
// where the next one that tells does: it stands as far before it as the first time.
static void choose_calls(Weighing *of)
{
    size_t next = SIZE_MAX;
    for (size_t i = of->call_count; i-- > 0;) {
        WeightCall *it = &of->calls[i];
        const WeightCall *later = next == SIZE_MAX ? NULL : &of->calls[next];
        if (it->told) {
            it->left_out = it->again || is_named(of, it);
            of->unnamed += !it->left_out;
            next = i;
        } else {
            it->left_out = later ? later->left_out : of->out->has_parameters;
            size_t back = later && later->again ? next - i + 1 : SIZE_MAX;
            if (later && back <= later->again && are_alike(of, it, &of->calls[later->again - back]))
                it->again = (uint32_t)(later->again - back) + 1;
        }
        of->calls[it->again ? it->again - 1 : i].uses +=
            look_needs_gradient(of->look, &of->dump->ops[it->op]);
    }
}

typedef struct Places {
    Names *names;
    uint32_t *counts;  // by name
    size_t known;
} Places;

static Str place_of(const Weighing *of, const Slot *slot, Str stem)
{
    const Names *names = of->dump->names;
    return str_printf(of->scratch, STR_FMT " " STR_FMT " " STR_FMT "%s", STR_ARG(stem),
                      STR_ARG(names_text(names, slot->path)),
                      STR_ARG(names_text(names, slot->shape)),
                      slot->requires_grad == TRI_FALSE ? " frozen" : "");
}

static void name_operand(Weighing *of, const Op *op, Operand *operand, Places *places)
{
    RankWitness *out = of->out;
    const Slot *slot = &of->dump->slots[operand->slot];
    const OpName *name = name_of(of, op);
    Str place = place_of(of, slot, name->stem);
    NameId id = names_add(places->names, place);
    uint32_t *count = &ARRAY_REACH(of->scratch, places->counts, places->known, id)[id];
    ParameterSeen *it =
        parameter_named(of, str_printf(out->arena, STR_FMT " %u", STR_ARG(place), ++*count),
                        name->type_name, names_text(of->dump->names, op->name));
    operand->parameter = (uint32_t)(it - out->parameters) + 1;
    it->label = str_printf(out->arena, STR_FMT " " STR_FMT, STR_ARG(it->op),
                           STR_ARG(names_text(of->dump->names, slot->path)));
    it->seen = true;
    find_shared(of, operand->held, it);
    it->flows = look_needs_gradient(of->look, op);
    it->requires_grad = slot->requires_grad;
    look_read(of->look, slot, &it->value);
}

// Weights of calls are named by API, place, shape and how many of these came before.
static void name_operands(Weighing *of)
{
    Places places = {.names = names_new(of->scratch)};
    size_t from = of->out->parameter_count;
    for (size_t i = 0; i < of->call_count; i++)
        for (size_t k = 0; !of->calls[i].left_out && k < of->calls[i].count; k++)
            name_operand(of, &of->dump->ops[of->calls[i].op], &of->operands[of->calls[i].first + k],
                         &places);
    for (size_t i = 0; i < of->call_count; i++)
        for (size_t k = 0; of->calls[i].uses > 1 && k < of->calls[i].count; k++) {
            uint32_t parameter = of->operands[of->calls[i].first + k].parameter;
            if (parameter)
                of->out->parameters[parameter - 1].shared = true;
        }
    for (size_t i = from; i < of->out->parameter_count; i++) {
        ParameterSeen *it = &of->out->parameters[i];
        NameId id = names_find(places.names, str_slice(it->name, 0, str_rfind_char(it->name, ' ')));
        it->places = places.counts[id];
        of->out->has_parameters = true;
    }
}

// Whether a gradient of this shape is one of that weight: of a product it may be transposed.
static bool is_gradient_of(Str shape, Str weight)
{
    size_t comma = str_find_char(shape, ',', 0);
    if (str_equal(shape, weight))
        return true;
    if (comma == SIZE_MAX || str_find_char(shape, ',', comma + 1) != SIZE_MAX ||
        shape.size != weight.size)
        return false;
    Str one = str_slice(shape, 1, comma), two = str_slice(shape, comma + 2, shape.size - 1);
    return str_starts(str_slice(weight, 1, weight.size), two) &&
           str_ends(str_slice(weight, 0, weight.size - 1), one);
}

// Whether the first tensor that goes in is known to be other than 0 somewhere, and finite.
static bool takes_values(const Weighing *of, const Op *op)
{
    TensorSeen seen;
    return look_first(of->look, op, GROUP_INPUT, &seen) && tensor_seen_has_ends(&seen) &&
           tensor_seen_finite(&seen) && !tensor_seen_zero(&seen);
}

// A product of more dimensions than two may end in a view, whose backward gives one gradient alone.
static bool gives_all(const Weighing *of, const Op *op, const WeightCall *call)
{
    size_t outputs = 0;
    for (uint32_t i = 0; i < op->slot_count; i++)
        outputs += slot_of(of, op, i)->group == GROUP_OUTPUT;
    return outputs >= call->count + !(of->look->traits[call->op] & OP_EMBEDS);
}

// A backward gives the gradients of its weights last, those of one shape in their order.
static void take_backward(Weighing *of, const Op *op, const WeightCall *call)
{
    const WeightCall *first = call->again ? &of->calls[call->again - 1] : call;
    const Slot *slots = of->dump->slots;
    bool all = gives_all(of, op, call);
    bool pushes = takes_values(of, op) && takes_values(of, &of->dump->ops[call->op]);
    for (size_t i = call->count; call->count == first->count && i-- > 0;) {
        uint32_t parameter = of->operands[first->first + i].parameter;
        Str shape = names_text(of->dump->names, slots[of->operands[call->first + i].slot].shape);
        size_t behind = 0;
        if (parameter && pushes)
            of->out->parameters[parameter - 1].pushed = true;
        for (size_t k = i + 1; k < call->count; k++)
            behind += str_equal(shape, names_text(of->dump->names,
                                                  slots[of->operands[call->first + k].slot].shape));
        for (uint32_t k = op->slot_count; all && parameter && k-- > 0;) {
            const Slot *slot = slot_of(of, op, k);
            if (!slot_is_output_tensor(slot) ||
                !is_gradient_of(names_text(of->dump->names, slot->shape), shape) || behind-- > 0)
                continue;
            take_gradient(of, &of->out->parameters[parameter - 1], slot);
            break;
        }
    }
}

static void take_backwards(Weighing *of)
{
    for (size_t i = 0; i < of->backward_count; i++) {
        const Op *op = &of->dump->ops[of->backwards[i]];
        const Op *forward = look_forward(of->look, op);
        uint32_t call = forward ? of->call_of[look_index(of->look, forward)] : 0;
        if (call)
            take_backward(of, op, &of->calls[call - 1]);
    }
}

void weighing_end(Weighing *of)
{
    RankWitness *out = of->out;
    choose_calls(of);
    name_operands(of);
    take_backwards(of);
    for (size_t i = 0; i < out->parameter_count; i++) {
        ParameterSeen *it = &out->parameters[i];
        size_t dot = str_rfind_char(it->name, '.');
        Str path = str_slice(it->name, 0, dot == SIZE_MAX ? 0 : dot);
        NameId key = it->places ? NAME_NONE : names_find(of->keys, path);
        // What a hook of an API leaves out is no gradient that is lost.
        it->backward = it->places || (key && key < of->backward_keys && of->backward_of[key]);
        it->gradient_zero = it->gradient_zero && it->gradient_came;
        it->part = it->places == 0 && of->unnamed && 2 * of->used < of->named;
    }
    parameters_sort(out->parameters, out->parameter_count);
}

// ---- gradients by their ends

bool gradient_is_one(const ParameterSeen *it)
{
    return it->gradient_parts == 1 && !it->shared && it->gradient_nonzero;
}

static NameId ends_key(const GradientIndex *of, const TensorSeen *seen, bool add)
{
    struct {
        uint64_t elements;
        double ends[2];
    } key = {seen->elements, {seen->stat[STAT_MAX] + 0.0, seen->stat[STAT_MIN] + 0.0}};
    Str text = {(const char *)&key, sizeof key};
    return add ? names_add(of->keys, text) : names_find(of->keys, text);
}

GradientIndex gradients_index(const RankWitness *witness, Arena *arena)
{
    GradientIndex out = {.keys = names_new(arena),
                         .next = ARENA_ARRAY(arena, uint32_t, witness->parameter_count + 1)};
    for (size_t i = witness->parameter_count; i-- > 0;) {
        if (!gradient_is_one(&witness->parameters[i]))
            continue;
        NameId key = ends_key(&out, &witness->parameters[i].gradient, true);
        uint32_t *first = &ARRAY_REACH(arena, out.first, out.known, key)[key];
        out.next[i] = *first;
        *first = (uint32_t)i + 1;
    }
    return out;
}

uint32_t gradients_find(const GradientIndex *of, const TensorSeen *seen)
{
    NameId key = ends_key(of, seen, false);
    return key && key < of->known ? of->first[key] : 0;
}

// ---- what is known of them

static int by_name(const void *a, const void *b)
{
    return str_compare(((const ParameterSeen *)a)->name, ((const ParameterSeen *)b)->name);
}

void parameters_sort(ParameterSeen *items, size_t count)
{
    if (count > 1)
        qsort(items, count, sizeof *items, by_name);
}

const ParameterSeen *parameter_find(const ParameterSeen *items, size_t count, Str name)
{
    size_t at;
    FIND_FIRST(at, count, str_compare(items[at].name, name) < 0);
    return at < count && str_equal(items[at].name, name) ? &items[at] : NULL;
}

const ParameterSeen *witness_parameter(const RankWitness *witness, Str name)
{
    return parameter_find(witness->parameters, witness->parameter_count, name);
}

const ParameterSeen *witness_partner(const RankWitness *witness, const ParameterSeen *it)
{
    const ParameterSeen *its = witness_parameter(witness, it->name);
    return its && its->places == it->places ? its : NULL;
}

bool witness_is_expert(Str name)
{
    return str_find(name, STR("expert"), 0) != SIZE_MAX;
}

bool weight_is_statistic(Str name)
{
    return STR_ANY(name, str_ends, "running_mean", "running_var", "moving_mean", "moving_variance");
}

bool parameter_is_local(const ParameterSeen *it)
{
    return it->part || weight_is_statistic(it->name) || witness_is_expert(it->name) ||
           str_find(it->name, STR("flat_param"), 0) != SIZE_MAX;
}

Str witness_without_digits(Str name, Arena *arena)
{
    char *out = ARENA_ARRAY(arena, char, name.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < name.size; i++)
        if (!is_digit(name.data[i]))
            out[size++] = name.data[i];
    return (Str){out, size};
}
