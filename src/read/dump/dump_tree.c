// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "base/words.h"
#include "read/dump/dump_parts.h"
#include "read/json/json_python.h"
#include "read/json/json_tree.h"

// Entries of any shape, from a JSON tree.

typedef enum LeafField {
    FIELD_TYPE,
    FIELD_DTYPE,
    FIELD_SHAPE,
    FIELD_STAT,
    FIELD_REQUIRES_GRAD,
    FIELD_DATA_NAME,
    FIELD_MD5,
    FIELD_CHECK_SUM,
    FIELD_VALUE,
    FIELD_FORMAT,
    FIELD_RANKS,
    FIELD_DESCRIPTION
} LeafField;

typedef struct LeafKey {
    Str key;
    LeafField field;
    Stat stat;
} LeafKey;

static const LeafKey leaf_keys[] = {
    {{"type", 4}, FIELD_TYPE, 0},
    {{"dtype", 5}, FIELD_DTYPE, 0},
    {{"shape", 5}, FIELD_SHAPE, 0},
    {{"Max", 3}, FIELD_STAT, STAT_MAX},
    {{"Min", 3}, FIELD_STAT, STAT_MIN},
    {{"Mean", 4}, FIELD_STAT, STAT_MEAN},
    {{"Norm", 4}, FIELD_STAT, STAT_NORM},
    {{"requires_grad", 13}, FIELD_REQUIRES_GRAD, 0},
    {{"data_name", 9}, FIELD_DATA_NAME, 0},
    {{"md5", 3}, FIELD_MD5, 0},
    {{"check_sum", 9}, FIELD_CHECK_SUM, 0},
    {{"value", 5}, FIELD_VALUE, 0},
    {{"format", 6}, FIELD_FORMAT, 0},
    {{"group_ranks", 11}, FIELD_RANKS, 0},
    {{"hsdp_shard_size", 15}, FIELD_DESCRIPTION, 0},
};

static NameId python_text(Reader *reader, const JsonNode *node)
{
    reader->python.size = 0;
    tree_python(node, &reader->python);
    return names_add(reader->names, strbuf_str(&reader->python));
}

// What Python takes for false: null, false, 0, "", [], {}.
static bool is_empty(const JsonNode *node)
{
    switch (node->kind) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return !node->truth;
    case JSON_INTEGER:
    case JSON_REAL:
        return python_real(node->text) == 0;
    case JSON_STRING:
        return node->text.size == 0;
    default:
        return node->child == NULL;
    }
}

static NameId text_unless_empty(Reader *reader, const JsonNode *node)
{
    return is_empty(node) ? NAME_NONE : python_text(reader, node);
}

static Datum datum_of_node(Reader *reader, const JsonNode *node)
{
    Datum datum = {.tag = TAG_NULL};
    JsonKind kind = node->kind;
    if (kind == JSON_BOOL)
        datum = (Datum){.tag = TAG_BOOL, .stat.integer = node->truth};
    else if (kind == JSON_INTEGER || kind == JSON_REAL) {
        Str digits = node->text;
        datum = datum_of_number(reader->names, digits, kind == JSON_REAL, python_real(digits));
    } else if (kind == JSON_LIST || kind == JSON_OBJECT)
        datum = (Datum){.tag = TAG_TEXT, .stat.text = python_text(reader, node)};
    return datum;
}

static Datum stat_of_node(Reader *reader, const JsonNode *node)
{
    if (node->kind == JSON_STRING)
        return datum_of_text(reader->names, node->text);
    return datum_of_node(reader, node);
}

static void read_value(Reader *reader, const JsonNode *node, Slot *slot, Leaf *leaf)
{
    static const ValueClass classes[] = {
        [JSON_NULL] = VALUE_NONE,   [JSON_BOOL] = VALUE_BOOL,  [JSON_INTEGER] = VALUE_INT,
        [JSON_REAL] = VALUE_FLOAT,  [JSON_STRING] = VALUE_STR, [JSON_LIST] = VALUE_LIST,
        [JSON_OBJECT] = VALUE_DICT,
    };
    leaf->has_value = true;
    slot->value = python_text(reader, node);
    leaf->value_class = classes[node->kind];
    leaf->value_datum = datum_of_node(reader, node);
    if (leaf->value_class == VALUE_LIST)
        leaf->value_shape = list_shape(reader->names, tree_count(node));
}

// A few development builds wrote the 64 bits of an xor checksum as a signed number.
static NameId signed_checksum(Reader *reader, const JsonNode *node)
{
    int64_t value;
    char text[24];
    if (node->kind != JSON_INTEGER || !str_to_int64(node->text, &value))
        return text_unless_empty(reader, node);
    int size = snprintf(text, sizeof text, "0x%016llx", (unsigned long long)value);
    return names_add(reader->names, (Str){text, (size_t)size});
}

static NameId file_name(Reader *reader, const JsonNode *node)
{
    if (node->kind != JSON_STRING)
        return NAME_NONE;
    Str name = node->text;
    return name.size == 0 || str_equal(name, STR("-1")) ? NAME_NONE
                                                        : names_add(reader->names, name);
}

static Tristate bool_of_node(const JsonNode *node)
{
    if (node->kind != JSON_BOOL)
        return TRI_ABSENT;
    return node->truth ? TRI_TRUE : TRI_FALSE;
}

static void set_stat(Slot *slot, Stat stat, Datum datum)
{
    slot->tag[stat] = (uint8_t)datum.tag;
    slot->stat[stat] = datum.stat;
}

static void read_field(Reader *reader, const LeafKey *key, const JsonNode *node, Slot *slot,
                       Leaf *leaf)
{
    switch (key->field) {
    case FIELD_TYPE:
        slot->type = python_text(reader, node);
        break;
    case FIELD_DTYPE:
        slot->dtype = text_unless_empty(reader, node);
        break;
    case FIELD_SHAPE:
        slot->shape = node->kind == JSON_NULL ? NAME_NONE : python_text(reader, node);
        break;
    case FIELD_STAT:
        set_stat(slot, key->stat, stat_of_node(reader, node));
        break;
    case FIELD_REQUIRES_GRAD:
        slot->requires_grad = (uint8_t)bool_of_node(node);
        break;
    case FIELD_DATA_NAME:
        slot->data_name = file_name(reader, node);
        break;
    case FIELD_MD5:
        slot->checksum = text_unless_empty(reader, node);
        break;
    case FIELD_CHECK_SUM:
        slot->checksum = slot->checksum ? slot->checksum : signed_checksum(reader, node);
        break;
    case FIELD_VALUE:
        read_value(reader, node, slot, leaf);
        break;
    case FIELD_FORMAT:
        leaf->format = node->kind == JSON_NULL ? NAME_NONE : python_text(reader, node);
        break;
    case FIELD_RANKS:
        leaf->ranks = python_text(reader, node);
        break;
    case FIELD_DESCRIPTION:
        dump_describe(reader->dump, 1);
        break;
    }
}

static const LeafKey *find_leaf_key(Str key)
{
    for (size_t i = 0; i < sizeof leaf_keys / sizeof *leaf_keys; i++)
        if (str_equal(leaf_keys[i].key, key))
            return &leaf_keys[i];
    return NULL;
}

static bool read_extra(Reader *reader, Str key, const JsonNode *node, Leaf *leaf)
{
    for (int i = 0; i < EXTRA_KEYS; i++) {
        if (str_equal(extra_keys[i], key)) {
            leaf->extra[i] = python_text(reader, node);
            leaf->has_extra = true;
            return true;  // python_text may have overwritten the key
        }
    }
    return false;
}

static void note_unknown(Reader *reader, const JsonNode *member, size_t at)
{
    if (member->kind != JSON_NULL)
        notices_partial(reader->notices, reader_where(reader, at),
                        tr("the field '" STR_FMT "' is not known and is not compared"),
                        STR_ARG(str_slice(member->key, 0, 64)));
}

// Into the next slot; the caller counts it. `at`: byte of the entry.
static void read_leaf(Reader *reader, const JsonNode *object, size_t at, Leaf *leaf)
{
    Slot *slot = reader_next_slot(reader);
    for (const JsonNode *node = object->child; node; node = node->next) {
        Str key = node->key;
        const LeafKey *known = find_leaf_key(key);
        if (known)
            read_field(reader, known, node, slot, leaf);
        else if (!read_extra(reader, key, node, leaf))
            note_unknown(reader, node, at);
    }
}

static bool is_string(const JsonNode *node)
{
    return node && node->kind == JSON_STRING;
}

// A user's dictionary may have a key "type" too.
static bool is_leaf(const JsonNode *object)
{
    static const Str signs[] = {
        {"value", 5}, {"dtype", 5}, {"shape", 5}, {"format", 6}, {"group_ranks", 11}};
    const JsonNode *type = tree_member(object, STR("type"));
    if (!is_string(type))
        return false;
    if (leaf_type_known(type->text))
        return true;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (tree_member(object, signs[i]))
            return true;
    return false;
}

static void read_point_to_point(Reader *reader, SlotGroup group, NameId path,
                                const JsonNode *object, size_t at)
{
    Leaf leaf = {0};
    const JsonNode *tensor = tree_member(object, STR("tensor"));
    bool found = tensor && tensor->kind == JSON_OBJECT && is_leaf(tensor);
    if (found)
        read_leaf(reader, tensor, at, &leaf);
    for (const JsonNode *node = object->child; node; node = node->next)
        if (!read_extra(reader, node->key, node, &leaf) &&
            !STR_IN(node->key, "class_type", "tensor"))
            note_unknown(reader, node, at);
    if (found) {
        reader_keep_leaf(reader, group, path, &leaf);
    } else {
        reader_add_null(reader, group, path);
        reader_add_extras(reader, &leaf);
    }
}

// One open list or object of the walk.
typedef struct Level {
    const JsonNode *next;  // the child to visit next
    NameId path;
    bool list;
    int index;
} Level;

typedef struct Walk {
    Reader *reader;
    SlotGroup group;
    size_t at;  // byte of the entry, for messages
    int depth;
    Level levels[JSON_DEPTH_MAX + 1];
} Walk;

static void warn_plain(Walk *walk)
{
    notices_partial(walk->reader->notices, reader_where(walk->reader, walk->at), "%s",
                    tr("a plain value is in the place of a tensor or argument; it is ignored"));
}

static void visit(Walk *walk, const JsonNode *node, NameId path)
{
    Reader *reader = walk->reader;
    bool object = node->kind == JSON_OBJECT;
    if (node->kind == JSON_NULL) {
        reader_add_null(reader, walk->group, path);
    } else if (!object && node->kind != JSON_LIST) {
        warn_plain(walk);
    } else if (object && is_string(tree_member(node, STR("class_type")))) {
        read_point_to_point(reader, walk->group, path, node, walk->at);
    } else if (object && is_leaf(node)) {
        Leaf leaf = {0};
        read_leaf(reader, node, walk->at, &leaf);
        reader_keep_leaf(reader, walk->group, path, &leaf);
    } else if (node->child && walk->depth <= JSON_DEPTH_MAX) {
        walk->levels[walk->depth++] =
            (Level){.next = node->child, .path = path, .list = node->kind == JSON_LIST};
    }
}

// False: too long a path, the child is left out.
static bool path_of_child(Walk *walk, const Level *level, const JsonNode *child, NameId *path)
{
    char index[16];
    Str segment = {index, 0};
    if (!level->list) {
        segment = child->key;
    } else if (walk->group == GROUP_GRADS) {
        *path = level->path;  // the list around a gradient adds no index
        return true;
    } else {
        segment.size = (size_t)snprintf(index, sizeof index, "%d", level->index);
    }
    *path = reader_child_path(walk->reader, level->path, segment, walk->at);
    return *path != NAME_NONE;
}

static void walk_tree(Walk *walk, const JsonNode *root, NameId path)
{
    visit(walk, root, path);
    while (walk->depth > 0) {
        Level *level = &walk->levels[walk->depth - 1];
        const JsonNode *child = level->next;
        if (!child) {
            walk->depth--;
            continue;
        }
        NameId child_path;
        bool usable = path_of_child(walk, level, child, &child_path);
        level->next = child->next;
        level->index++;
        if (usable)
            visit(walk, child, child_path);
    }
}

static Tristate tristate(const JsonNode *node)
{
    if (!node || node->kind == JSON_NULL)
        return TRI_ABSENT;
    return is_empty(node) ? TRI_FALSE : TRI_TRUE;
}

static bool is_entry_field(Str key)
{
    for (int i = 0; i < ENTRY_FIELDS; i++)
        if (str_equal(entry_fields[i].key, key))
            return true;
    return false;
}

static void read_fields(Reader *reader, Op *op, const JsonNode *entry, Walk *walk)
{
    for (int i = 0; i < ENTRY_FIELDS; i++) {
        const JsonNode *node = tree_member(entry, entry_fields[i].key);
        if (!node)
            continue;
        walk->group = entry_fields[i].group;
        walk_tree(walk, node, names_add(reader->names, entry_fields[i].path));
    }
    for (const JsonNode *node = entry->child; node; node = node->next)
        if (!is_entry_field(node->key) && !STR_IN(node->key, "is_recompute", "is_nan"))
            note_unknown(reader, node, walk->at);
    op->recompute = (uint8_t)tristate(tree_member(entry, STR("is_recompute")));
    op->is_nan = (uint8_t)tristate(tree_member(entry, STR("is_nan")));
}

static void read_tree(Reader *reader, Op *op, const JsonTree *tree, size_t from)
{
    Walk walk = {.reader = reader, .at = from};
    if (op->kind == OP_DEBUG || op->kind == OP_GRADS) {
        walk.group = op->kind == OP_DEBUG ? GROUP_DEBUG : GROUP_GRADS;
        walk_tree(&walk, tree->root, NAME_NONE);
    } else {
        read_fields(reader, op, tree->root, &walk);
    }
    if (tree->repeated) {
        reader->dump->seen += tree->repeated;
        reader->dump->repeated += tree->repeated;
        notices_add(reader->notices, NOTICE_WARNING, reader_where(reader, from), "%s",
                    tr("a key is repeated within an entry; the last value counts"));
    }
}

bool dump_tree_entry(Reader *reader, Op *op, size_t from, size_t to)
{
    JsonTree tree;
    Arena *scratch = arena_new();
    bool good = tree_parse(str_slice(reader->text, from, to), scratch, &tree);
    if (good)
        read_tree(reader, op, &tree, from);
    arena_release(scratch);
    return good;
}
