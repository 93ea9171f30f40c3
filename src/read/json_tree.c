// SPDX-License-Identifier: Apache-2.0
#include "read/json_tree.h"

#include <string.h>

#include "read/json_parse.h"
#include "read/json_python.h"
#include "read/json_scan.h"

// A string that begins with this byte is a mark; a string of the file that holds it is marked too.
enum { MARK = 1 };

// Where a key was met last.
typedef struct TreeKey {
    uint32_t object;
    cJSON *node;
} TreeKey;

// Keys are forgotten beyond this many, so that memory stays bounded over many values.
enum { KEYS_KEPT = 10000 };

void tree_init(JsonTree *tree, Arena *arena)
{
    *tree = (JsonTree){.root = NULL};
    strbuf_init(&tree->marked, arena);
    strbuf_init(&tree->decoded, arena);
}

static void forget_keys(JsonTree *tree)
{
    arena_release(tree->key_arena);
    tree->key_arena = arena_new();
    tree->keys = names_new(tree->key_arena);
    tree->seen = NULL;
    tree->seen_count = 0;
}

void tree_release(JsonTree *tree)
{
    arena_release(tree->key_arena);
    tree->key_arena = NULL;
}

static void add_mark(JsonTree *tree, size_t at)
{
    strbuf_printf(&tree->marked, "\"%c%zu\"", MARK, at);
}

// Strings that cJSON would refuse or cut short: \u escapes, NUL, and the mark itself.
static bool needs_mark(Str raw)
{
    if (memchr(raw.data, MARK, raw.size) || memchr(raw.data, '\0', raw.size))
        return true;
    return str_find(raw, STR("\\u"), 0) != SIZE_MAX;
}

static bool copy_string(JsonTree *tree, size_t *at)
{
    size_t start = *at;
    ScanString string;
    if (scan_string(tree->text, at, &string) != SCAN_OK)
        return false;
    if (!needs_mark(string.raw)) {
        strbuf_add(&tree->marked, str_slice(tree->text, start, *at));
        return true;
    }
    tree->decoded.size = 0;
    add_mark(tree, start);
    return scan_decode(string.raw, &tree->decoded);
}

// Brackets, commas, white space and words, up to what needs a closer look.
static size_t copy_plain(JsonTree *tree, size_t at)
{
    static const char special[] = "\"-0123456789NI";
    size_t start = at;
    while (at < tree->text.size && !memchr(special, tree->text.data[at], sizeof special))
        at++;
    strbuf_add(&tree->marked, str_slice(tree->text, start, at));
    return at;
}

static bool mark_text(JsonTree *tree)
{
    Str text = tree->text;
    tree->marked.size = 0;
    for (size_t at = copy_plain(tree, 0); at < text.size; at = copy_plain(tree, at)) {
        if (text.data[at] == '"') {
            if (!copy_string(tree, &at))
                return false;
            continue;
        }
        bool real;
        size_t end = scan_number(text, at, &real);
        if (end == at)
            return false;  // NUL among them
        add_mark(tree, at);
        at = end;
    }
    return true;
}

static TreeKey *seen_key(JsonTree *tree, const cJSON *node)
{
    NameId id = names_add(tree->keys, tree_key(tree, node));
    if (id >= tree->seen_count) {
        size_t count = (size_t)id * 2 + 64;
        tree->seen = arena_grow(tree->key_arena, tree->seen, tree->seen_count * sizeof *tree->seen,
                                count * sizeof *tree->seen);
        tree->seen_count = count;
    }
    return &tree->seen[id];
}

static void join_members(JsonTree *tree, cJSON *object)
{
    tree->object_count++;
    cJSON *next;
    for (cJSON *node = object->child; node; node = next) {
        next = node->next;
        TreeKey *seen = seen_key(tree, node);
        if (seen->object == tree->object_count) {
            cJSON_DetachItemViaPointer(object, node);
            cJSON_ReplaceItemViaPointer(object, seen->node, node);
            tree->repeated++;
        }
        *seen = (TreeKey){tree->object_count, node};
    }
}

static void join_repeated(JsonTree *tree)
{
    const cJSON *open[JSON_DEPTH_MAX + 1];
    int depth = 0;
    cJSON *node = tree->root;
    while (node) {
        if (cJSON_IsObject(node))
            join_members(tree, node);
        if (node->child && depth < JSON_DEPTH_MAX) {
            open[depth++] = node;
            node = node->child;
            continue;
        }
        node = depth ? node->next : NULL;
        while (!node && depth) {
            const cJSON *closed = open[--depth];
            node = depth ? closed->next : NULL;
        }
    }
}

bool tree_parse(JsonTree *tree, Str text)
{
    tree->text = text;
    tree->repeated = 0;
    if (!tree->keys || names_count(tree->keys) > KEYS_KEPT)
        forget_keys(tree);
    if (!mark_text(tree))
        return false;
    const char *end;
    Str marked = strbuf_str(&tree->marked);
    tree->root = json_parse(marked, &end);
    if (tree->root && scan_space(marked, (size_t)(end - marked.data)) < marked.size)
        tree_close(tree);
    if (tree->root)
        join_repeated(tree);
    return tree->root != NULL;
}

void tree_close(JsonTree *tree)
{
    cJSON_Delete(tree->root);
    tree->root = NULL;
}

static size_t mark_place(const char *marked)
{
    uint64_t place = 0;
    str_to_uint64(str_of(marked + 1), &place);
    return (size_t)place;
}

JsonKind tree_kind(const JsonTree *tree, const cJSON *node)
{
    if (cJSON_IsObject(node))
        return JSON_OBJECT;
    if (cJSON_IsArray(node))
        return JSON_LIST;
    if (cJSON_IsBool(node))
        return JSON_BOOL;
    if (!cJSON_IsString(node))
        return JSON_NULL;
    if (node->valuestring[0] != MARK)
        return JSON_STRING;
    size_t place = mark_place(node->valuestring);
    if (tree->text.data[place] == '"')
        return JSON_STRING;
    bool real;
    scan_number(tree->text, place, &real);
    return real ? JSON_REAL : JSON_INTEGER;
}

static Str marked_text(JsonTree *tree, const char *text)
{
    if (text[0] != MARK)
        return str_of(text);
    size_t place = mark_place(text), end = place;
    bool real;
    if (tree->text.data[place] != '"')
        return str_slice(tree->text, place, scan_number(tree->text, place, &real));
    ScanString string;
    tree->decoded.size = 0;
    scan_string(tree->text, &end, &string);
    scan_decode(string.raw, &tree->decoded);
    return strbuf_str(&tree->decoded);
}

Str tree_text(JsonTree *tree, const cJSON *node)
{
    return marked_text(tree, node->valuestring);
}

Str tree_key(JsonTree *tree, const cJSON *node)
{
    return node->string ? marked_text(tree, node->string) : (Str){"", 0};
}

static void leaf_python(JsonTree *tree, const cJSON *node, bool nested, StrBuf *out)
{
    switch (tree_kind(tree, node)) {
    case JSON_BOOL:
        strbuf_add(out, cJSON_IsTrue(node) ? STR("True") : STR("False"));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        python_number(tree_text(tree, node), out);
        break;
    case JSON_STRING:
        if (nested)
            python_string(tree_text(tree, node), out);
        else
            strbuf_add(out, tree_text(tree, node));
        break;
    default:
        strbuf_add(out, STR("None"));
    }
}

static void begin_item(JsonTree *tree, const cJSON *node, const cJSON *parent, StrBuf *out)
{
    if (!parent)
        return;
    if (node != parent->child)
        strbuf_add(out, STR(", "));
    if (cJSON_IsObject(parent)) {
        python_string(tree_key(tree, node), out);
        strbuf_add(out, STR(": "));
    }
}

// Walks with a stack of the open lists and objects; the depth is bounded by tree_parse's input.
void tree_python(JsonTree *tree, const cJSON *node, StrBuf *out)
{
    const cJSON *open[JSON_DEPTH_MAX + 1];
    int depth = 0;
    while (node) {
        begin_item(tree, node, depth ? open[depth - 1] : NULL, out);
        bool list = cJSON_IsArray(node), object = cJSON_IsObject(node);
        if ((list || object) && depth < JSON_DEPTH_MAX) {
            strbuf_add_char(out, list ? '[' : '{');
            open[depth++] = node;
            node = node->child;
        } else {
            leaf_python(tree, node, depth > 0, out);
            node = depth ? node->next : NULL;
        }
        while (!node && depth) {
            const cJSON *closed = open[--depth];
            strbuf_add_char(out, cJSON_IsArray(closed) ? ']' : '}');
            node = depth ? closed->next : NULL;
        }
    }
}
