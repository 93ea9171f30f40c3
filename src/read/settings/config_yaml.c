// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <yaml.h>

#include "base/array.h"
#include "base/words.h"
#include "read/settings/config_file.h"

// Nodes are walked with a stack of our own; an alias is walked where it stands, so the number of
// settings and the depth bound what a file can cost.

typedef struct YamlPlace {
    int node;
    Str path;
    int depth;
} YamlPlace;
typedef struct YamlPlaces {
    YamlPlace *items;
    size_t count, capacity;
} YamlPlaces;

typedef struct YamlWalk {
    const char *file;
    yaml_document_t *document;
    Arena *arena;
    Config *out;
    YamlPlaces pending;
    size_t visited;
    size_t room;  // bytes of paths and values that are still taken
} YamlWalk;

// An alias repeats what it names. What people write needs less by far.
enum { ROOM_LEAST = 4 << 20, ROOM_EACH_BYTE = 8 };

static Str scalar_text(const yaml_node_t *node)
{
    if (!node || node->type != YAML_SCALAR_NODE)
        return STR("");
    return (Str){(const char *)node->data.scalar.value, node->data.scalar.length};
}

static bool take_room(YamlWalk *walk, size_t bytes)
{
    bool fits = bytes <= walk->room;
    walk->room -= fits ? bytes : 0;
    walk->out->repeated += !fits;
    return fits;
}

static void add_value(YamlWalk *walk, Str path, Str value, uint64_t line)
{
    config_add(walk->out, walk->arena,
               (ConfigItem){.path = path, .value = value, .file = walk->file, .line = line});
}

// The places are taken from the end, so they are added in reverse.
static void push(YamlWalk *walk, int node, Str path, int depth)
{
    if (take_room(walk, path.size))
        *ARRAY_PUSH(walk->arena, &walk->pending) = (YamlPlace){node, path, depth};
}

enum { LIST_SHOWN = 64, LISTS_DEEP = 3 };

// One of a list: a scalar, or a list that is written out, so many levels deep.
static void write_item(YamlWalk *walk, int index, size_t before, int levels, StrBuf *out)
{
    const yaml_node_t *node = yaml_document_get_node(walk->document, index);
    strbuf_add(out, before ? STR(", ") : STR(""));
    if (!node || node->type == YAML_SCALAR_NODE) {
        strbuf_add(out, scalar_text(node));
        return;
    }
    const yaml_node_item_t *items = node->data.sequence.items.start;
    size_t count = node->type == YAML_SEQUENCE_NODE
                       ? (size_t)(node->data.sequence.items.top - items)
                       : SIZE_MAX;
    if (count > LIST_SHOWN || levels == 0 || !take_room(walk, 2 + 2 * count)) {
        strbuf_add(out, count == SIZE_MAX ? STR("{...}") : STR("[...]"));
        return;
    }
    strbuf_add_char(out, '[');
    for (size_t i = 0; i < count; i++)
        write_item(walk, items[i], i, levels - 1, out);
    strbuf_add_char(out, ']');
}

// A short list of scalars is a value of its own, "[0.9, 0.95]", next to its members.
static void add_list(YamlWalk *walk, const yaml_node_t *node, YamlPlace at)
{
    const yaml_node_item_t *items = node->data.sequence.items.start;
    size_t count = (size_t)(node->data.sequence.items.top - items), bytes = 0;
    for (size_t i = 0; i < count && i < LIST_SHOWN; i++)
        bytes += scalar_text(yaml_document_get_node(walk->document, items[i])).size;
    if (!take_room(walk, bytes))
        return;
    StrBuf text = strbuf_new(walk->arena);
    strbuf_add_char(&text, '[');
    for (size_t i = 0; i < count && i < LIST_SHOWN; i++)
        write_item(walk, items[i], i, LISTS_DEEP, &text);
    strbuf_add_char(&text, ']');
    add_value(walk, at.path, strbuf_str(&text), node->start_mark.line + 1);
    if (count == 0 || !config_enters(walk->out, at.path, at.depth))
        return;
    for (size_t i = count; i-- > 0;)
        push(walk, items[i], str_printf(walk->arena, STR_FMT "[%zu]", STR_ARG(at.path), i),
             at.depth + 1);
}

static void add_mapping(YamlWalk *walk, const yaml_node_t *node, YamlPlace at)
{
    const yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
    size_t count = (size_t)(node->data.mapping.pairs.top - pairs);
    if (count == 0 || !config_enters(walk->out, at.path, at.depth))
        return;
    for (size_t i = count; i-- > 0;) {
        Str key = scalar_text(yaml_document_get_node(walk->document, pairs[i].key));
        Str path = at.path;
        if (!str_equal(key, STR("<<")))  // a merge key adds the members of what it names
            path = at.path.size == 0 ? str_copy(walk->arena, key)
                                     : str_printf(walk->arena, STR_FMT "." STR_FMT,
                                                  STR_ARG(at.path), STR_ARG(key));
        push(walk, pairs[i].value, path, at.depth + 1);
    }
}

static void walk_document(YamlWalk *walk)
{
    push(walk, 1, STR(""), 0);
    while (walk->pending.count && walk->visited++ < 2 * CONFIG_ITEMS_MAX) {
        YamlPlace at = walk->pending.items[--walk->pending.count];
        const yaml_node_t *node = yaml_document_get_node(walk->document, at.node);
        if (!node)
            continue;
        if (node->type == YAML_MAPPING_NODE)
            add_mapping(walk, node, at);
        else if (node->type == YAML_SEQUENCE_NODE)
            add_list(walk, node, at);
        else if (node->type == YAML_SCALAR_NODE && at.path.size &&
                 take_room(walk, node->data.scalar.length))
            add_value(walk, at.path, scalar_text(node), node->start_mark.line + 1);
    }
}

static bool read_documents(yaml_parser_t *parser, YamlWalk *walk, Error *err)
{
    for (;;) {
        yaml_document_t document;
        if (!yaml_parser_load(parser, &document))
            return error_set(err, ERR_INPUT, WHERE_LINE(walk->file, parser->problem_mark.line + 1),
                             tr("the YAML text is broken: %s"),
                             parser->problem ? parser->problem : "?");
        bool last = yaml_document_get_root_node(&document) == NULL;
        walk->document = &document;
        walk->pending.count = 0;
        if (!last)
            walk_document(walk);
        walk->document = NULL;
        yaml_document_delete(&document);
        if (last)
            return true;
    }
}

enum { ANCHORS_MAX = 1000 };

static bool has_anchor(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor != NULL;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor != NULL;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor != NULL;
    default:
        return false;
    }
}

// libyaml compares each anchor of a document with all before it. What is broken is reported when
// the documents are read.
static bool check_anchors(yaml_parser_t *parser, const char *path, Error *err)
{
    size_t count = 0;
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return true;
        uint64_t line = event.start_mark.line + 1;
        count = event.type == YAML_DOCUMENT_START_EVENT ? 0 : count + has_anchor(&event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (count > ANCHORS_MAX) {
            error_set(err, ERR_INPUT, WHERE_LINE(path, line),
                      tr("more than %d anchors ('&name') in one YAML document"), ANCHORS_MAX);
            return error_hint(err, "%s",
                              tr("write the values out, or name a file with those settings alone "
                                 "that are to be read"));
        }
    }
    return true;
}

// Few files can have that many anchors at all.
static bool anchors_fit(const char *path, Str text, Error *err)
{
    size_t signs = 0;
    for (size_t i = 0; i < text.size; i++)
        signs += text.data[i] == '&';
    yaml_parser_t parser;
    if (signs <= ANCHORS_MAX || !yaml_parser_initialize(&parser))
        return true;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.size);
    bool good = check_anchors(&parser, path, err);
    yaml_parser_delete(&parser);
    return good;
}

bool config_read_yaml(const char *path, Str text, Arena *arena, Config *out, Error *err)
{
    yaml_parser_t parser;
    if (!anchors_fit(path, text, err))
        return false;
    if (!yaml_parser_initialize(&parser))
        return error_set(err, ERR_INPUT, WHERE_FILE(path), tr("the YAML reader cannot be started"));
    yaml_parser_set_input_string(&parser, (const unsigned char *)(text.data ? text.data : ""),
                                 text.size);
    YamlWalk walk = {
        .file = path, .arena = arena, .out = out, .room = ROOM_LEAST + ROOM_EACH_BYTE * text.size};
    bool good = read_documents(&parser, &walk, err);
    yaml_parser_delete(&parser);
    return good;
}
