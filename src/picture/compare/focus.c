// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/focus.h"

#include <string.h>

#include "base/spelling.h"
#include "picture/compare/outline.h"
#include "read/dump/op_name.h"

static uint32_t worst_row(const Comparison *comparison)
{
    Arena *scratch = arena_new();
    Outline outline;
    Flags flags;
    outline_build(comparison, scratch, &outline);
    flags_find(&outline, &flags);
    uint32_t row = 0;
    for (size_t i = 0; i < flags.count; i++)
        if (flags.items[i].kind == FLAG_LARGEST)
            row = flags.items[i].row;
    arena_release(scratch);
    return row;
}

// 3: the id, 2: the path of a module, 1: a part of the id, 0: none of them.
static int fit(const Graph *graph, NodeId node, Str name)
{
    if (node == NODE_NONE)
        return 0;
    Str id = names_text(graph->dump->names, graph->nodes[node].name);
    if (str_equal(id, name))
        return 3;
    if (str_equal(op_name_of(graph->dump->names, graph->nodes[node].name).path, name))
        return 2;
    return str_find(id, name, 0) != SIZE_MAX;
}

uint32_t focus_find(const Comparison *comparison, Str name)
{
    if (!name.size || str_equal(name, STR("first-divergence")))
        return 0;
    if (str_equal(name, STR("worst")))
        return worst_row(comparison);
    uint32_t best = PAIR_NONE;
    int best_fit = 0;
    for (uint32_t row = 1; row < comparison->tree_count && best_fit < 3; row++) {
        const TreeNode *at = &comparison->tree[row];
        int target = fit(comparison->target, at->target, name);
        int golden = fit(comparison->golden, at->golden, name);
        int found = target > golden ? target : golden;
        if (found > best_fit) {
            best_fit = found;
            best = row;
        }
    }
    return best;
}

// The end of a path that has as many parts as what was typed: "atn.qkv" is next to "attn.qkv" of
// "blocks.2.attn.qkv".
static Str comparable_end(Str path, Str typed)
{
    size_t dots = 0, at = path.size;
    for (size_t i = 0; i < typed.size; i++)
        dots += typed.data[i] == '.';
    for (; at > 0; at--)
        if (path.data[at - 1] == '.' && dots-- == 0)
            break;
    return str_slice(path, at, path.size);
}

typedef struct Near {
    Str name;
    size_t distance;
} Near;

static void offer(Near *best, Str name, Str typed)
{
    size_t whole = spelling_distance(name, typed);
    size_t end = spelling_distance(comparable_end(name, typed), typed);
    Near candidate = {name, end < whole ? end : whole};
    for (size_t i = 0; i < FOCUS_SUGGESTIONS; i++)
        if (best[i].name.size && str_equal(best[i].name, name))
            return;
    for (size_t i = 0; i < FOCUS_SUGGESTIONS; i++)
        if (!best[i].name.size || candidate.distance < best[i].distance) {
            Near moved = best[i];
            best[i] = candidate;
            candidate = moved;
        }
}

static void offer_node(Near *best, const Graph *graph, NodeId node, Str typed)
{
    if (node == NODE_NONE)
        return;
    Str id = names_text(graph->dump->names, graph->nodes[node].name);
    Str path = op_name_of(graph->dump->names, graph->nodes[node].name).path;
    offer(best, path.size ? path : id, typed);
}

size_t focus_suggest(const Comparison *comparison, Str name, Arena *arena,
                     Str out[FOCUS_SUGGESTIONS])
{
    Near best[FOCUS_SUGGESTIONS] = {0};
    for (uint32_t row = 1; row < comparison->tree_count; row++) {
        offer_node(best, comparison->target, comparison->tree[row].target, name);
        offer_node(best, comparison->golden, comparison->tree[row].golden, name);
    }
    size_t count = 0;
    while (count < FOCUS_SUGGESTIONS && best[count].name.size) {
        out[count] = str_copy(arena, best[count].name);
        count++;
    }
    return count;
}
