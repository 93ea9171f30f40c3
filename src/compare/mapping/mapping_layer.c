// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping/mapping_layer.h"

#include <string.h>

#include "base/array.h"
#include "read/dump/op_name.h"

typedef struct PathFacts {
    Str type_name;  // class of the module of that path
    int64_t first;  // of a ParallelTransformer: the smallest number among its layers, -1: none
} PathFacts;

struct LayerPaths {
    const LayerMapping *mapping;
    Names *texts;
    struct {
        PathFacts *items;  // by NameId - 1
        size_t count, capacity;
    } facts;
    Arena *arena;
};

static PathFacts *facts_of(LayerPaths *paths, Str path)
{
    NameId id = names_add(paths->texts, path);
    while (paths->facts.count < id)
        ARRAY_PUSH(paths->arena, &paths->facts)->first = -1;
    return &paths->facts.items[id - 1];
}

static const PathFacts *find_facts(const LayerPaths *paths, Str path)
{
    NameId id = names_find(paths->texts, path);
    return id == NAME_NONE || id > paths->facts.count ? NULL : &paths->facts.items[id - 1];
}

static void see_name(LayerPaths *paths, const Names *names, NameId id)
{
    OpName name = op_name_of(names, id);
    if (name.kind != OP_MODULE)
        return;
    PathFacts *facts = facts_of(paths, str_copy(paths->arena, name.path));
    if (facts->type_name.size == 0)
        facts->type_name = name.type_name;
}

// ---- layers of a pipeline stage are numbered over all stages

#define PIPELINE STR("ParallelTransformer")

// The number at `from` and where it ends; false if another part is there.
static bool number_at(Str path, size_t from, size_t *end, int64_t *number)
{
    size_t dot = str_find_char(path, '.', from);
    *end = dot == SIZE_MAX ? path.size : dot;
    return str_to_int64(str_slice(path, from, *end), number) && *number >= 0;
}

// Whether the parts of `path` up to `at` are "<a ParallelTransformer>.layers."; its own path then
// is *owner.
static bool is_below_layers(const LayerPaths *paths, Str path, size_t at, Str *owner)
{
    static const char layers[] = ".layers.";
    size_t length = sizeof layers - 1;
    if (at < length || !str_equal(str_slice(path, at - length, at), str_of(layers)))
        return false;
    *owner = str_slice(path, 0, at - length);
    const PathFacts *facts = find_facts(paths, *owner);
    return facts && str_equal(facts->type_name, PIPELINE);
}

static void see_layers(LayerPaths *paths, Str path)
{
    for (size_t dot = str_find_char(path, '.', 0); dot != SIZE_MAX;
         dot = str_find_char(path, '.', dot + 1)) {
        Str owner;
        size_t end;
        int64_t number;
        if (!is_below_layers(paths, path, dot + 1, &owner) ||
            !number_at(path, dot + 1, &end, &number))
            continue;
        PathFacts *facts = facts_of(paths, owner);
        if (facts->first < 0 || number < facts->first)
            facts->first = number;
    }
}

LayerPaths *layer_paths_new(const Dump *dump, const Graph *graph, const LayerMapping *mapping,
                            Arena *arena)
{
    LayerPaths *paths = ARENA_NEW(arena, LayerPaths);
    paths->mapping = mapping;
    paths->arena = arena;
    paths->texts = names_new(arena);
    for (uint32_t i = 0; i < dump->op_count; i++)
        see_name(paths, dump->names, dump->ops[i].name);
    for (NodeId id = 0; graph && id < graph->count; id++)
        see_name(paths, dump->names, graph->nodes[id].name);
    for (size_t i = 0, count = paths->facts.count; i < count; i++)
        see_layers(paths, names_text(paths->texts, (NameId)(i + 1)));
    return paths;
}

// ---- the way down

static const LayerRule *rule_of(const LayerPaths *paths, Str path, size_t done)
{
    if (!paths->mapping)
        return NULL;
    if (done == 0)
        return mapping_find_layer(paths->mapping, STR("TopLayer"));
    const PathFacts *facts = find_facts(paths, str_slice(path, 0, done - 1));
    return facts ? mapping_find_layer(paths->mapping, facts->type_name) : NULL;
}

static void add_part(StrBuf *out, Str part)
{
    if (out->size && part.size)
        strbuf_add_char(out, '.');
    strbuf_add(out, part);
}

// One part that no rule is about.
static size_t keep_part(const LayerPaths *paths, Str path, size_t at, StrBuf *out)
{
    Str owner;
    size_t end;
    int64_t number;
    bool numbered = number_at(path, at, &end, &number);
    const PathFacts *facts =
        numbered && is_below_layers(paths, path, at, &owner) ? find_facts(paths, owner) : NULL;
    if (facts && facts->first >= 0)
        add_part(out, str_printf(paths->arena, "%lld", (long long)(number - facts->first)));
    else
        add_part(out, str_slice(path, at, end));
    return end;
}

Str layer_path(const LayerPaths *paths, Str path)
{
    StrBuf out = strbuf_new(paths->arena);
    for (size_t at = 0; at < path.size;) {
        const LayerRule *rule = rule_of(paths, path, at);
        const NamePair *child =
            rule ? mapping_find_start(&rule->children, str_slice(path, at, path.size)) : NULL;
        size_t end;
        if (child) {
            add_part(&out, child->golden);
            end = at + child->target.size;
        } else {
            end = keep_part(paths, path, at, &out);
        }
        at = end + 1;
    }
    return strbuf_str(&out);
}
