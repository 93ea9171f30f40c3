// SPDX-License-Identifier: Apache-2.0
#include "read/settings/yaml_tree.h"

#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "base/names.h"
#include "base/number.h"
#include "base/words.h"

enum { DEPTH_MAX = 64, VALUES_MAX = 1000000 };

// A place by key, so that large maps stay linear.
typedef struct KeySlot {
    struct YamlNode *node;
    NameId key;
} KeySlot;

// A list or map that is still open.
typedef struct Open {
    YamlNode *node;
    YamlNode *last;  // its last item
    Str key;         // of the value to come
    uint64_t key_line;
    bool has_key;
    KeySlot *slots;
    size_t capacity;
} Open;

typedef struct Builder {
    const char *path;
    Arena *arena;
    Notices *notices;
    Error *err;
    // All keys. Their numbers count up, so no choice of keys makes many of one map fall together.
    Names *keys;
    Open open[DEPTH_MAX];
    size_t depth;
    size_t values;
    YamlNode *root;
    bool documents;  // one was seen
} Builder;

static bool refuse(Builder *build, const yaml_event_t *event, const char *why)
{
    return error_set(build->err, ERR_INPUT,
                     WHERE_LINE(build->path, (uint64_t)event->start_mark.line + 1), "%s", why);
}

static KeySlot *slot_of(const Open *open, NameId key)
{
    size_t at = (size_t)key & (open->capacity - 1);
    while (open->slots[at].node && open->slots[at].key != key)
        at = (at + 1) & (open->capacity - 1);
    return &open->slots[at];
}

static void grow_slots(Builder *build, Open *open)
{
    size_t old = open->capacity;
    if (open->node->count * 2 < old)
        return;
    KeySlot *before = open->slots;
    open->capacity = old ? old * 2 : 16;
    open->slots = ARENA_ARRAY(build->arena, KeySlot, open->capacity);
    for (size_t i = 0; i < old; i++)
        if (before[i].node)
            *slot_of(open, before[i].key) = before[i];
}

static void append(Open *open, YamlNode *node)
{
    if (open->last)
        open->last->next = node;
    else
        open->node->first = node;
    open->last = node;
    open->node->count++;
}

// A repeated key: the new value takes the old one's place. An open list or map is filled in place.
static YamlNode *take_place(Builder *build, YamlNode *old, const YamlNode *node)
{
    YamlNode *next = old->next;
    notices_add(build->notices, NOTICE_WARNING, WHERE_LINE(build->path, node->line), "%s",
                tr("a key comes twice; its last value counts"));
    *old = *node;
    old->next = next;
    return old;
}

// Puts the value where it belongs; NULL with the error set.
static YamlNode *place(Builder *build, const yaml_event_t *event, YamlNode node)
{
    if (++build->values > VALUES_MAX) {
        refuse(build, event, tr("more than a million values"));
        return NULL;
    }
    Open *open = build->depth ? &build->open[build->depth - 1] : NULL;
    node.line = (uint64_t)event->start_mark.line + 1;
    if (open && open->node->kind == YAML_IS_MAP) {
        node.key = open->key;
        open->has_key = false;
        grow_slots(build, open);
        NameId key = names_add(build->keys, node.key);
        KeySlot *slot = slot_of(open, key);
        if (slot->node)
            return take_place(build, slot->node, &node);
        *slot = (KeySlot){.node = ARENA_NEW(build->arena, YamlNode), .key = key};
        *slot->node = node;
        append(open, slot->node);
        return slot->node;
    }
    YamlNode *kept = ARENA_NEW(build->arena, YamlNode);
    *kept = node;
    if (open)
        append(open, kept);
    else
        build->root = kept;
    return kept;
}

static bool start_node(Builder *build, const yaml_event_t *event, YamlKind kind)
{
    Open *parent = build->depth ? &build->open[build->depth - 1] : NULL;
    if (parent && parent->node->kind == YAML_IS_MAP && !parent->has_key)
        return refuse(build, event, tr("expected a text as key"));
    if (build->depth == DEPTH_MAX)
        return refuse(build, event, tr("nested deeper than 64"));
    YamlNode *node = place(build, event, (YamlNode){.kind = kind});
    if (!node)
        return false;
    build->open[build->depth++] = (Open){.node = node};
    return true;
}

static bool add_scalar(Builder *build, const yaml_event_t *event)
{
    Open *open = build->depth ? &build->open[build->depth - 1] : NULL;
    Str text = {(const char *)event->data.scalar.value, event->data.scalar.length};
    text = str_copy(build->arena, text);
    if (open && open->node->kind == YAML_IS_MAP && !open->has_key) {
        open->key = text;
        open->has_key = true;
        return true;
    }
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return place(build, event, (YamlNode){.kind = YAML_IS_TEXT, .text = text, .plain = plain});
}

static bool has_tag_or_anchor(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor || event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    default:
        return event->type == YAML_ALIAS_EVENT;
    }
}

static bool take_event(Builder *build, const yaml_event_t *event)
{
    if (has_tag_or_anchor(event))
        return refuse(build, event, tr("tags (!), anchors (&) and aliases (*) are not read here"));
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (build->documents)
            return refuse(build, event, tr("a second document starts here; one is expected"));
        build->documents = true;
        return true;
    case YAML_SCALAR_EVENT:
        return add_scalar(build, event);
    case YAML_SEQUENCE_START_EVENT:
        return start_node(build, event, YAML_IS_LIST);
    case YAML_MAPPING_START_EVENT:
        return start_node(build, event, YAML_IS_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        build->depth--;
        return true;
    default:
        return true;
    }
}

static bool build_tree(Builder *build, yaml_parser_t *parser)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return error_set(build->err, ERR_INPUT,
                             WHERE_LINE(build->path, (uint64_t)parser->problem_mark.line + 1),
                             tr("broken YAML: %s"), parser->problem ? parser->problem : "?");
        bool good = take_event(build, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (!good)
            return false;
    }
    return true;
}

bool yaml_read_text(const char *path, Str text, Arena *arena, YamlNode **out, Notices *notices,
                    Error *err)
{
    yaml_parser_t parser;
    *out = NULL;
    if (!yaml_parser_initialize(&parser))
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("out of memory"));
    Builder *build = ARENA_NEW(arena, Builder);
    build->path = path;
    build->arena = arena;
    build->notices = notices;
    build->err = err;
    build->keys = names_new(arena);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.size);
    bool good = build_tree(build, &parser);
    yaml_parser_delete(&parser);
    *out = good ? build->root : NULL;
    return good;
}

bool yaml_read(const char *path, Arena *arena, YamlNode **out, Notices *notices, Error *err)
{
    File file;
    *out = NULL;
    if (!file_open(path, &file, err))
        return false;
    bool good = yaml_read_text(path, file.text, arena, out, notices, err);
    file_close(&file);
    return good;
}

const YamlNode *yaml_find(const YamlNode *map, Str key)
{
    if (!map || map->kind != YAML_IS_MAP)
        return NULL;
    for (const YamlNode *at = map->first; at; at = at->next)
        if (str_equal(at->key, key))
            return at;
    return NULL;
}

bool yaml_number(const YamlNode *node, double *out)
{
    return node->kind == YAML_IS_TEXT && node->plain && number_of_text(node->text, out);
}

bool yaml_bool(const YamlNode *node, bool *out)
{
    *out = node->kind == YAML_IS_TEXT && node->plain && str_equal_nocase(node->text, STR("true"));
    return *out || (node->kind == YAML_IS_TEXT && node->plain &&
                    str_equal_nocase(node->text, STR("false")));
}

bool yaml_is_null(const YamlNode *node)
{
    return node->kind == YAML_IS_TEXT && node->plain &&
           (node->text.size == 0 || str_equal(node->text, STR("~")) ||
            str_equal_nocase(node->text, STR("null")));
}

const char *yaml_kind_text(const YamlNode *node)
{
    static const char *const kinds[] = {TR("a text"), TR("a list"), TR("an object")};
    return tr(kinds[node->kind]);
}
