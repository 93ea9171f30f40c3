// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_direct.h"

#include "read/dump/dump_cursor.h"

// One pass over the text of an entry, straight into slots. Whatever it does not know, it gives up:
// NULL goes up, and the entry is read again from a tree, which decides what is wrong with it.

enum {
    DEPTH_MAX = 16,   // open lists and objects
    MEMBERS_MAX = 64  // of one object: each key is compared with those before
};

Direct *direct_new(Reader *reader, size_t safe)
{
    Direct *direct = ARENA_NEW(reader->scratch, Direct);
    direct->reader = reader;
    direct->text = reader->text.data;
    direct->safe = direct->text + safe;
    return direct;
}

// An open list or object.
typedef struct Open {
    NameId path;
    uint32_t index;  // of the item at hand
    int first_key;   // where its keys begin in Walk.keys
    bool list;
} Open;

typedef struct Walk {
    Direct *direct;
    SlotGroup group;
    NameId path;  // of the node at hand
    int depth;
    int key_count;
    Open open[DEPTH_MAX];
    NameId keys[MEMBERS_MAX];  // paths of the members of the open objects
} Walk;

// Paths longer than this are left to the tree.
enum { PATH_BYTES_MAX = 512 };

static NameId child_path(Direct *direct, NameId parent, Str segment)
{
    if (names_text(direct->reader->names, parent).size + segment.size > PATH_BYTES_MAX)
        return NAME_NONE;
    return reader_child_path(direct->reader, parent, segment, 0);
}

static NameId index_path(Direct *direct, NameId parent, uint32_t index)
{
    IndexPath *known = &direct->index_paths[(parent * 31 + index) % INDEX_PATHS];
    if (known->path && known->parent == parent && known->index == index)
        return known->path;
    char digits[16];
    size_t at = sizeof digits;
    uint32_t rest = index;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    NameId path = child_path(direct, parent, (Str){digits + at, sizeof digits - at});
    if (path)
        *known = (IndexPath){parent, path, index};
    return path;
}

static NameId key_path(Direct *direct, NameId parent, Str key)
{
    bool found;
    Memo *memo = direct_memo(direct, key, SALT_PATH + parent, &found);
    if (found)
        return memo->id;
    NameId path = child_path(direct, parent, key);
    if (path) {
        memo->raw = key.data;
        memo->id = path;
    }
    return path;
}

// Each item of a list has its own path, but the list around a gradient adds none.
static bool enter_item(Walk *walk)
{
    const Open *open = &walk->open[walk->depth - 1];
    walk->path =
        walk->group == GROUP_GRADS ? open->path : index_path(walk->direct, open->path, open->index);
    return walk->path != NAME_NONE;
}

// A key of an object; gives the place of its value. Keys that tell a leaf of a form that is not
// known here end the walk, and so does a repeated one.
static const char *enter_member(Walk *walk, const char *at)
{
    const Open *open = &walk->open[walk->depth - 1];
    Str key;
    at = direct_string(walk->direct, at, &key);
    if (!at || str_equal(key, STR("type")) || str_equal(key, STR("class_type")))
        return NULL;
    walk->path = key_path(walk->direct, open->path, key);
    if (!walk->path || walk->key_count == MEMBERS_MAX)
        return NULL;
    for (int i = open->first_key; i < walk->key_count; i++)
        if (walk->keys[i] == walk->path)
            return NULL;
    walk->keys[walk->key_count++] = walk->path;
    return cursor_colon(at);
}

static bool push(Walk *walk, bool list)
{
    if (walk->depth == DEPTH_MAX)
        return false;
    walk->open[walk->depth++] =
        (Open){.path = walk->path, .first_key = walk->key_count, .list = list};
    return true;
}

// Where the node at `at` ends, or, if it opens a list or object, where its first child is.
static const char *enter_node(Walk *walk, const char *at, bool *complete)
{
    const char *inner = cursor_space(at + 1);
    *complete = true;
    if (*at == 'n') {
        reader_add_null(walk->direct->reader, walk->group, walk->path);
        return CURSOR_IS(at, "null") ? at + 4 : NULL;
    }
    if (*at == '{') {
        if (*inner == '}')
            return inner + 1;
        if (CURSOR_IS(inner, "\"type\""))
            return direct_leaf(walk->direct, inner, walk->group, walk->path);
        *complete = false;
        return push(walk, false) ? enter_member(walk, inner) : NULL;
    }
    if (*at != '[')
        return NULL;
    if (*inner == ']')
        return inner + 1;
    *complete = false;
    return push(walk, true) && enter_item(walk) ? inner : NULL;
}

// After a complete node: the next sibling, or, with depth 0, the end of the walk.
static const char *leave_node(Walk *walk, const char *at)
{
    while (walk->depth > 0) {
        Open *open = &walk->open[walk->depth - 1];
        if (at > walk->direct->safe)
            return NULL;
        at = cursor_space(at);
        if (*at == ',') {
            open->index++;
            at = cursor_space(at + 1);
            if (!open->list)
                return enter_member(walk, at);
            return enter_item(walk) ? at : NULL;
        }
        if (*at != (open->list ? ']' : '}'))
            return NULL;
        walk->key_count = open->first_key;
        walk->depth--;
        at++;
    }
    return at;
}

// All slots below the node at `at`; gives the place after it.
static const char *read_nodes(Direct *direct, const char *at, SlotGroup group, NameId path)
{
    Walk walk = {.direct = direct, .group = group, .path = path};
    while (at && at <= direct->safe) {
        bool complete;
        at = enter_node(&walk, at, &complete);
        if (at && complete) {
            at = leave_node(&walk, at);
            if (walk.depth == 0)
                return at;
        }
    }
    return NULL;
}

// The slots of one field of the entry, and their extras.
typedef struct Part {
    int field;
    uint32_t first, count;
    uint32_t first_extra, extra_count;
} Part;

typedef struct Parts {
    Part items[ENTRY_FIELDS];
    int count;
} Parts;

static const char *read_tristate(const char *at, uint8_t *out)
{
    *out = TRI_ABSENT;
    if (CURSOR_IS(at, "null"))
        return at + 4;
    *out = TRI_TRUE;
    if (CURSOR_IS(at, "true") || *at == '1')
        return at + (*at == '1' ? 1 : 4);
    *out = TRI_FALSE;
    if (*at == '0')
        return at + 1;
    return CURSOR_IS(at, "false") ? at + 5 : NULL;
}

static int find_entry_field(Str key)
{
    for (int i = 0; i < ENTRY_FIELDS; i++) {
        Str known = entry_fields[i].key;
        if (known.size == key.size && memcmp(known.data, key.data, key.size) == 0)
            return i;
    }
    return -1;
}

static const char *read_part(Direct *direct, const char *at, int field, Parts *parts)
{
    const Dump *dump = direct->reader->dump;
    Part part = {.field = field, .first = dump->slot_count, .first_extra = dump->extra_count};
    for (int i = 0; i < parts->count; i++)
        if (parts->items[i].field == field)
            return NULL;  // repeated
    if (!direct->field_paths[field])
        direct->field_paths[field] = names_add(direct->reader->names, entry_fields[field].path);
    at = read_nodes(direct, at, entry_fields[field].group, direct->field_paths[field]);
    part.count = dump->slot_count - part.first;
    part.extra_count = dump->extra_count - part.first_extra;
    parts->items[parts->count++] = part;
    return at;
}

static const char *read_member(Direct *direct, const char *at, Op *op, Parts *parts)
{
    Str key;
    at = direct_string(direct, at, &key);
    at = at ? cursor_colon(at) : NULL;
    if (!at)
        return NULL;
    int field = find_entry_field(key);
    if (field >= 0)
        return read_part(direct, at, field, parts);
    bool recompute = str_equal(key, STR("is_recompute"));
    uint8_t *state = recompute ? &op->recompute : &op->is_nan;
    bool known = recompute || str_equal(key, STR("is_nan"));
    return known && *state == TRI_ABSENT ? read_tristate(at, state) : NULL;
}

// Sorts the parts into the order of the rows. True if they were not.
static bool sort_parts(Parts *parts)
{
    bool moved = false;
    for (int i = 1; i < parts->count; i++) {
        for (int k = i; k > 0 && parts->items[k].field < parts->items[k - 1].field; k--) {
            Part part = parts->items[k];
            parts->items[k] = parts->items[k - 1];
            parts->items[k - 1] = part;
            moved = true;
        }
    }
    return moved;
}

// Room for `size` bytes that the next call takes again.
static void *moving_room(Direct *direct, size_t size)
{
    if (size > direct->room_size) {
        direct->room =
            arena_grow(direct->reader->scratch, direct->room, direct->room_size, size * 2);
        direct->room_size = size * 2;
    }
    return direct->room;
}

static void move_extras(Direct *direct, const Op *op, const Parts *parts)
{
    Dump *dump = direct->reader->dump;
    uint32_t count = 0, slot = op->first_slot, done = 0;
    for (int i = 0; i < parts->count; i++)
        count += parts->items[i].extra_count;
    SlotExtra *moved = moving_room(direct, count * sizeof *moved);
    for (int i = 0; i < parts->count; i++) {
        Part part = parts->items[i];
        for (uint32_t k = 0; k < part.extra_count; k++) {
            moved[done] = dump->extras[part.first_extra + k];
            moved[done++].slot += slot - part.first;
        }
        slot += part.count;
    }
    if (done)
        memcpy(&dump->extras[dump->extra_count - done], moved, done * sizeof *moved);
}

// The slots in the order of the rows: files have the parameters after the output.
static void reorder(Direct *direct, const Op *op, Parts *parts)
{
    Dump *dump = direct->reader->dump;
    if (!sort_parts(parts))
        return;
    uint32_t count = dump->slot_count - op->first_slot, done = 0;
    Slot *moved = moving_room(direct, count * sizeof *moved);
    for (int i = 0; i < parts->count; i++) {
        Part part = parts->items[i];
        if (part.count)
            memcpy(&moved[done], &dump->slots[part.first], part.count * sizeof *moved);
        done += part.count;
    }
    if (done)
        memcpy(&dump->slots[op->first_slot], moved, done * sizeof *moved);
    move_extras(direct, op, parts);
}

static const char *read_members(Direct *direct, const char *at, Op *op, Parts *parts)
{
    at = cursor_space(at + 1);
    if (*at == '}')
        return at + 1;
    for (;;) {
        at = read_member(direct, at, op, parts);
        if (!at || at > direct->safe)
            return NULL;
        at = cursor_space(at);
        if (*at == '}')
            return at + 1;
        if (*at != ',')
            return NULL;
        at = cursor_space(at + 1);
    }
}

size_t direct_entry(Direct *direct, Op *op, size_t from)
{
    const char *at = direct->text + from;
    Parts parts = {.count = 0};
    if (at > direct->safe || *at != '{' || op->kind == OP_DEBUG)
        return 0;
    if (op->kind == OP_GRADS)
        at = read_nodes(direct, at, GROUP_GRADS, NAME_NONE);
    else
        at = read_members(direct, at, op, &parts);
    if (!at || at > direct->safe)
        return 0;  // also if the entry took the '}' at `safe`, which may be ours
    reorder(direct, op, &parts);
    return (size_t)(at - direct->text);
}
