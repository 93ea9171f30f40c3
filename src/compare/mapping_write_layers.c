// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/array.h"
#include "compare/mapping_write.h"
#include "read/dump/op_name.h"

// From the pairs of modules to what the children of each class of layers are called. A module whose
// partner does not lie below the partner of the module above it cannot be said so.

// A module path of the target, by NameId - 1: its class and its partner's path.
typedef struct PathPair {
    Str path, type_name, golden;
} PathPair;

typedef struct Layers {
    struct {
        PathPair *items;
        size_t count, capacity;
    } paths;
    Names *known;
    Arena *scratch, *arena;
    LayerMapping *out;
} Layers;

static OpName node_name(const Graph *graph, NodeId id)
{
    return op_name_of(graph->dump->names, graph->nodes[id].name);
}

static void list_paths(const Comparison *comparison, Layers *layers)
{
    const Graph *target = comparison->target, *golden = comparison->golden;
    for (NodeId id = 0; id < target->count; id++) {
        OpName name = node_name(target, id);
        NodeId partner = comparison->golden_of[id];
        if (name.kind != OP_MODULE || partner == NODE_NONE || name.path.size == 0 ||
            names_find(layers->known, name.path) != NAME_NONE)
            continue;
        OpName other = node_name(golden, partner);
        if (other.kind != OP_MODULE)
            continue;
        names_add(layers->known, name.path);
        *ARRAY_PUSH(layers->scratch, &layers->paths) =
            (PathPair){name.path, name.type_name, other.path};
    }
}

static const PathPair *find_path(const Layers *layers, Str path)
{
    NameId id = names_find(layers->known, path);
    return id == NAME_NONE ? NULL : &layers->paths.items[id - 1];
}

// The nearest module above that has a partner; NULL: none, the top layer.
static const PathPair *find_above(const Layers *layers, Str path)
{
    for (size_t dot = str_rfind_char(path, '.'); dot != SIZE_MAX; dot = str_rfind_char(path, '.')) {
        path = str_slice(path, 0, dot);
        const PathPair *found = find_path(layers, path);
        if (found)
            return found;
    }
    return NULL;
}

static bool below(Str path, Str above, Str *rest)
{
    if (above.size == 0) {
        *rest = path;
        return true;
    }
    if (!str_starts(path, above) || path.size <= above.size || path.data[above.size] != '.')
        return false;
    *rest = str_slice(path, above.size + 1, path.size);
    return true;
}

// "encoder.layers.0" and "decoder.blocks.0" end in the same way: the rule is about what stands
// before.
static void cut_common_end(Str *a, Str *b)
{
    for (;;) {
        size_t x = str_rfind_char(*a, '.'), y = str_rfind_char(*b, '.');
        if (x == SIZE_MAX || y == SIZE_MAX ||
            !str_equal(str_slice(*a, x, a->size), str_slice(*b, y, b->size)))
            return;
        *a = str_slice(*a, 0, x);
        *b = str_slice(*b, 0, y);
    }
}

static LayerRule *rule_of(LayerMapping *out, Str layer, Names *seen, Arena *arena)
{
    NameId id = names_add(seen, layer);
    const size_t *known = names_note(seen, id);
    if (known)
        return &out->items[*known];
    size_t *place = ARENA_NEW(names_arena(seen), size_t);
    *place = out->count;
    names_set_note(seen, id, place);
    LayerRule *rule = ARRAY_PUSH(arena, out);
    *rule = (LayerRule){.layer = str_copy(arena, layer)};
    return rule;
}

void mapping_add_layer(LayerMapping *out, Str layer, Str target, Str golden, Names *seen,
                       Arena *arena)
{
    LayerRule *rule = rule_of(out, layer, seen, arena);
    size_t before = names_count(seen);
    names_add(seen, str_printf(names_arena(seen), "\n" STR_FMT "\n" STR_FMT, STR_ARG(layer),
                               STR_ARG(target)));
    if (names_count(seen) == before)
        return;
    *ARRAY_PUSH(arena, rule) =
        (NamePair){.target = str_copy(arena, target), .golden = str_copy(arena, golden)};
}

void mapping_collect_layers(const Comparison *comparison, Arena *arena, LayerMapping *out)
{
    Layers layers = {.scratch = arena_new(), .arena = arena, .out = out};
    layers.known = names_new(layers.scratch);
    Names *seen = names_new(layers.scratch);
    list_paths(comparison, &layers);
    for (size_t i = 0; i < layers.paths.count; i++) {
        const PathPair *pair = &layers.paths.items[i];
        const PathPair *above = find_above(&layers, pair->path);
        Str target, golden;
        if (!below(pair->path, above ? above->path : STR(""), &target) ||
            !below(pair->golden, above ? above->golden : STR(""), &golden))
            continue;
        cut_common_end(&target, &golden);
        if (!str_equal(target, golden))
            mapping_add_layer(out, above ? above->type_name : STR("TopLayer"), target, golden, seen,
                              arena);
    }
    arena_release(layers.scratch);
}

void mapping_write_layers(const LayerMapping *mapping, Sink *out)
{
    sink_text(out, "# class of a layer of the target (TopLayer: the top): what its children are\n"
                   "# called in the golden run.\n");
    if (mapping->count == 0)
        sink_text(out, "{}\n");
    for (size_t i = 0; i < mapping->count; i++) {
        const LayerRule *rule = &mapping->items[i];
        mapping_write_name(rule->layer, out);
        sink_text(out, ":\n");
        for (size_t k = 0; k < rule->count; k++) {
            sink_text(out, "  ");
            mapping_write_name(rule->items[k].target, out);
            sink_text(out, ": ");
            mapping_write_name(rule->items[k].golden, out);
            sink_text(out, "\n");
        }
    }
}
