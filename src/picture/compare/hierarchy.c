// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/hierarchy.h"

#include <string.h>

#include "base/array.h"
#include "compare/compare.h"
#include "picture/compare/node_name.h"

enum { DEEPEST = 24 };

NodeId hierarchy_node(const Hierarchy *hierarchy, uint32_t row)
{
    return hierarchy->comparison.tree[row].target;
}

Overflow hierarchy_level(const Hierarchy *hierarchy, uint32_t row)
{
    return (Overflow)hierarchy->graph->nodes[hierarchy_node(hierarchy, row)].overflow;
}

void hierarchy_build(const Graph *graph, int64_t step, int64_t rank, Arena *arena, Hierarchy *out)
{
    CompareOptions options = {
        .rules = RULES_VERNIER, .mode = MODE_STATISTICS, .step = step, .rank = rank};
    *out = (Hierarchy){.graph = graph};
    compare_graphs(graph, graph, &options, arena, &out->comparison);
    outline_build(&out->comparison, arena, &out->outline);
    uint32_t count = out->comparison.tree_count;
    out->levels = arena_array(arena, (size_t)count + 1, sizeof *out->levels);
    for (uint32_t row = count; row-- > 0;) {
        const TreeNode *node = &out->comparison.tree[row];
        if (node->pair != PAIR_NONE)
            out->levels[row][hierarchy_level(out, row)]++;
        for (int level = 0; node->parent != PAIR_NONE && level < LEVEL_COUNT; level++)
            out->levels[node->parent][level] += out->levels[row][level];
    }
}

uint32_t hierarchy_first_overflow(const Hierarchy *hierarchy)
{
    const Comparison *comparison = &hierarchy->comparison;
    uint32_t best = PAIR_NONE;
    for (uint32_t op = 0; op < comparison->op_count; op++) {
        uint32_t row = hierarchy->outline.row_of_op[op];
        if (row == PAIR_NONE || hierarchy_level(hierarchy, row) == OVERFLOW_NONE)
            continue;
        if (best == PAIR_NONE || hierarchy_level(hierarchy, row) > hierarchy_level(hierarchy, best))
            best = row;
    }
    return best;
}

// ---- rows

typedef struct Task {
    uint32_t row, depth;
} Task;

typedef struct RowPlan {
    const Hierarchy *hierarchy;
    Arena *arena, *scratch;
    HierarchyRows *out;
    struct {
        Task *items;
        size_t count, capacity;
    } tasks;
    uint32_t depth;
    size_t most;
} RowPlan;

static bool folds(const Hierarchy *hierarchy, uint32_t a, uint32_t b)
{
    const Comparison *comparison = &hierarchy->comparison;
    return row_ops(&comparison->tree[a]) == row_ops(&comparison->tree[b]) &&
           memcmp(hierarchy->levels[a], hierarchy->levels[b], sizeof *hierarchy->levels) == 0 &&
           node_alike(comparison, a, b);
}

static void add_row(RowPlan *plan, HierarchyRow row)
{
    if (plan->out->count < plan->most)
        *ARRAY_PUSH(plan->arena, plan->out) = row;
    else
        plan->out->cut++;
}

// Tasks are taken from the end, so siblings are pushed back to front.
static void push_children(RowPlan *plan, uint32_t row, uint32_t depth)
{
    const Outline *outline = &plan->hierarchy->outline;
    size_t first = plan->tasks.count;
    for (uint32_t at = outline_first(outline, row); at != PAIR_NONE; at = outline_next(outline, at))
        *ARRAY_PUSH(plan->scratch, &plan->tasks) = (Task){at, depth};
    for (size_t low = first, high = plan->tasks.count; low + 1 < high; low++) {
        Task last = plan->tasks.items[--high];
        plan->tasks.items[high] = plan->tasks.items[low];
        plan->tasks.items[low] = last;
    }
}

static void push_tops(RowPlan *plan, const Section *section)
{
    for (uint32_t i = section->count; i-- > 0;)
        *ARRAY_PUSH(plan->scratch, &plan->tasks) =
            (Task){plan->hierarchy->outline.tops[section->first + i], 0};
}

// One row with the alike siblings after it, then what is inside of the first.
static void plan_next(RowPlan *plan)
{
    Task task = plan->tasks.items[--plan->tasks.count];
    HierarchyRow row = {.row = task.row, .last = task.row, .repeats = 1, .depth = task.depth};
    while (plan->tasks.count) {
        Task next = plan->tasks.items[plan->tasks.count - 1];
        if (next.depth != task.depth || !folds(plan->hierarchy, task.row, next.row))
            break;
        row.last = next.row;
        row.repeats++;
        plan->tasks.count--;
    }
    add_row(plan, row);
    if (task.depth + 1 < plan->depth)
        push_children(plan, task.row, task.depth + 1);
}

static void plan_rows(const Hierarchy *hierarchy, size_t most, uint32_t depth, Arena *arena,
                      HierarchyRows *out)
{
    RowPlan plan = {.hierarchy = hierarchy,
                    .arena = arena,
                    .scratch = arena_new(),
                    .out = out,
                    .depth = depth,
                    .most = most};
    const Outline *outline = &hierarchy->outline;
    *out = (HierarchyRows){.depth = depth};
    for (uint32_t i = 0; i < outline->section_count; i++) {
        const Section *section = &outline->sections[i];
        if (section->count == 0)
            continue;
        add_row(&plan, (HierarchyRow){.section = section, .repeats = 1});
        push_tops(&plan, section);
        while (plan.tasks.count)
            plan_next(&plan);
    }
    arena_release(plan.scratch);
}

void hierarchy_rows(const Hierarchy *hierarchy, const HierarchyLimits *limits, Arena *arena,
                    HierarchyRows *out)
{
    plan_rows(hierarchy, limits->most, limits->depth ? limits->depth : 1, arena, out);
    for (uint32_t deeper = 2; limits->depth == 0 && deeper <= DEEPEST; deeper++) {
        HierarchyRows next;
        plan_rows(hierarchy, limits->rows, deeper, arena, &next);
        if (next.cut || next.count == out->count)
            return;
        *out = next;
    }
}
