// SPDX-License-Identifier: Apache-2.0
#include "report/compare/graph_report.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "compare/nonfinite/locate.h"
#include "compare/nonfinite/nonfinite.h"
#include "picture/compare/hierarchy_look.h"
#include "read/tensor/tensor.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "verdict/figure_text.h"

enum { PAGE_OVERFLOWS = 200, TICKET_OVERFLOWS = 10, REPEAT_ROWS = 64 };

// How many nodes stand above each. order[] has children before their parents.
static uint32_t *find_depths(const Graph *graph, Arena *arena)
{
    uint32_t *depths = ARENA_ARRAY(arena, uint32_t, (size_t)graph->count + 1);
    for (uint32_t i = graph->order_count; i-- > 0;) {
        NodeId node = graph->order[i], parent = graph->nodes[node].parent;
        depths[node] = parent == NODE_NONE ? 0 : depths[parent] + 1;
    }
    return depths;
}

static bool tells(const Dump *dump, const Slot *slot)
{
    double ignored;
    return nonfinite_stat(dump, slot, STAT_MAX, &ignored) ||
           nonfinite_stat(dump, slot, STAT_MIN, &ignored) ||
           nonfinite_stat(dump, slot, STAT_MEAN, &ignored);
}

// Whether a level could follow from no tensor of the op, or not from each of its results and of its
// weights, which always have elements.
static bool is_unjudged(const Dump *dump, const Op *op)
{
    bool tensors = false, told = false;
    if (op->is_nan != TRI_ABSENT)
        return false;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot->kind != SLOT_TENSOR)
            continue;
        tensors = true;
        bool tells_this = tells(dump, slot);
        told = told || tells_this;
        bool result =
            slot->group == GROUP_OUTPUT && shape_elements(names_text(dump->names, slot->shape)) > 0;
        if (!tells_this && (result || slot->group == GROUP_PARAMETERS))
            return true;
    }
    return tensors && !told;
}

// The fold of the forward tree that holds most ops, as the picture labels it; empty where it holds
// fewer than half of them.
static Str find_repeat(const Hierarchy *hierarchy, Arena *arena)
{
    Arena *scratch = arena_new();
    HierarchyRows rows;
    const Section *section = NULL;
    const HierarchyRow *best = NULL;
    uint64_t most = 0, all = 0;
    hierarchy_rows(hierarchy, &(HierarchyLimits){.rows = REPEAT_ROWS, .most = REPEAT_ROWS}, scratch,
                   &rows);
    for (size_t i = 0; i < rows.count; i++) {
        uint32_t ignored[LEVEL_COUNT] = {0};
        const HierarchyRow *row = &rows.items[i];
        section = row->section ? row->section : section;
        if (section && section->kind != SECTION_FORWARD)
            continue;
        all += row->section ? row->section->ops : 0;
        uint64_t ops =
            row->section || row->repeats < 2 ? 0 : hierarchy_sums(hierarchy, row, ignored);
        if (ops > most) {
            most = ops;
            best = row;
        }
    }
    Str out = best && 2 * most >= all ? hierarchy_label(hierarchy, best, arena) : (Str){0};
    arena_release(scratch);
    return out;
}

// In the outputs of an op; where these are finite in its inputs.
static Nonfinite find_found(const Dump *dump, const Op *op)
{
    Nonfinite given = 0, gives = op->is_nan == TRI_TRUE ? NONFINITE_NAN : 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        *(dump->slots[i].group == GROUP_OUTPUT ? &gives : &given) |=
            nonfinite_of(dump, &dump->slots[i]);
    return gives ? gives : given;
}

static double bytes_of_tensors(const Dump *dump)
{
    double bytes = 0;
    for (uint32_t i = 0; i < dump->slot_count; i++) {
        DType dtype;
        const Slot *slot = &dump->slots[i];
        if (slot->kind == SLOT_TENSOR &&
            dtype_find(str_behind(names_text(dump->names, slot->dtype), '.'), &dtype))
            bytes += (double)shape_elements(names_text(dump->names, slot->shape)) *
                     (double)dtype_size(dtype);
    }
    return bytes;
}

void graph_facts_collect(const Hierarchy *hierarchy, Arena *arena, GraphFacts *out)
{
    const Graph *graph = hierarchy->graph;
    const Dump *dump = graph->dump;
    out->read =
        (ReadFact){str_copy(arena, dump->path), dump->bytes, dump->op_count, dump->partial_at};
    out->slots = dump->slot_count;
    out->tensor_bytes = bytes_of_tensors(dump);
    out->framework = dump->framework;
    out->level = str_copy(arena, dump->level);
    out->task = str_copy(arena, dump->task);
    out->micro_steps = graph->micro_steps;
    out->flat = graph->flat;
    out->unsure = hierarchy->unsure;
    for (uint32_t i = 0; i < dump->op_count; i++)
        out->unjudged += is_unjudged(dump, &dump->ops[i]);
    Arena *scratch = arena_new();
    const uint32_t *depths = find_depths(graph, scratch);
    for (uint32_t i = 0; i + 1 < graph->order_count; i++) {
        const Node *node = &graph->nodes[graph->order[i]];
        uint32_t *kinds[] = {&out->modules, &out->apis, &out->groups};
        uint32_t depth = depths[graph->order[i]];
        ++*kinds[node->type];
        out->depth = depth > out->depth ? depth : out->depth;
    }
    memcpy(out->levels, hierarchy->levels[0], sizeof out->levels);
    arena_release(scratch);
    out->repeat = find_repeat(hierarchy, arena);
    uint32_t first = hierarchy_first_overflow(hierarchy);
    if (first == PAIR_NONE)
        return;
    const Node *node = &graph->nodes[hierarchy_node(hierarchy, first)];
    out->first_level = hierarchy_level(hierarchy, first);
    out->first_overflow = str_copy(arena, names_text(dump->names, node->name));
    out->first_found = node->op == OP_NONE ? 0 : find_found(dump, &dump->ops[node->op]);
}

// ---- tables

// Empty for a dump that could not be read.
static Cell fact_cell(const GraphFacts *facts, uint64_t count, Arena *arena)
{
    return facts->failed ? NO_CELL : cell_count_or_dot(count, arena);
}

static Cell framework_cell(const GraphFacts *facts)
{
    return facts->failed ? cell_styled(STYLE_UNMATCHED, str_of(tr("not readable")))
                         : cell_text(str_of(framework_text(facts->framework)));
}

// The view is NULL where no step has stages.
static void dump_columns(Row *row)
{
    const GraphFacts *facts = row->item;
    Arena *arena = row->arena;
    NUMBER(row, TR("step"), 8, cell_int(facts->step, arena));
    if (row->view)
        TEXT(row, TR("stage"), 22, cell_text(facts->stage));
    NUMBER(row, TR("rank"), 8, cell_int(facts->rank, arena));
    TEXT(row, TR("framework"), 12, framework_cell(facts));
    TEXT(row, TR("level"), 8, facts->failed ? NO_CELL : cell_text(facts->level));
    NUMBER(row, TR("ops"), 10, fact_cell(facts, facts->read.ops, arena));
    NUMBER(row, TR("modules"), 10, fact_cell(facts, facts->modules, arena));
    NUMBER(row, TR("depth"), 8, fact_cell(facts, facts->depth, arena));
    NUMBER(row, TR("micro steps"), 10, fact_cell(facts, facts->micro_steps, arena));
    NUMBER(row, TR("medium"), 10, fact_cell(facts, facts->levels[OVERFLOW_MEDIUM], arena));
    NUMBER(row, TR("high"), 10, fact_cell(facts, facts->levels[OVERFLOW_HIGH], arena));
    NUMBER(row, TR("critical"), 10, fact_cell(facts, facts->levels[OVERFLOW_CRITICAL], arena));
    TEXT(row, TR("dump"), 48, cell_code(facts->read.file));
}

Table *graph_table_of_dumps(const GraphPage *report, Arena *arena)
{
    const void *staged = NULL;
    for (size_t i = 0; i < report->count; i++)
        staged = report->facts[i].stage.size ? report : staged;
    return COLUMNS_TABLE(TR("Dumps"), dump_columns, staged, report->facts, report->count, arena);
}

static Cell level_cell(const Hierarchy *hierarchy, uint32_t op)
{
    Overflow level = hierarchy_level(hierarchy, hierarchy->outline.row_of_op[op]);
    return cell_styled(level == OVERFLOW_CRITICAL ? STYLE_ERROR : STYLE_WARNING,
                       overflow_shown(level));
}

static void overflow_columns(Row *row)
{
    const Hierarchy *hierarchy = row->view;
    const Node *node = row->item;
    const uint32_t *op = row->of;
    TEXT(row, TR("level"), 10, level_cell(hierarchy, *op));
    TEXT(row, TR("op"), 48, cell_code(names_text(hierarchy->graph->dump->names, node->name)));
    NUMBER(row, TR("position"), 10, cell_int(*op + 1, row->arena));
    NUMBER(row, TR("micro step"), 10, cell_int(node->micro_step, row->arena));
}

Table *graph_table_of_overflow(const Hierarchy *hierarchy, size_t limit, Arena *arena)
{
    Table *table = columns_table(TR("Overflow"), overflow_columns, hierarchy, arena);
    size_t left_out = 0;
    for (int level = LEVEL_COUNT - 1; level > OVERFLOW_NONE; level--)
        for (uint32_t op = 0; op < hierarchy->comparison.op_count; op++) {
            uint32_t at = hierarchy->outline.row_of_op[op];
            if (at == PAIR_NONE || hierarchy_level(hierarchy, at) != (Overflow)level)
                continue;
            if (table->row_count < limit)
                columns_add_of(table, &op, &hierarchy->graph->nodes[hierarchy_node(hierarchy, at)]);
            else
                left_out++;
        }
    if (left_out)
        table->note = str_printf(arena, tr("%zu more are left out"), left_out);
    return table;
}

const char *graph_type_word(const Node *node)
{
    static const char *const types[] = {
        [NODE_MODULE] = "module", [NODE_API] = "api", [NODE_GROUP] = "group"};
    return types[node->type];
}

Str graph_node_text(const Graph *graph, NodeId node)
{
    return node == NODE_NONE ? (Str){"", 0}
                             : names_text(graph->dump->names, graph->nodes[node].name);
}

static Cell overflow_cell(Overflow level)
{
    return level == OVERFLOW_NONE ? NO_CELL : cell_text(overflow_shown(level));
}

static Cell known_number(double value)
{
    return isnan(value) ? NO_CELL : cell_number(value);
}

static void node_columns(Row *row)
{
    const Graph *graph = row->view;
    const NodeId *id = row->item;
    TEXT(row, TR("node"), 56, cell_code(graph_node_text(graph, *id)));
    TEXT(row, TR("type"), 10, cell_text(str_of(graph_type_word(&graph->nodes[*id]))));
    TEXT(row, TR("parent"), 48, cell_code(graph_node_text(graph, graph->nodes[*id].parent)));
    TEXT(row, TR("level, masks counted"), 10, overflow_cell((Overflow)graph->nodes[*id].overflow));
    NUMBER(row, TR("micro step"), 10, cell_int(graph->nodes[*id].micro_step, row->arena));
    RowOutputs out = NO_OUTPUTS;
    if (row->item)
        hierarchy_add_outputs(graph, *id, row->arena, &out);
    TEXT(row, TR("output"), 24, out.shape.size ? cell_code(out.shape) : NO_CELL);
    NUMBER(row, TR("largest output"), 14, known_number(out.largest[0]));
    NUMBER(row, "norm", 14, known_number(out.norm[0]));
}

Table *graph_table_of_nodes(const Hierarchy *hierarchy, Arena *arena)
{
    const Graph *graph = hierarchy->graph;
    return COLUMNS_TABLE(TR("Nodes"), node_columns, graph, graph->order, graph->order_count, arena);
}

// ---- reports

static Str rule_text(const GraphPage *report, Arena *arena)
{
    return str_printf(
        arena,
        tr("Overflow levels follow Max, Min and Mean of inputs and outputs; the -Inf "
           "of masks has none. 'vernier locate' follows a NaN over the ranks. vernier "
           "%s."),
        report->version);
}

void graph_page_build(const GraphPage *report, Arena *arena, Report *out)
{
    report_init(out, arena);
    if (report->title.size)
        report_text(out, report->title);
    report_verdict(out, report->verdict);
    bool one = report->count == 1 && report->hierarchy;  // its row goes below its picture
    if (!one)
        section_table(out, "dumps", tr("Dumps"), graph_table_of_dumps(report, arena));
    section_problems(out, "problems", tr("Problems with the input"), report->notices);
    if (report->hierarchy) {
        report_heading(out, 2, "hierarchy", str_of(tr("Hierarchy")), (Str){"", 0});
        section_figure(out, &report->boxes);
        section_figure(out, &report->tree);
        section_table(out, "overflow", tr("Overflow levels"),
                      graph_table_of_overflow(report->hierarchy, PAGE_OVERFLOWS, arena));
    }
    if (one)
        section_table(out, "dumps", tr("Dumps"), graph_table_of_dumps(report, arena));
    report_footer(out, rule_text(report, arena));
    if (report->title.size)
        out->title = report->title;
}

void graph_ticket_build(const GraphPage *report, Arena *arena, Report *out)
{
    report_init(out, arena);
    report_verdict(out, report->verdict);
    if (report->hierarchy) {
        report_figure(out, report->boxes.scene, report->boxes.file, (Str){"", 0});
        section_table(out, "", tr("Overflow levels"),
                      graph_table_of_overflow(report->hierarchy, TICKET_OVERFLOWS, arena));
    }
    section_table(out, "", tr("Dumps"), graph_table_of_dumps(report, arena));
    section_problems(out, "", tr("Problems with the input"), report->notices);
    section_code(out, tr("To repeat"), report->command);
    report_footer(out, rule_text(report, arena));
}
