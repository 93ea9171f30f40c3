// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe_match.h"

#include <string.h>

#include "base/array.h"
#include "compare/mapping/mapping_ops.h"

static size_t skip_digits(Str text, size_t from)
{
    while (from < text.size && is_digit(text.data[from]))
        from++;
    return from;
}

// Steps: every ".<digits>." becomes ".", from left to right; "_rank<digits>" goes.
Str match_reduced_id(Str id, StrBuf *buffer)
{
    static const char marker[] = "_rank";
    size_t length = sizeof marker - 1;
    buffer->size = 0;
    for (size_t i = 0; i < id.size;) {
        size_t digits = id.data[i] == '.' ? skip_digits(id, i + 1) : i;
        if (digits > i + 1 && digits < id.size && id.data[digits] == '.') {
            strbuf_add_char(buffer, '.');
            i = digits + 1;
            continue;
        }
        bool marked = str_equal(str_slice(id, i, i + length), str_of(marker)) &&
                      skip_digits(id, i + length) > i + length;
        if (marked)
            i = skip_digits(id, i + length);
        else
            strbuf_add_char(buffer, id.data[i++]);
    }
    return strbuf_str(buffer);
}

typedef struct FuzzyNodes {
    const Graph *golden, *target;
    Names *texts;      // reduced ids, then with parent and running number
    uint32_t *counts;  // by NameId of a reduced id below the parent at work
    size_t capacity;
    NodeId *node_of;  // by NameId: golden's API of that key
    size_t key_count;
    StrBuf buffer;
    Arena *scratch;
    NodeMatch *out;
} FuzzyNodes;

static void pair_nodes(NodeMatch *out, NodeId golden, NodeId target)
{
    out->golden_of[target] = golden;
    out->target_of[golden] = target;
}

static uint32_t count_up(FuzzyNodes *fuzzy, NameId id)
{
    return ARRAY_REACH(fuzzy->scratch, fuzzy->counts, fuzzy->capacity, id)[id]++;
}

// The key of the n-th API of a reduced id below golden's node `parent`. Counting is by parent, so
// the reduced id is one with it.
static NameId child_key(FuzzyNodes *fuzzy, const Graph *graph, NodeId child, NodeId parent)
{
    Str id =
        match_reduced_id(names_text(graph->dump->names, graph->nodes[child].name), &fuzzy->buffer);
    NameId below = names_add(
        fuzzy->texts, str_printf(fuzzy->scratch, "%u/" STR_FMT, (unsigned)parent, STR_ARG(id)));
    uint32_t number = count_up(fuzzy, below);
    return names_add(fuzzy->texts,
                     str_printf(fuzzy->scratch, "%u#%u", (unsigned)below, (unsigned)number));
}

static void list_golden(FuzzyNodes *fuzzy)
{
    const Graph *golden = fuzzy->golden;
    NameId *keys = ARENA_ARRAY(fuzzy->scratch, NameId, golden->count);
    for (NodeId parent = 0; parent < golden->count; parent++)
        for (NodeId child = golden->nodes[parent].first_child; child != NODE_NONE;
             child = golden->nodes[child].next)
            if (golden->nodes[child].type == NODE_API)
                keys[child] = child_key(fuzzy, golden, child, parent);
    fuzzy->key_count = names_count(fuzzy->texts) + 1;
    fuzzy->node_of = array_of_none(fuzzy->scratch, fuzzy->key_count);
    for (NodeId id = golden->count; id-- > 0;)
        fuzzy->node_of[keys[id]] = id;
    memset(fuzzy->counts, 0, fuzzy->capacity * sizeof *fuzzy->counts);
}

static void pair_children(FuzzyNodes *fuzzy, NodeId golden, NodeId target)
{
    for (NodeId child = fuzzy->target->nodes[target].first_child; child != NODE_NONE;
         child = fuzzy->target->nodes[child].next) {
        if (fuzzy->target->nodes[child].type != NODE_API)
            continue;
        NameId key = child_key(fuzzy, fuzzy->target, child, golden);
        if (key < fuzzy->key_count && fuzzy->node_of[key] != NODE_NONE)
            pair_nodes(fuzzy->out, fuzzy->node_of[key], child);
    }
}

static NodeId same_id(const Graph *golden, const Graph *target, NodeId id)
{
    NameId name =
        names_find(golden->dump->names, names_text(target->dump->names, target->nodes[id].name));
    return name == NAME_NONE ? NODE_NONE : graph_find(golden, name);
}

static void match_fuzzy(FuzzyNodes *fuzzy)
{
    const Graph *target = fuzzy->target;
    fuzzy->buffer = strbuf_new(fuzzy->scratch);
    fuzzy->texts = names_new(fuzzy->scratch);
    fuzzy->capacity = 64;
    fuzzy->counts = ARENA_ARRAY(fuzzy->scratch, uint32_t, fuzzy->capacity);
    list_golden(fuzzy);
    for (uint32_t i = target->order_count; i > 0; i--) {
        NodeId id = target->order[i - 1];
        if (target->nodes[id].type == NODE_API)
            continue;
        NodeId partner = same_id(fuzzy->golden, target, id);
        if (partner == NODE_NONE)
            continue;
        pair_nodes(fuzzy->out, partner, id);
        pair_children(fuzzy, partner, id);
    }
}

static void match_layers(const Graph *golden, const Graph *target, const LayerMapping *mapping,
                         Arena *scratch, NodeMatch *out)
{
    const uint32_t *golden_of = mapping_layer_ops(mapping, golden, target, scratch);
    for (uint32_t i = target->order_count; i > 0; i--) {
        NodeId id = target->order[i - 1];
        uint32_t op = target->nodes[id].op;
        NodeId partner = NODE_NONE;
        if (op == OP_NONE)
            partner = same_id(golden, target, id);
        else if (golden_of[op] != OP_NONE)
            partner = graph_find(golden, golden->dump->ops[golden_of[op]].name);
        if (partner != NODE_NONE)
            pair_nodes(out, partner, id);
    }
}

bool match_msprobe_nodes(const Graph *golden, const Graph *target, const MatchOptions *options,
                         Arena *arena, NodeMatch *out)
{
    if (!options || (!options->fuzzy && !options->by_layers))
        return false;
    *out = (NodeMatch){.golden_of = array_of_none(arena, target->count),
                       .target_of = array_of_none(arena, golden->count)};
    Arena *scratch = arena_new();
    if (options->fuzzy) {
        FuzzyNodes fuzzy = {.golden = golden, .target = target, .scratch = scratch, .out = out};
        match_fuzzy(&fuzzy);
    } else {
        match_layers(golden, target, options->layers, scratch, out);
    }
    arena_release(scratch);
    return true;
}
