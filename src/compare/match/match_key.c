// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_key.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "compare/match/match_spelling.h"
#include "compare/merged_ops.h"

uint64_t match_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
    hash *= 0xBF58476D1CE4E5B9u;
    return hash ^ hash >> 32;
}

uint64_t match_mix_size(uint64_t hash, const Slot *slot)
{
    double norm;
    if (!slot || !slot_stat(slot, STAT_NORM, &norm) || !isfinite(norm))
        return match_mix(hash, 1);
    double bin = norm == 0 ? -1e6 : floor(log2(fabs(norm)) * 64 + 0.5);
    return match_mix(hash, (uint64_t)(int64_t)bin);
}

// The roles that tell two calls apart: what one side does not record is no evidence.
typedef struct Roles {
    bool of[DIRECTION_COUNT][GROUP_COUNT];
} Roles;

typedef struct Builder {
    const Dump *dump;
    const Graph *graph;
    Names *texts;
    bool merged;     // shapes are those of shares
    bool one_stage;  // of merged ranks: each computes the whole model
    const Roles *told;
    const Spelling *spelling;
    NameId *text_of;       // by NameId of the dump: the same text among `texts`, 0: not looked up
    uint32_t *op_of_name;  // by NameId of the dump
    size_t name_count;
    Names *loose;  // calls between modules, without the marks of ranks
    StrBuf buffer;
} Builder;

static NameId text_of(Builder *builder, NameId name)
{
    if (name != NAME_NONE && builder->text_of[name] == NAME_NONE)
        builder->text_of[name] = names_add(builder->texts, names_text(builder->dump->names, name));
    return builder->text_of[name];
}

// Numbers of different width or spelling are of one sort: "Float16" and "torch.float32".
static uint64_t sort_of_dtype(Str dtype)
{
    size_t dot = str_rfind_char(dtype, '.');
    size_t at = dot == SIZE_MAX ? 0 : dot + 1;
    char first = at < dtype.size ? (char)(dtype.data[at] | 0x20) : 0;
    char second = at + 1 < dtype.size ? (char)(dtype.data[at + 1] | 0x20) : 0;
    if (first == 'f' || first == 'h' || (first == 'b' && second == 'f'))
        return 'f';
    return first == 'u' ? 'i' : (uint64_t)(unsigned char)first;
}

static bool is_input(const Slot *slot)
{
    return slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS ||
           slot->group == GROUP_PARAMETERS;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value == 0 ? 0 : bits;
}

static void see_slot(Builder *builder, const Slot *slot, OpKey *key, bool *told)
{
    SlotGroup group = slot_place_group(slot);
    key->signature = match_mix(key->signature, (uint64_t)group * 8 + slot->kind);
    if (slot->kind == SLOT_TENSOR) {
        key->signature =
            match_mix(key->signature, builder->merged ? 0 : text_of(builder, slot->shape));
        key->signature =
            match_mix(key->signature, sort_of_dtype(names_text(builder->dump->names, slot->dtype)));
    }
    if (!is_input(slot))
        return;
    if (slot->kind == SLOT_TENSOR)
        key->sizes = match_mix_size(key->sizes, slot);
    if (slot->kind == SLOT_TENSOR && slot->checksum != NAME_NONE &&
        slot->tag[STAT_MAX] <= TAG_NULL) {
        key->values = match_mix(key->values, text_of(builder, slot->checksum));
        *told = true;
    }
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double value;
        if (!slot_stat(slot, (Stat)stat, &value))
            continue;
        key->values = match_mix(key->values, bits_of(value));
        *told = *told || slot->kind == SLOT_TENSOR;
    }
}

static NodeId scope_of(const Builder *builder, const Op *op)
{
    if (!builder->graph)
        return NODE_NONE;
    NodeId node = graph_find(builder->graph, op->name);
    if (node == NODE_NONE)
        return NODE_NONE;
    NodeId parent = builder->graph->nodes[node].parent;
    while (parent != NODE_NONE && builder->graph->nodes[parent].type == NODE_GROUP)
        parent = builder->graph->nodes[parent].parent;
    return parent == 0 ? NODE_NONE : parent;
}

static uint32_t forward_of(Builder *builder, const Op *op, const OpName *name)
{
    if (op->direction != DIR_BACKWARD || op->call < 0)
        return OP_NONE;
    builder->buffer.size = 0;
    strbuf_printf(&builder->buffer,
                  op->kind == OP_MODULE ? STR_FMT ".forward.%d" : STR_FMT ".%d.forward",
                  STR_ARG(name->stem), op->call);
    NameId id = names_find(builder->dump->names, strbuf_str(&builder->buffer));
    return id == NAME_NONE || id >= builder->name_count ? OP_NONE : builder->op_of_name[id];
}

// What stands at the end of a stem: of a module its last part and its class, where that counts.
static Str leaf_of(const Builder *builder, const OpName *name, Str stem)
{
    size_t dot = str_rfind_char(stem, '.');
    bool module = name->kind == OP_MODULE || name->kind == OP_GRADS;
    if (module && dot != SIZE_MAX && dot > 0 && !builder->spelling->without_class) {
        size_t before = str_rfind_char(str_slice(stem, 0, dot), '.');
        dot = before;
    }
    return str_slice(stem, dot == SIZE_MAX ? 0 : dot + 1, stem.size);
}

// Of a module the stem without its class.
static Str path_of(const Builder *builder, const OpName *name, Str stem)
{
    size_t dot = str_rfind_char(stem, '.');
    bool class = name->kind == OP_MODULE && !builder->spelling->without_class;
    return str_slice(stem, 0, class && dot != SIZE_MAX ? dot : stem.size);
}

// The whole name with another stem; valid until the buffer is used again.
static Str with_stem(Builder *builder, NameId id, const OpName *name, Str stem)
{
    Str text = names_text(builder->dump->names, id);
    builder->buffer.size = 0;
    strbuf_add(&builder->buffer, stem);
    strbuf_add(&builder->buffer, str_slice(text, name->stem.size, text.size));
    return strbuf_str(&builder->buffer);
}

// The whole name in the common spelling.
static NameId spelled_name(Builder *builder, NameId id, const OpName *name, Str stem)
{
    return builder->spelling->plain ? text_of(builder, id)
                                    : names_add(builder->texts, with_stem(builder, id, name, stem));
}

// Without stages each rank has the calls of all others, on tokens of its own. One between modules
// that a rank before has too is no partner of what the other side calls so: the first rank's is.
static bool is_of_further_rank(Builder *builder, uint32_t index, const OpName *name)
{
    if (!builder->one_stage || !builder->graph || !merged_one_rank_op(builder->graph, index))
        return false;
    NameId id = builder->dump->ops[index].name;
    Str stem = spelling_without_rank(builder->spelling->arena, name->stem);
    size_t known = names_count(builder->loose);
    return names_add(builder->loose, with_stem(builder, id, name, stem)) <= known;
}

static void build_op(Builder *builder, uint32_t index, OpKey *keys)
{
    const Op *op = &builder->dump->ops[index];
    OpKey *key = &keys[index];
    OpName name = op_name_of(builder->dump->names, op->name);
    bool further = is_of_further_rank(builder, index, &name);
    Str stem = further ? name.stem : spelling_stem(builder->spelling, &name);
    bool told = false;
    *key = (OpKey){.whole = spelled_name(builder, op->name, &name, stem),
                   .stem = names_add(builder->texts, stem),
                   .leaf = names_add(builder->texts, leaf_of(builder, &name, stem)),
                   .path = names_add(builder->texts, path_of(builder, &name, stem)),
                   .type = names_add(builder->texts, name.type_name),
                   .twin = OP_NONE,
                   .scope = scope_of(builder, op)};
    key->class = key->stem * 3 + op->direction;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (builder->told->of[op->direction][slot_place_group(&builder->dump->slots[i])])
            see_slot(builder, &builder->dump->slots[i], key, &told);
    if (!told)
        key->values = 0;
    uint32_t forward = forward_of(builder, op, &name);
    if (forward != OP_NONE && builder->dump->ops[forward].kind == op->kind)
        key->twin = forward;
}

// A forward op knows its backward op, too.
static void link_twins(const Dump *dump, OpKey *keys)
{
    for (uint32_t i = dump->op_count; i-- > 0;)
        if (dump->ops[i].direction == DIR_BACKWARD && keys[i].twin != OP_NONE)
            keys[keys[i].twin].twin = i;
}

static NameId name_of_node(Builder *builder, NameId id)
{
    OpName name = op_name_of(builder->dump->names, id);
    return spelled_name(builder, id, &name, spelling_stem(builder->spelling, &name));
}

static void find_roles(const Dump *dump, Roles *out)
{
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            out->of[op->direction][slot_place_group(&dump->slots[k])] = true;
    }
}

static Roles roles_of_both(const MatchSide sides[2])
{
    Roles roles[2] = {0};
    for (int side = 0; side < 2; side++)
        find_roles(sides[side].dump, &roles[side]);
    for (int direction = 0; direction < DIRECTION_COUNT; direction++)
        for (int group = 0; group < GROUP_COUNT; group++)
            roles[0].of[direction][group] &= roles[1].of[direction][group];
    return roles[0];
}

static void build_side(const MatchSide *side, int index, const Spelling *spelling,
                       const Roles *told, Arena *arena, MatchKeys *out)
{
    const Dump *dump = side->dump;
    Builder builder = {.dump = dump,
                       .graph = side->graph,
                       .texts = out->texts,
                       .merged = out->merged,
                       .one_stage = dump->merged && dump->merged_ranks &&
                                    dump->merged_ranks == dump->shares * dump->batches,
                       .told = told,
                       .spelling = spelling,
                       .name_count = names_count(dump->names) + 1};
    builder.text_of = ARENA_ARRAY(arena, NameId, builder.name_count);
    builder.op_of_name = array_of_none(arena, builder.name_count);
    builder.buffer = strbuf_new(arena);
    builder.loose = names_new(arena);
    for (uint32_t i = dump->op_count; i-- > 0;)
        builder.op_of_name[dump->ops[i].name] = i;
    out->ops[index] = ARENA_ARRAY(arena, OpKey, (size_t)dump->op_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++)
        build_op(&builder, i, out->ops[index]);
    link_twins(dump, out->ops[index]);
    if (!side->graph)
        return;
    out->node_name[index] = ARENA_ARRAY(arena, NameId, side->graph->count);
    for (NodeId id = 0; id < side->graph->count; id++)
        if (side->graph->nodes[id].type == NODE_MODULE)
            out->node_name[index][id] = name_of_node(&builder, side->graph->nodes[id].name);
}

void match_keys_build(const MatchSide sides[2], const MatchOptions *options, Arena *arena,
                      MatchKeys *out)
{
    Spelling spellings[2];
    spelling_choose(sides, options, arena, spellings);
    *out = (MatchKeys){.texts = names_new(arena),
                       .plain = spellings[0].plain && spellings[1].plain,
                       .unwrapped = spellings[0].wrapper || spellings[1].wrapper,
                       .merged = sides[0].dump->merged || sides[1].dump->merged};
    const Roles told = roles_of_both(sides);
    for (int side = 0; side < 2; side++)
        build_side(&sides[side], side, &spellings[side], &told, arena, out);
    size_t count = names_count(out->texts) + 1;
    out->class_count = (uint32_t)count * 3;
    for (int side = 0; side < 2; side++) {
        const Graph *graph = sides[side].graph;
        out->node_known[side] = ARENA_ARRAY(arena, bool, count);
        out->node_bare[side] = ARENA_ARRAY(arena, bool, count);
        for (NodeId id = 0; graph && id < graph->count; id++) {
            out->node_known[side][out->node_name[side][id]] = true;
            if (graph->nodes[id].op == OP_NONE)
                out->node_bare[side][out->node_name[side][id]] = true;
        }
    }
}
