// SPDX-License-Identifier: Apache-2.0
#include "compare/layer_facts.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "compare/judge/tree_row.h"
#include "read/dump/op_name.h"

#define LAYER_NONE UINT32_MAX

typedef struct Collector {
    const Comparison *comparison;
    Names *names;        // of the layers: ids count up from 1
    uint32_t *layer_of;  // by row of the tree: index of the layer or LAYER_NONE
    Arena *arena;
    LayerFacts *out;
} Collector;

Str layer_of_path(Str path)
{
    Str rest = path, part;
    uint64_t number;
    for (size_t end = 0; str_split(&rest, '.', &part); end += part.size + 1)
        if (end > 0 && str_to_uint64(part, &number))
            return str_slice(path, 0, end + part.size);
    return path;
}

static uint32_t layer_named(Collector *collector, Str name)
{
    if (name.size == 0)
        return LAYER_NONE;
    size_t known = names_count(collector->names);
    NameId id = names_add(collector->names, name);
    if (id > known)
        *ARRAY_PUSH(collector->arena, collector->out) =
            (LayerFact){.name = str_copy(collector->arena, name),
                        .forward = (double)NAN,
                        .backward = (double)NAN,
                        .parameters = (double)NAN};
    return id - 1;
}

static bool has_number(Str layer)
{
    size_t dot = str_rfind_char(layer, '.');
    uint64_t number;
    return dot != SIZE_MAX && str_to_uint64(str_slice(layer, dot + 1, layer.size), &number);
}

// Below a numbered layer everything belongs to it; else a module is a layer of its own, and an op
// belongs to the module around it.
static uint32_t layer_of_row(Collector *collector, uint32_t index)
{
    const TreeNode *row = &collector->comparison->tree[index];
    uint32_t above = row->parent == PAIR_NONE ? LAYER_NONE : collector->layer_of[row->parent];
    if (above != LAYER_NONE && has_number(collector->out->items[above].name))
        return above;
    OpName name = tree_row_op_name(collector->comparison, row);
    if (name.path.size)
        return layer_named(collector, layer_of_path(name.path));
    if (above != LAYER_NONE || row->pair == PAIR_NONE)
        return above;
    return layer_named(collector, name.stem);
}

static double worse(double a, double b)
{
    b = b < 0 ? 0 : b;  // to the bit
    return isnan(a) || b > a ? b : a;
}

static void add_parameters(const Collector *collector, const OpPair *op, LayerFact *layer)
{
    const Comparison *comparison = collector->comparison;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (pair->target == SLOT_NONE || pair->golden == SLOT_NONE || isnan(pair->norm_error))
            continue;
        if (comparison->target->dump->slots[pair->target].group == GROUP_PARAMETERS)
            layer->parameters = worse(layer->parameters, pair->norm_error);
    }
}

// The op differs, none of its inputs does, and nothing inside it: not passed on, not passed up.
static bool starts_here(const TreeNode *row, const OpPair *op)
{
    uint32_t differing = 0;
    for (int s = 0; s < STATUS_COUNT; s++)
        differing += status_differs((Status)s) ? row->counts[s] : 0;
    return status_differs((Status)op->status) && !op->inherited && differing <= 1;
}

static void add_op(Collector *collector, const TreeNode *row, LayerFact *layer)
{
    const Comparison *comparison = collector->comparison;
    const OpPair *op = &comparison->ops[row->pair];
    const Op *record = shown_op(comparison, op);
    layer->status = status_worst(layer->status, (Status)op->status);
    if (layer->position == 0 || row->pair + 1 < layer->position)
        layer->position = row->pair + 1;
    bool equal = op->status == STATUS_SAME || op->status == STATUS_NO_DATA;
    if (!equal && (layer->leaves == 0 || row->pair + 1 < layer->leaves))
        layer->leaves = row->pair + 1;
    if (!isnan(op->error_out)) {
        double *error = record->direction == DIR_FORWARD ? &layer->forward : &layer->backward;
        *error = worse(*error, op->error_out);
    }
    add_parameters(collector, op, layer);
    if (!starts_here(row, op))
        return;
    if (!layer->starts)
        layer->op = str_copy(
            collector->arena,
            names_text(comparison_graph(comparison, shown_side(op))->dump->names, record->name));
    layer->starts = true;
}

static int by_position(const void *left, const void *right)
{
    const LayerFact *a = left, *b = right;
    return a->position < b->position ? -1 : a->position > b->position;
}

// Layers without an op of their own go; the others stand by their first op.
static void order_layers(LayerFacts *layers)
{
    size_t kept = 0;
    for (size_t i = 0; i < layers->count; i++)
        if (layers->items[i].position)
            layers->items[kept++] = layers->items[i];
    layers->count = kept;
    if (kept)
        qsort(layers->items, kept, sizeof *layers->items, by_position);
}

void layers_collect(const Comparison *comparison, Arena *arena, LayerFacts *out)
{
    Arena *scratch = arena_new();
    Collector collector = {.comparison = comparison,
                           .names = names_new(scratch),
                           .layer_of = ARENA_ARRAY(scratch, uint32_t, comparison->tree_count),
                           .arena = arena,
                           .out = out};
    *out = (LayerFacts){0};
    for (uint32_t i = 0; i < comparison->tree_count; i++) {
        uint32_t layer = collector.layer_of[i] = layer_of_row(&collector, i);
        if (layer != LAYER_NONE && comparison->tree[i].pair != PAIR_NONE)
            add_op(&collector, &comparison->tree[i], &out->items[layer]);
    }
    order_layers(out);
    arena_release(scratch);
}
