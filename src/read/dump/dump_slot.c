// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/words.h"
#include "read/dump/dump_parts.h"

// From the fields of a leaf to the slot that msProbe's reports would show (spec: flattening one
// op). Both entry readers end here.

const EntryField entry_fields[ENTRY_FIELDS] = {
    {{"input_args", 10}, GROUP_INPUT, {"input", 5}},
    {{"input_kwargs", 12}, GROUP_KWARGS, {"input", 5}},
    {{"input", 5}, GROUP_INPUT, {"input", 5}},
    {{"grad_output", 11}, GROUP_INPUT, {"input", 5}},
    {{"parameters", 10}, GROUP_PARAMETERS, {"parameters", 10}},
    {{"output", 6}, GROUP_OUTPUT, {"output", 6}},
    {{"grad_input", 10}, GROUP_OUTPUT, {"output", 6}},
};

const Str extra_keys[EXTRA_KEYS] = {
    {"op", 2},           {"peer", 4},        {"tag", 3},    {"group_id", 8},
    {"device_mesh", 11}, {"placements", 10}, {"layout", 6},
};

// Types that have a row of their own in msProbe's table.
typedef enum LeafForm {
    FORM_PLAIN,  // four times the value
    FORM_SIZE,   // torch.Size: the value is the shape
    FORM_SLICE,  // the shape of the value
    FORM_GROUP,  // torch.ProcessGroup: four times the ranks
    FORM_ELLIPSIS
} LeafForm;

typedef struct LeafType {
    Str text;
    LeafForm form;
    bool other;  // SLOT_OTHER
} LeafType;

static const LeafType leaf_types[] = {
    {{"int", 3}, FORM_PLAIN, false},
    {{"float", 5}, FORM_PLAIN, false},
    {{"bool", 4}, FORM_PLAIN, false},
    {{"str", 3}, FORM_PLAIN, false},
    {{"slice", 5}, FORM_SLICE, true},
    {{"ellipsis", 8}, FORM_ELLIPSIS, true},
    {{"torch.Size", 10}, FORM_SIZE, true},
    {{"torch.device", 12}, FORM_PLAIN, false},
    {{"torch.dtype", 11}, FORM_PLAIN, false},
    {{"mindspore.dtype", 15}, FORM_PLAIN, false},
    {{"torch.memory_format", 19}, FORM_PLAIN, true},
    {{"torch.ProcessGroup", 18}, FORM_GROUP, true},
    {{"mindspore.ProcessGroup", 22}, FORM_PLAIN, true},
    {{"torch.distributed.ReduceOp", 26}, FORM_PLAIN, false},
    {{"numpy.ndarray", 13}, FORM_PLAIN, false},
};

static const LeafType *find_leaf_type(Str type)
{
    for (size_t i = 0; i < sizeof leaf_types / sizeof *leaf_types; i++)
        if (str_equal(leaf_types[i].text, type))
            return &leaf_types[i];
    return NULL;
}

bool leaf_type_known(Str type)
{
    return find_leaf_type(type) || str_ends(type, STR("Tensor"));
}

Where reader_where(const Reader *reader, size_t at)
{
    return (Where){.file = reader->dump->path.data, .line = 0, .byte = (int64_t)(at)};
}

Datum datum_of_number(Names *names, Str digits, bool is_real, double real)
{
    Datum out = {.tag = TAG_REAL};
    if (is_real)
        out.stat.real = real;
    else if (str_to_int64(digits, &out.stat.integer))
        out.tag = TAG_INT;
    else if (str_to_uint64(digits, &out.stat.natural))
        out.tag = TAG_UINT;
    else {
        out.tag = TAG_BIGINT;
        out.stat.text = names_add(names, digits);
    }
    return out;
}

// "tensor(nan)", "tensor(1.5, device='npu:0')": the number that was printed so.
static Str without_tensor(Str text)
{
    if (!str_starts(text, STR("tensor(")) || !str_ends(text, STR(")")))
        return text;
    Str inside = str_slice(text, 7, text.size - 1);
    return str_trim(str_slice(inside, 0, str_find_char(inside, ',', 0)));
}

Datum datum_of_text(Names *names, Str text)
{
    Datum out = {.tag = TAG_INT};
    Str number = without_tensor(text);
    if (str_to_int64(number, &out.stat.integer))
        return out;
    bool whole = number.size > 0;
    for (size_t i = number.size && number.data[0] == '-' ? 1 : 0; i < number.size; i++)
        whole = whole && is_digit(number.data[i]);
    if (whole && number.size > 1)
        return datum_of_number(names, number, false, 0);
    out.tag = TAG_REAL;
    if (number_of_text(number, &out.stat.real))
        return out;
    out.tag = TAG_TEXT;
    out.stat.text = names_add(names, text);
    return out;
}

NameId list_shape(Names *names, uint64_t items)
{
    char text[32];
    int size = snprintf(text, sizeof text, "(%llu,)", (unsigned long long)items);
    return names_add(names, (Str){text, (size_t)size});
}

// How many items there will be by the end of the file if the rest is like the part read so far, and
// none is shorter than 64 bytes.
static size_t expected_count(const Reader *reader, size_t count)
{
    const Dump *dump = reader->dump;
    double size = (double)reader->text.size;
    double done = (double)(dump->ops[dump->op_count - 1].offset) / size;
    double expected = done > 0 ? (double)count / done * 1.02 : 0, most = (double)count + size / 64;
    return (size_t)(expected < most ? expected : most);
}

void *reader_more(Reader *reader, void *items, size_t size, size_t count, size_t *capacity)
{
    enum { ESTIMATE_FROM = 4096 };
    size_t wanted = count + count / 4 + 64;
    size_t expected = count >= ESTIMATE_FROM ? expected_count(reader, count) : 0;
    size_t old = *capacity;
    if (expected <= wanted) {
        *capacity = wanted;
        return arena_grow(reader->arena, items, old * size, wanted * size);
    }
    // Fresh memory: unlike the grown part of an old block, none of it is touched before its use.
    *capacity = expected;
    void *fresh = arena_array(reader->arena, expected, size);
    memcpy(fresh, items, count * size);
    return fresh;
}

Slot *reader_next_slot(Reader *reader)
{
    Dump *dump = reader->dump;
    if (dump->slot_count == reader->slot_capacity)
        dump->slots = reader_more(reader, dump->slots, sizeof *dump->slots, dump->slot_count,
                                  &reader->slot_capacity);
    Slot *slot = &dump->slots[dump->slot_count];
    *slot = (Slot){0};
    dump->seen++;
    return slot;
}

static void add_extra(Reader *reader, NameId key, NameId text)
{
    Dump *dump = reader->dump;
    if (dump->extra_count == reader->extra_capacity)
        dump->extras = reader_more(reader, dump->extras, sizeof *dump->extras, dump->extra_count,
                                   &reader->extra_capacity);
    dump->extras[dump->extra_count++] =
        (SlotExtra){.slot = dump->slot_count - 1, .key = key, .text = text};
}

static void set_all(Slot *slot, Datum datum)
{
    for (int i = 0; i < STAT_COUNT; i++) {
        slot->tag[i] = (uint8_t)datum.tag;
        slot->stat[i] = datum.stat;
    }
}

void reader_add_null(Reader *reader, SlotGroup group, NameId path)
{
    Slot *slot = reader_next_slot(reader);
    reader->dump->slot_count++;
    slot->path = path;
    slot->group = (uint8_t)group;
    slot->kind = SLOT_NULL;
    set_all(slot, (Datum){.tag = TAG_NULL});
}

static bool has_text(const Slot *slot)
{
    bool text = false;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        text = text || slot->tag[stat] == TAG_TEXT;
    return text;
}

static void fill_tensor(Reader *reader, Slot *slot)
{
    slot->kind = SLOT_TENSOR;
    reader->text_stats += has_text(slot);
    if (slot->checksum)
        reader->dump->has_checksum = true;
    if (slot->data_name)
        reader->dump->has_data_name = true;
}

static Datum text_datum(Reader *reader, NameId text)
{
    NameId shown = text ? text : names_add(reader->names, STR("None"));
    return (Datum){.tag = TAG_TEXT, .stat.text = shown};
}

static Str class_text(ValueClass value_class)
{
    static const Str texts[] = {
        [VALUE_NONE] = {"<class 'NoneType'>", 18}, [VALUE_BOOL] = {"<class 'bool'>", 14},
        [VALUE_INT] = {"<class 'int'>", 13},       [VALUE_FLOAT] = {"<class 'float'>", 15},
        [VALUE_STR] = {"<class 'str'>", 13},       [VALUE_LIST] = {"<class 'list'>", 14},
        [VALUE_DICT] = {"<class 'dict'>", 14},
    };
    return texts[value_class];
}

static NameId class_name(Reader *reader, ValueClass value_class)
{
    NameId *name = &reader->class_names[value_class];
    if (*name == NAME_NONE)
        *name = names_add(reader->names, class_text(value_class));
    return *name;
}

static Datum plain_datum(Reader *reader, const Slot *slot, const Leaf *leaf)
{
    if (leaf->value_class == VALUE_NONE)
        return (Datum){.tag = TAG_NULL};
    if (leaf->value_class >= VALUE_STR)
        return text_datum(reader, slot->value);
    return leaf->value_datum;
}

// Process ranks given as arguments are compared as text by msProbe.
static bool names_a_rank(Str path)
{
    return STR_IN(str_behind(path, '.'), "src", "dst", "group_src", "group_dst");
}

static void fill_scalar(Reader *reader, Slot *slot, const Leaf *leaf)
{
    const LeafType *type = find_leaf_type(names_text(reader->names, slot->type));
    LeafForm form = type ? type->form : FORM_PLAIN;
    if (reader->empty_list == NAME_NONE)
        reader->empty_list = names_add(reader->names, STR("[]"));
    slot->kind = (type && type->other) || !leaf->has_value ? SLOT_OTHER : SLOT_SCALAR;
    slot->dtype = slot->type;
    slot->shape = reader->empty_list;
    set_all(slot, (Datum){.tag = TAG_NULL});
    if (form == FORM_SIZE)
        slot->shape = slot->value ? slot->value : names_add(reader->names, STR("None"));
    else if (form == FORM_SLICE)
        slot->shape = leaf->value_shape ? leaf->value_shape : names_add(reader->names, STR("()"));
    else if (form == FORM_ELLIPSIS)
        set_all(slot, plain_datum(reader, slot, leaf));
    else if (names_a_rank(names_text(reader->names, slot->path)))
        set_all(slot, text_datum(reader, slot->value));
    else if (form == FORM_GROUP)
        set_all(slot, text_datum(reader, leaf->ranks));
    else {
        slot->dtype = class_name(reader, leaf->value_class);
        set_all(slot, plain_datum(reader, slot, leaf));
    }
}

// A tensor has a dtype; where that was not recorded its type and statistics tell.
static bool is_tensor(const Reader *reader, const Slot *slot)
{
    if (slot->dtype)
        return true;
    bool told = slot->checksum != NAME_NONE;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        told = told || slot->tag[stat] > TAG_NULL;
    return told && str_ends(names_text(reader->names, slot->type), STR("Tensor"));
}

void reader_keep_leaf(Reader *reader, SlotGroup group, NameId path, const Leaf *leaf)
{
    Slot *slot = &reader->dump->slots[reader->dump->slot_count++];
    slot->path = path;
    slot->group = (uint8_t)group;
    if (is_tensor(reader, slot))
        fill_tensor(reader, slot);
    else
        fill_scalar(reader, slot, leaf);
    if (!slot->value)
        slot->value = leaf->ranks ? leaf->ranks : leaf->format;
    if (leaf->has_extra)
        reader_add_extras(reader, leaf);
}

void reader_add_extras(Reader *reader, const Leaf *leaf)
{
    for (int i = 0; i < EXTRA_KEYS; i++)
        if (leaf->extra[i])
            add_extra(reader, names_add(reader->names, extra_keys[i]), leaf->extra[i]);
}

// Real paths stay far below; without a bound, deep nesting of long keys would cost the square of
// the file.
enum { PATH_BYTES_MAX = 1024 };

NameId reader_child_path(Reader *reader, NameId parent, Str segment, size_t at)
{
    Str above = names_text(reader->names, parent);
    if (above.size + segment.size >= PATH_BYTES_MAX) {
        notices_partial(reader->notices, reader_where(reader, at), "%s",
                        tr("values below a path of more than 1024 bytes are not read"));
        return NAME_NONE;
    }
    StrBuf *path = &reader->path;
    path->size = 0;
    if (parent) {
        strbuf_add(path, above);
        strbuf_add_char(path, '.');
    }
    strbuf_add(path, segment);
    return names_add(reader->names, strbuf_str(path));
}
