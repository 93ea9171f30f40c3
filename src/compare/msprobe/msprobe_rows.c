// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe_rows.h"

#include <string.h>

#include "base/array.h"
#include "compare/mapping/row_name.h"

// Steps: 1. ops of both sides get a key (generation 26: backward calls counted anew per name);
// 2. ops with equal keys are partners; 3. slots of partners join by their names below the op.
// That equals msProbe's join over whole row names, since a row's name starts with its op's key.

enum { MAX_SAME_NAME = 256 };  // more slots of one name pair up one to one: n*n rows help nobody

void msprobe_slot_order(const Dump *dump, const Op *op, uint32_t *order)
{
    static const SlotGroup groups[] = {GROUP_INPUT,  GROUP_KWARGS, GROUP_PARAMETERS,
                                       GROUP_OUTPUT, GROUP_GRADS,  GROUP_DEBUG};
    uint32_t count = 0;
    for (size_t group = 0; group < sizeof groups / sizeof *groups; group++)
        for (uint32_t i = 0; i < op->slot_count; i++)
            if (dump->slots[op->first_slot + i].group == groups[group])
                order[count++] = op->first_slot + i;
}

bool msprobe_same_name(const NameId *to_target, NameId golden, NameId target)
{
    if (golden == NAME_NONE || target == NAME_NONE)
        return golden == target;
    return to_target[golden] == target;
}

// ---- keys of ops

typedef enum OpClass { CLASS_DROPPED, CLASS_AS_IS, CLASS_BACKWARD } OpClass;

static bool is_direction(Str part)
{
    return str_equal(part, STR("forward")) || str_equal(part, STR("backward")) ||
           str_equal(part, STR("parameters_grad"));
}

// Splits "Functional.linear.2.backward" or "Module.fc.Linear.backward.2" as generation 26 does: by
// the direction among the last two parts. `stem` is what stands before call and direction.
static OpClass classify(Str name, Str *stem, bool *call_last)
{
    size_t last = str_rfind_char(name, '.');
    if (last == SIZE_MAX)
        return CLASS_DROPPED;
    Str rest = str_slice(name, 0, last), tail = str_slice(name, last + 1, name.size);
    size_t before = str_rfind_char(rest, '.');
    Str second = before == SIZE_MAX ? rest : str_slice(rest, before + 1, rest.size);
    *call_last = !is_direction(tail);
    Str direction = *call_last ? second : tail;
    if (!is_direction(direction))
        return CLASS_DROPPED;
    if (str_equal(tail, STR("parameters_grad"))) {
        *stem = rest;
        return CLASS_AS_IS;
    }
    if (before == SIZE_MAX || before == 0)
        return CLASS_DROPPED;
    *stem = str_slice(rest, 0, before);
    return str_equal(direction, STR("backward")) ? CLASS_BACKWARD : CLASS_AS_IS;
}

typedef struct Keys {
    Names *texts;      // keys and stems of both sides
    uint32_t *counts;  // by stem: backward calls so far on the side at work
    size_t capacity;
    StrBuf buffer;
    Arena *arena;
} Keys;

static uint32_t count_call(Keys *keys, NameId stem)
{
    return ARRAY_REACH(keys->arena, keys->counts, keys->capacity, stem)[stem]++;
}

static NameId key_of(Keys *keys, Str name)
{
    Str stem = {NULL, 0};
    bool call_last = false;
    OpClass class = classify(name, &stem, &call_last);
    if (class == CLASS_DROPPED)
        return NAME_NONE;
    if (class == CLASS_AS_IS)
        return names_add(keys->texts, name);
    uint32_t call = count_call(keys, names_add(keys->texts, stem));
    keys->buffer.size = 0;
    strbuf_add(&keys->buffer, stem);
    strbuf_printf(&keys->buffer, call_last ? ".backward.%u" : ".%u.backward", (unsigned)call);
    return names_add(keys->texts, strbuf_str(&keys->buffer));
}

// The key of each op, NAME_NONE for ops that are not compared.
static NameId *op_keys(Keys *keys, const Dump *dump, MsprobeGeneration generation)
{
    NameId *out = ARENA_ARRAY(keys->arena, NameId, (size_t)dump->op_count + 1);
    memset(keys->counts, 0, keys->capacity * sizeof(uint32_t));
    for (uint32_t i = 0; i < dump->op_count; i++) {
        Str name = names_text(dump->names, dump->ops[i].name);
        bool as_is = generation == MSPROBE_8 || dump->ops[i].kind == OP_DEBUG;
        out[i] = as_is ? names_add(keys->texts, name) : key_of(keys, name);
    }
    return out;
}

const Str *msprobe_op_keys(const Dump *dump, MsprobeGeneration generation, Arena *arena)
{
    Keys keys = {.texts = names_new(arena), .arena = arena};
    keys.buffer = strbuf_new(arena);
    keys.capacity = 64;
    keys.counts = ARENA_ARRAY(arena, uint32_t, keys.capacity);
    const NameId *ids = op_keys(&keys, dump, generation);
    Str *out = ARENA_ARRAY(arena, Str, (size_t)dump->op_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++)
        out[i] = names_text(keys.texts, ids[i]);
    return out;
}

// ---- keys of slots

#define KEY_UNKNOWN UINT32_MAX  // a name that only golden has

// The name below the op. Only tensor files can be called otherwise than op and path.
static NameId slot_key(const Dump *dump, const Op *op, const Slot *slot)
{
    if (slot->data_name == NAME_NONE)
        return slot->path;
    Str file = row_name_cut_extension(names_text(dump->names, slot->data_name));
    Str name = names_text(dump->names, op->name);
    bool below = file.size > name.size + 1 && str_starts(file, name) && file.data[name.size] == '.';
    Str key = below ? str_slice(file, name.size + 1, file.size) : file;
    if (str_equal(key, names_text(dump->names, slot->path)))
        return slot->path;
    return names_add(dump->names, key);
}

static NameId *slot_keys(const Dump *dump, Arena *arena)
{
    NameId *keys = ARENA_ARRAY(arena, NameId, (size_t)dump->slot_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            keys[k] = slot_key(dump, op, &dump->slots[k]);
    }
    return keys;
}

// ---- dtypes

typedef struct DtypeClass {
    const char *name;
    char class;
    uint8_t family;  // not 0: may meet the others of its family within one framework
} DtypeClass;

static const DtypeClass dtype_classes[] = {
    {"Float16", 'f', 1},        {"Float32", 'f', 1},         {"BFloat16", 'f', 1},
    {"Float64", 'f', 0},        {"torch.float16", 'f', 2},   {"torch.float32", 'f', 2},
    {"torch.bfloat16", 'f', 2}, {"torch.float64", 'f', 0},   {"Int8", 'i', 0},
    {"Int16", 'i', 0},          {"Int32", 'i', 0},           {"Int64", 'i', 0},
    {"UInt8", 'i', 0},          {"UInt16", 'i', 0},          {"UInt32", 'i', 0},
    {"UInt64", 'i', 0},         {"torch.int8", 'i', 0},      {"torch.int16", 'i', 0},
    {"torch.int32", 'i', 0},    {"torch.int64", 'i', 0},     {"torch.uint8", 'i', 0},
    {"torch.uint16", 'i', 0},   {"torch.uint32", 'i', 0},    {"torch.uint64", 'i', 0},
    {"Bool", 'b', 0},           {"torch.bool", 'b', 0},      {"Complex64", 'c', 0},
    {"Complex128", 'c', 0},     {"torch.complex64", 'c', 0}, {"torch.complex128", 'c', 0},
};

static const DtypeClass *dtype_class(Str dtype)
{
    for (size_t i = 0; i < sizeof dtype_classes / sizeof *dtype_classes; i++)
        if (str_equal(dtype, str_of(dtype_classes[i].name)))
            return &dtype_classes[i];
    return NULL;
}

bool msprobe_dtypes_meet(Str golden, Str target, bool cross_framework)
{
    const DtypeClass *a = dtype_class(golden), *b = dtype_class(target);
    if (!a || !b)
        return false;
    if (cross_framework)
        return a->class == b->class;
    return a->family != 0 && a->family == b->family;
}

// ---- the join

typedef struct Join {
    MsprobeRows *rows;
    Arena *arena, *scratch;
    const NameId *golden_keys, *target_keys;  // of slots; golden's as the target's names
    uint32_t *head, *tail;  // by target name: first and last golden slot of that name in the op
    uint32_t *same;         // how many
    uint32_t *next;         // by golden slot: the next of the same name
    uint32_t *order, order_capacity;
    bool cross_framework;
} Join;

static bool shapes_equal(const Join *join, const Slot *golden, const Slot *target)
{
    return msprobe_same_name(join->rows->to_target, golden->shape, target->shape);
}

static bool can_pair(const Join *join, const Slot *golden, const Slot *target)
{
    if (msprobe_same_name(join->rows->to_target, golden->dtype, target->dtype))
        return true;
    return msprobe_dtypes_meet(names_text(join->rows->golden->names, golden->dtype),
                               names_text(join->rows->target->names, target->dtype),
                               join->cross_framework);
}

static bool is_output(const Dump *dump, const Op *op, const Slot *slot, StrBuf *buffer)
{
    return str_find(row_name(dump, op, slot, buffer), STR(".output."), 0) != SIZE_MAX;
}

static void add_row(Join *join, MsprobeRow row)
{
    const Dump *golden = join->rows->golden, *target = join->rows->target;
    if (row.golden != SLOT_NONE &&
        !can_pair(join, &golden->slots[row.golden], &target->slots[row.target])) {
        row.golden = SLOT_NONE;
        row.golden_op = OP_NONE;
    }
    *ARRAY_PUSH(join->arena, join->rows) = row;
}

static uint32_t *slots_in_order(Join *join, const Dump *dump, const Op *op)
{
    if (op->slot_count > join->order_capacity) {
        join->order_capacity = op->slot_count * 2;
        join->order = ARENA_ARRAY(join->scratch, uint32_t, join->order_capacity);
    }
    msprobe_slot_order(dump, op, join->order);
    return join->order;
}

static void index_golden(Join *join, uint32_t golden_op)
{
    const Dump *dump = join->rows->golden;
    const Op *op = &dump->ops[golden_op];
    const uint32_t *order = slots_in_order(join, dump, op);
    for (uint32_t i = 0; i < op->slot_count; i++) {
        uint32_t slot = order[i];
        NameId key = join->golden_keys[slot];
        join->next[slot] = SLOT_NONE;
        if (key == KEY_UNKNOWN)
            continue;
        if (join->head[key] == SLOT_NONE)
            join->head[key] = slot;
        else
            join->next[join->tail[key]] = slot;
        join->tail[key] = slot;
        join->same[key]++;
    }
}

static void forget_golden(Join *join, uint32_t golden_op)
{
    const Op *op = &join->rows->golden->ops[golden_op];
    for (uint32_t i = 0; i < op->slot_count; i++) {
        NameId key = join->golden_keys[op->first_slot + i];
        if (key == KEY_UNKNOWN)
            continue;
        join->head[key] = join->tail[key] = SLOT_NONE;
        join->same[key] = 0;
    }
}

// All rows of one slot of the target: one for each golden slot of its name, at least one.
static void join_slot(Join *join, MsprobeRow row)
{
    const Slot *target = &join->rows->target->slots[row.target];
    NameId key = join->target_keys[row.target];
    uint32_t golden_op = row.golden_op;
    bool found = false, one_to_one = join->same[key] > MAX_SAME_NAME;
    uint32_t slot = golden_op == OP_NONE ? SLOT_NONE : join->head[key];
    for (; slot != SLOT_NONE; slot = join->next[slot]) {
        if (join->rows->generation == MSPROBE_8 &&
            !shapes_equal(join, &join->rows->golden->slots[slot], target))
            continue;
        row.golden = slot;
        row.golden_op = golden_op;
        add_row(join, row);
        row.first = false;
        found = true;
        if (one_to_one) {
            join->head[key] = join->next[slot];
            break;
        }
    }
    row.golden = SLOT_NONE;
    row.golden_op = OP_NONE;
    if (!found)
        add_row(join, row);
}

static void join_op(Join *join, uint32_t op_index, uint32_t golden_op, StrBuf *buffer)
{
    const Dump *target = join->rows->target;
    const Op *op = &target->ops[op_index];
    if (golden_op != OP_NONE)
        index_golden(join, golden_op);
    const uint32_t *order = slots_in_order(join, target, op);
    for (uint32_t i = 0; i < op->slot_count; i++)
        join_slot(join,
                  (MsprobeRow){.op = op_index,
                               .golden_op = golden_op,
                               .target = order[i],
                               .output = is_output(target, op, &target->slots[order[i]], buffer),
                               .first = i == 0});
    if (golden_op != OP_NONE)
        forget_golden(join, golden_op);
}

static bool is_pytorch(Framework framework)
{
    return framework == FRAMEWORK_PYTORCH || framework == FRAMEWORK_UNKNOWN;
}

static Join join_start(MsprobeRows *rows, Arena *rows_arena, Arena *scratch)
{
    const Dump *golden = rows->golden, *target = rows->target;
    NameId *golden_keys = slot_keys(golden, scratch);
    NameId *target_keys = slot_keys(target, scratch);
    rows->to_target = names_translate(golden->names, target->names, rows_arena);
    for (uint32_t i = 0; i < golden->slot_count; i++) {
        NameId key = rows->to_target[golden_keys[i]];
        golden_keys[i] = key == NAME_NONE && golden_keys[i] != NAME_NONE ? KEY_UNKNOWN : key;
    }
    size_t name_count = names_count(target->names) + 1;
    return (Join){.rows = rows,
                  .arena = rows_arena,
                  .scratch = scratch,
                  .golden_keys = golden_keys,
                  .target_keys = target_keys,
                  .head = array_of_none(scratch, name_count),
                  .tail = array_of_none(scratch, name_count),
                  .same = ARENA_ARRAY(scratch, uint32_t, name_count),
                  .next = array_of_none(scratch, (size_t)golden->slot_count + 1),
                  .cross_framework =
                      is_pytorch(golden->framework) != is_pytorch(target->framework)};
}

// golden_of[key] is the first golden op of that key.
static uint32_t *ops_by_key(const NameId *keys, uint32_t op_count, size_t key_count, Arena *arena)
{
    uint32_t *op_of = array_of_none(arena, key_count);
    for (uint32_t i = op_count; i > 0; i--)
        if (keys[i - 1] != NAME_NONE)
            op_of[keys[i - 1]] = i - 1;
    return op_of;
}

void msprobe_rows_build(const Dump *golden, const Dump *target, MsprobeGeneration generation,
                        Arena *arena, MsprobeRows *out)
{
    *out = (MsprobeRows){.golden = golden, .target = target, .generation = generation};
    Arena *scratch = arena_new();
    Keys keys = {.texts = names_new(scratch), .arena = scratch};
    keys.buffer = strbuf_new(scratch);
    keys.capacity = 64;
    keys.counts = ARENA_ARRAY(scratch, uint32_t, keys.capacity);
    NameId *golden_keys = op_keys(&keys, golden, generation);
    NameId *target_keys = op_keys(&keys, target, generation);
    uint32_t *golden_of =
        ops_by_key(golden_keys, golden->op_count, names_count(keys.texts) + 1, scratch);
    Join join = join_start(out, arena, scratch);
    for (uint32_t i = 0; i < target->op_count; i++)
        if (target_keys[i] != NAME_NONE)
            join_op(&join, i, golden_of[target_keys[i]], &keys.buffer);
    arena_release(scratch);
}
