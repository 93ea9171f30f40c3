// SPDX-License-Identifier: Apache-2.0
#include "read/json/json_tree.h"

#include "base/array.h"
#include "base/names.h"
#include "read/json/json_python.h"
#include "read/json/json_scan.h"

// Up to so many members are looked through for a repeated key; beyond, their names are indexed.
enum { MEMBERS_LOOKED_AT = 16 };

// An open list or object.
typedef struct Open {
    JsonNode *node, *last;
    bool first;
    uint32_t members;
    uint32_t index;  // number of the object in `seen`; 0: its keys are not indexed
} Open;

// Where a key was met last.
typedef struct SeenKey {
    uint32_t index;
    JsonNode *node;
} SeenKey;

typedef struct Parser {
    Str text;
    size_t at;
    Arena *arena;
    JsonTree *tree;
    StrBuf decoded;
    Names *keys;  // of the large objects
    SeenKey *seen;
    size_t seen_count;
    uint32_t indexed;  // objects
    int depth;
    Open open[JSON_DEPTH_MAX];
} Parser;

static SeenKey *seen_key(Parser *parser, Str key)
{
    if (!parser->keys)
        parser->keys = names_new(parser->arena);
    NameId id = names_add(parser->keys, key);
    return &ARRAY_REACH(parser->arena, parser->seen, parser->seen_count, id)[id];
}

static void index_members(Parser *parser, Open *open)
{
    open->index = ++parser->indexed;
    for (JsonNode *node = open->node->child; node; node = node->next)
        *seen_key(parser, node->key) = (SeenKey){open->index, node};
}

static JsonNode *find_member(Parser *parser, Open *open, Str key)
{
    if (open->members >= MEMBERS_LOOKED_AT) {
        if (!open->index)
            index_members(parser, open);
        const SeenKey *seen = seen_key(parser, key);
        return seen->index == open->index ? seen->node : NULL;
    }
    JsonNode *node = open->node->child;
    while (node && !str_equal(node->key, key))
        node = node->next;
    return node;
}

static JsonNode *append(Parser *parser, Open *open, Str key)
{
    JsonNode *node = ARENA_NEW(parser->arena, JsonNode);
    node->key = key;
    if (open->last)
        open->last->next = node;
    else
        open->node->child = node;
    open->last = node;
    open->members++;
    if (open->index)
        *seen_key(parser, key) = (SeenKey){open->index, node};
    return node;
}

static JsonNode *add_member(Parser *parser, Open *open, Str key)
{
    JsonNode *known = find_member(parser, open, key);
    if (!known)
        return append(parser, open, key);
    parser->tree->repeated++;
    known->child = NULL;
    return known;
}

static bool read_string(Parser *parser, Str *out)
{
    ScanString string;
    if (scan_string(parser->text, &parser->at, &string) != SCAN_OK)
        return false;
    *out = string.raw;
    if (!string.escaped)
        return true;
    parser->decoded.size = 0;
    if (!scan_decode(string.raw, &parser->decoded))
        return false;
    *out = str_copy(parser->arena, strbuf_str(&parser->decoded));
    return true;
}

static bool read_number(Parser *parser, JsonNode *node)
{
    bool real;
    size_t end = scan_number(parser->text, parser->at, &real);
    if (end == parser->at)
        return false;
    node->kind = real ? JSON_REAL : JSON_INTEGER;
    node->text = str_slice(parser->text, parser->at, end);
    parser->at = end;
    return true;
}

static bool take_word(Parser *parser, Str word)
{
    bool is = str_equal(str_slice(parser->text, parser->at, parser->at + word.size), word);
    parser->at += is ? word.size : 0;
    return is;
}

static bool open_bracket(Parser *parser, JsonNode *node, JsonKind kind)
{
    if (parser->depth == JSON_DEPTH_MAX)
        return false;
    node->kind = kind;
    parser->open[parser->depth++] = (Open){.node = node, .first = true};
    parser->at++;
    return true;
}

// The value at the position into `node`; of a list or object only its bracket.
static bool read_value(Parser *parser, JsonNode *node)
{
    switch (parser->at < parser->text.size ? parser->text.data[parser->at] : '\0') {
    case '{':
        return open_bracket(parser, node, JSON_OBJECT);
    case '[':
        return open_bracket(parser, node, JSON_LIST);
    case '"':
        node->kind = JSON_STRING;
        return read_string(parser, &node->text);
    case 't':
    case 'f':
        node->kind = JSON_BOOL;
        node->truth = take_word(parser, STR("true"));
        return node->truth || take_word(parser, STR("false"));
    case 'n':
        node->kind = JSON_NULL;
        return take_word(parser, STR("null"));
    default:
        return read_number(parser, node);
    }
}

static bool take_char(Parser *parser, char c)
{
    parser->at = scan_space(parser->text, parser->at);
    bool is = parser->at < parser->text.size && parser->text.data[parser->at] == c;
    parser->at += is;
    return is;
}

// The next item or member of the innermost bracket, or its end.
static bool step(Parser *parser)
{
    Open *open = &parser->open[parser->depth - 1];
    bool list = open->node->kind == JSON_LIST;
    Str key = {0};
    if (take_char(parser, list ? ']' : '}')) {
        parser->depth--;
        return true;
    }
    if (!open->first && !take_char(parser, ','))
        return false;
    open->first = false;
    parser->at = scan_space(parser->text, parser->at);
    if (!list && (!read_string(parser, &key) || !take_char(parser, ':')))
        return false;
    parser->at = scan_space(parser->text, parser->at);
    return read_value(parser, list ? append(parser, open, key) : add_member(parser, open, key));
}

bool tree_parse(Str text, Arena *arena, JsonTree *out)
{
    Parser parser;  // its brackets are set when they open
    JsonNode *root = ARENA_NEW(arena, JsonNode);
    *out = (JsonTree){.root = root};
    parser.text = text;
    parser.at = scan_space(text, 0);
    parser.arena = arena;
    parser.tree = out;
    parser.keys = NULL;
    parser.seen = NULL;
    parser.seen_count = 0;
    parser.indexed = 0;
    parser.depth = 0;
    parser.decoded = strbuf_new(arena);
    bool good = read_value(&parser, root);
    while (good && parser.depth)
        good = step(&parser);
    return good && scan_space(text, parser.at) == text.size;
}

const JsonNode *tree_member(const JsonNode *node, Str key)
{
    const JsonNode *at = node && node->kind == JSON_OBJECT ? node->child : NULL;
    while (at && !str_equal(at->key, key))
        at = at->next;
    return at;
}

Str tree_member_text(const JsonNode *node, const char *key)
{
    const JsonNode *value = tree_member(node, str_of(key));
    return value && value->kind == JSON_STRING ? value->text : (Str){0};
}

const JsonNode *tree_item(const JsonNode *list, size_t index)
{
    const JsonNode *at = list->child;
    while (at && index-- > 0)
        at = at->next;
    return at;
}

size_t tree_count(const JsonNode *node)
{
    size_t count = 0;
    for (const JsonNode *at = node->child; at; at = at->next)
        count++;
    return count;
}

static void leaf_python(const JsonNode *node, bool nested, StrBuf *out)
{
    switch (node->kind) {
    case JSON_BOOL:
        strbuf_add(out, node->truth ? STR("True") : STR("False"));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        python_number(node->text, out);
        break;
    case JSON_STRING:
        if (nested)
            python_string(node->text, out);
        else
            strbuf_add(out, node->text);
        break;
    default:
        strbuf_add(out, STR("None"));
    }
}

static void begin_item(const JsonNode *node, const JsonNode *parent, StrBuf *out)
{
    if (!parent)
        return;
    if (node != parent->child)
        strbuf_add(out, STR(", "));
    if (parent->kind == JSON_OBJECT) {
        python_string(node->key, out);
        strbuf_add(out, STR(": "));
    }
}

// Walks with a stack of the open lists and objects, which tree_parse bounds.
void tree_python(const JsonNode *node, StrBuf *out)
{
    const JsonNode *open[JSON_DEPTH_MAX];
    int depth = 0;
    while (node) {
        begin_item(node, depth ? open[depth - 1] : NULL, out);
        if (node->kind == JSON_LIST || node->kind == JSON_OBJECT) {
            strbuf_add_char(out, node->kind == JSON_LIST ? '[' : '{');
            open[depth++] = node;
            node = node->child;
        } else {
            leaf_python(node, depth > 0, out);
            node = depth ? node->next : NULL;
        }
        while (!node && depth) {
            const JsonNode *closed = open[--depth];
            strbuf_add_char(out, closed->kind == JSON_LIST ? ']' : '}');
            node = depth ? closed->next : NULL;
        }
    }
}
