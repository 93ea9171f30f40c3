// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/strip_columns.h"

#include "base/array.h"
#include "read/dump/op_name.h"

typedef struct Builder {
    const Outline *outline;
    StripColumns *columns;
    uint32_t *column_of;  // by tree row, for the forward side
    Arena *arena, *scratch;
} Builder;

typedef struct Task {
    uint32_t row, parent;  // a tree row and the column that holds it
} Task;

typedef struct Tasks {
    Task *items;
    size_t count, capacity;
} Tasks;

static uint32_t add_column(Builder *builder, uint32_t parent, uint32_t after)
{
    StripColumns *columns = builder->columns;
    size_t capacity = columns->capacity;
    array_reserve(builder->arena, (void **)&columns->items, columns->count, &capacity,
                  sizeof *columns->items);
    columns->capacity = (uint32_t)capacity;
    uint32_t index = columns->count++;
    StripColumn *column = &columns->items[index];
    *column = (StripColumn){.row = {PAIR_NONE, PAIR_NONE},
                            .parent = parent,
                            .first_child = COLUMN_NONE,
                            .next = COLUMN_NONE,
                            .last_placed = COLUMN_NONE};
    if (parent == COLUMN_NONE)
        return index;
    StripColumn *above = &columns->items[parent];
    column->tier = parent == columns->root ? 0 : above->tier + 1;
    uint32_t *link = after == COLUMN_NONE ? &above->first_child : &columns->items[after].next;
    column->next = *link;
    *link = index;
    return index;
}

static void push_children(Builder *builder, Tasks *tasks, uint32_t row, uint32_t column)
{
    for (uint32_t child = outline_first(builder->outline, row); child != PAIR_NONE;
         child = outline_next(builder->outline, child))
        *ARRAY_PUSH(builder->scratch, tasks) = (Task){child, column};
}

static void push_tops(Builder *builder, Tasks *tasks, const Section *section)
{
    for (uint32_t i = 0; i < section->count; i++)
        *ARRAY_PUSH(builder->scratch, tasks) =
            (Task){builder->outline->tops[section->first + i], builder->columns->root};
}

// Tasks are a stack, so siblings come last to first: each new column goes to the front.
static void build_forward(Builder *builder, const Section *section)
{
    Tasks tasks = {0};
    push_tops(builder, &tasks, section);
    while (tasks.count) {
        Task task = tasks.items[--tasks.count];
        uint32_t column = add_column(builder, task.parent, COLUMN_NONE);
        builder->columns->items[column].row[SIDE_FORWARD] = task.row;
        builder->column_of[task.row] = column;
        push_children(builder, &tasks, task.row, column);
    }
}

static const Graph *row_graph(const Comparison *comparison, const TreeNode *row, NodeId *node)
{
    *node = row->target != NODE_NONE ? row->target : row->golden;
    return row->target != NODE_NONE ? comparison->target : comparison->golden;
}

static uint32_t find_named_row(const Graph *graph, const uint32_t *row_of_node, Str name)
{
    NameId id = names_find(graph->dump->names, name);
    if (id == NAME_NONE || id >= graph->name_count)
        return PAIR_NONE;
    NodeId node = graph->of_name[id];
    return node == NODE_NONE || node >= graph->count ? PAIR_NONE : row_of_node[node];
}

// "Module.fc.Linear.backward.0" was "…forward.0", "Functional.relu.3.backward" "….forward".
static uint32_t forward_twin(Builder *builder, uint32_t row, uint32_t *const rows_of_nodes[2])
{
    const Comparison *comparison = builder->outline->comparison;
    const TreeNode *at = &comparison->tree[row];
    NodeId node;
    const Graph *graph = row_graph(comparison, at, &node);
    OpName parts = op_name_of(graph->dump->names, graph->nodes[node].name);
    if (parts.direction != DIR_BACKWARD)
        return PAIR_NONE;
    Str twin;
    if (parts.kind == OP_API)
        twin = str_printf(builder->scratch, STR_FMT ".%d.forward", STR_ARG(parts.stem),
                          (int)parts.call);
    else
        twin = str_printf(builder->scratch, STR_FMT ".forward.%d", STR_ARG(parts.stem),
                          (int)parts.call);
    const uint32_t *row_of_node = rows_of_nodes[graph == comparison->target];
    return find_named_row(graph, row_of_node, twin);
}

// The column of the backward row's forward twin, if it has the same parent and is still free.
static uint32_t shared_column(Builder *builder, const Task *task, uint32_t *const rows_of_nodes[2])
{
    uint32_t twin = forward_twin(builder, task->row, rows_of_nodes);
    if (twin == PAIR_NONE || builder->column_of[twin] == COLUMN_NONE)
        return COLUMN_NONE;
    uint32_t column = builder->column_of[twin];
    const StripColumn *at = &builder->columns->items[column];
    bool fits = at->parent == task->parent && at->row[SIDE_BACKWARD] == PAIR_NONE;
    return fits ? column : COLUMN_NONE;
}

static void build_backward(Builder *builder, const Section *section,
                           uint32_t *const rows_of_nodes[2])
{
    Tasks tasks = {0};
    push_tops(builder, &tasks, section);
    while (tasks.count) {
        Task task = tasks.items[--tasks.count];
        uint32_t column = shared_column(builder, &task, rows_of_nodes);
        if (column == COLUMN_NONE)
            column =
                add_column(builder, task.parent, builder->columns->items[task.parent].last_placed);
        builder->columns->items[task.parent].last_placed = column;
        builder->columns->items[column].row[SIDE_BACKWARD] = task.row;
        push_children(builder, &tasks, task.row, column);
    }
}

static uint32_t *rows_by_node(const Comparison *comparison, bool target, Arena *arena)
{
    const Graph *graph = target ? comparison->target : comparison->golden;
    uint32_t *rows = ARENA_ARRAY(arena, uint32_t, graph->count);
    for (uint32_t i = 0; i < graph->count; i++)
        rows[i] = PAIR_NONE;
    for (uint32_t row = 0; row < comparison->tree_count; row++) {
        NodeId node = target ? comparison->tree[row].target : comparison->tree[row].golden;
        if (node != NODE_NONE)
            rows[node] = row;
    }
    return rows;
}

// Children have higher indices than their parents.
static void count_leaves(StripColumns *columns)
{
    for (uint32_t i = columns->count; i-- > 0;) {
        StripColumn *column = &columns->items[i];
        if (column->first_child == COLUMN_NONE)
            column->leaves = 1;
        if (column->parent != COLUMN_NONE)
            columns->items[column->parent].leaves += column->leaves;
        for (int side = 0; side < 2; side++)
            if (column->row[side] != PAIR_NONE && column->tier + 1 > columns->tiers[side])
                columns->tiers[side] = column->tier + 1;
    }
}

static void order_columns(StripColumns *columns, Arena *arena)
{
    columns->order = ARENA_ARRAY(arena, uint32_t, columns->count);
    uint32_t used = 0;
    uint32_t at = columns->items[columns->root].first_child;
    while (at != COLUMN_NONE) {
        columns->order[used++] = at;
        uint32_t next = columns->items[at].first_child;
        while (next == COLUMN_NONE && at != columns->root) {
            next = columns->items[at].next;
            at = columns->items[at].parent;
        }
        at = next;
    }
}

void columns_build(const Outline *outline, const Section *forward, const Section *backward,
                   Arena *arena, StripColumns *out)
{
    const Comparison *comparison = outline->comparison;
    *out = (StripColumns){0};
    Builder builder = {.outline = outline, .columns = out, .arena = arena};
    builder.scratch = arena_new();
    builder.column_of = ARENA_ARRAY(builder.scratch, uint32_t, comparison->tree_count);
    for (uint32_t row = 0; row < comparison->tree_count; row++)
        builder.column_of[row] = COLUMN_NONE;
    out->root = add_column(&builder, COLUMN_NONE, COLUMN_NONE);
    if (forward)
        build_forward(&builder, forward);
    if (backward) {
        uint32_t *const rows_of_nodes[2] = {rows_by_node(comparison, false, builder.scratch),
                                            rows_by_node(comparison, true, builder.scratch)};
        build_backward(&builder, backward, rows_of_nodes);
    }
    count_leaves(out);
    order_columns(out, arena);
    arena_release(builder.scratch);
}

void columns_place(StripColumns *columns, double x, double width)
{
    StripColumn *root = &columns->items[columns->root];
    root->x = x;
    root->width = width;
    for (uint32_t i = 0; i < columns->count; i++) {
        const StripColumn *parent = &columns->items[i];
        double left = parent->x;
        for (uint32_t child = parent->first_child; child != COLUMN_NONE;
             child = columns->items[child].next) {
            StripColumn *column = &columns->items[child];
            column->x = left;
            column->width = parent->width * column->leaves / parent->leaves;
            left += column->width;
        }
    }
}

double columns_least_width(const StripColumns *columns, const uint32_t tiers[2], uint32_t budget)
{
    static const double widths[] = {5, 8, 12, 20, 40, 80};
    size_t last = sizeof widths / sizeof *widths - 1;
    for (size_t i = 0; i < last; i++) {
        uint32_t cells = 0;
        for (uint32_t c = 1; c < columns->count; c++) {
            const StripColumn *column = &columns->items[c];
            for (int side = 0; side < 2; side++)
                cells += column->width >= widths[i] && column->tier < tiers[side] &&
                         column->row[side] != PAIR_NONE;
        }
        if (cells <= budget)
            return widths[i];
    }
    return widths[last];
}
