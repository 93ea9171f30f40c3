// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping/mapping_ops.h"

#include <string.h>

#include "base/array.h"
#include "compare/mapping/mapping_layer.h"
#include "read/dump/op_name.h"

typedef struct ScopeSide {
    const Graph *graph;
    const LayerPaths *paths;
    uint32_t *op_of_name;  // by NameId of the dump
    size_t name_count;
} ScopeSide;

typedef struct Scopes {
    Names *texts;      // scopes with direction
    uint32_t *counts;  // by NameId: how many ops so far on the side at work
    size_t capacity;
    StrBuf buffer;
    Arena *arena;
} Scopes;

static void side_init(ScopeSide *side, const Graph *graph, const LayerMapping *mapping,
                      Arena *arena)
{
    const Dump *dump = graph->dump;
    *side = (ScopeSide){.graph = graph,
                        .paths = layer_paths_new(dump, graph, mapping, arena),
                        .name_count = names_count(dump->names) + 1};
    side->op_of_name = array_of_none(arena, side->name_count);
    for (uint32_t i = dump->op_count; i-- > 0;)
        side->op_of_name[dump->ops[i].name] = i;
}

// The forward call of the same number, or the op itself.
static uint32_t forward_twin(const ScopeSide *side, uint32_t op, const OpName *name, StrBuf *buffer)
{
    const Dump *dump = side->graph->dump;
    if (name->direction != DIR_BACKWARD)
        return op;
    buffer->size = 0;
    strbuf_printf(buffer, name->kind == OP_MODULE ? STR_FMT ".forward.%d" : STR_FMT ".%d.forward",
                  STR_ARG(name->stem), name->call);
    NameId id = names_find(dump->names, strbuf_str(buffer));
    bool found = id != NAME_NONE && id < side->name_count && side->op_of_name[id] != OP_NONE;
    return found ? side->op_of_name[id] : op;
}

// The renamed path of the module around an API, or TopLayer.
static Str enclosing_path(const ScopeSide *side, const Op *op)
{
    const Graph *graph = side->graph;
    NodeId node = graph_find(graph, op->name);
    NodeId parent = node == NODE_NONE ? NODE_NONE : graph->nodes[node].parent;
    if (parent != NODE_NONE && graph->nodes[parent].type == NODE_GROUP)
        parent = graph->nodes[parent].parent;
    if (parent == NODE_NONE || parent == 0)
        return STR("TopLayer");
    OpName name = op_name_of(graph->dump->names, graph->nodes[parent].name);
    return layer_path(side->paths, name.path);
}

static Str scope_of(const ScopeSide *side, uint32_t index, Scopes *scopes)
{
    const Dump *dump = side->graph->dump;
    OpName own = op_name_of(dump->names, dump->ops[index].name);
    const Op *op = &dump->ops[forward_twin(side, index, &own, &scopes->buffer)];
    OpName name = op_name_of(dump->names, op->name);
    static const char *const states[] = {
        [DIR_NONE] = "none", [DIR_FORWARD] = "forward", [DIR_BACKWARD] = "backward"};
    const char *state = own.kind == OP_GRADS ? "parameters_grad" : states[own.direction];
    bool module = name.kind == OP_MODULE || name.kind == OP_GRADS;
    Str path = module ? layer_path(side->paths, name.path) : enclosing_path(side, op);
    scopes->buffer.size = 0;
    strbuf_printf(&scopes->buffer, STR_FMT " " STR_FMT " %s", STR_ARG(path),
                  STR_ARG(module ? STR("") : name.stem), state);
    return strbuf_str(&scopes->buffer);
}

static uint32_t count_up(Scopes *scopes, NameId scope)
{
    return ARRAY_REACH(scopes->arena, scopes->counts, scopes->capacity, scope)[scope]++;
}

// The n-th op of its scope, as a name.
static NameId key_of(const ScopeSide *side, uint32_t op, Scopes *scopes)
{
    NameId scope = names_add(scopes->texts, scope_of(side, op, scopes));
    uint32_t number = count_up(scopes, scope);
    Str text = str_printf(scopes->arena, "%u #%u", (unsigned)scope, (unsigned)number);
    return names_add(scopes->texts, text);
}

uint32_t *mapping_layer_ops(const LayerMapping *mapping, const Graph *golden, const Graph *target,
                            Arena *arena)
{
    Arena *scratch = arena_new();
    ScopeSide sides[2];
    side_init(&sides[0], golden, NULL, scratch);
    side_init(&sides[1], target, mapping, scratch);
    Scopes scopes = {.texts = names_new(scratch), .arena = scratch};
    scopes.buffer = strbuf_new(scratch);
    uint32_t golden_count = golden->dump->op_count, target_count = target->dump->op_count;
    NameId *keys = ARENA_ARRAY(scratch, NameId, (size_t)golden_count + 1);
    for (uint32_t i = 0; i < golden_count; i++)
        keys[i] = key_of(&sides[0], i, &scopes);
    size_t key_count = names_count(scopes.texts) + 1;
    uint32_t *op_of = array_of_none(scratch, key_count);
    for (uint32_t i = golden_count; i-- > 0;)
        op_of[keys[i]] = i;
    if (scopes.counts)
        memset(scopes.counts, 0, scopes.capacity * sizeof *scopes.counts);
    uint32_t *golden_of = ARENA_ARRAY(arena, uint32_t, (size_t)target_count + 1);
    for (uint32_t i = 0; i < target_count; i++) {
        NameId key = key_of(&sides[1], i, &scopes);
        golden_of[i] = key < key_count ? op_of[key] : OP_NONE;
    }
    arena_release(scratch);
    return golden_of;
}
