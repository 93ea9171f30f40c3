// SPDX-License-Identifier: Apache-2.0
#include "layout/graph_report.h"

#include <math.h>

#include "base/words.h"
#include "compare/locate.h"
#include "layout/compare_tables.h"
#include "layout/figure_text.h"
#include "layout/table_heads.h"

enum { PAGE_OVERFLOWS = 200, TICKET_OVERFLOWS = 10 };

static uint32_t depth_of(const Graph *graph, NodeId node)
{
    uint32_t depth = 0;
    for (; graph->nodes[node].parent != NODE_NONE; node = graph->nodes[node].parent)
        depth++;
    return depth;
}

void graph_facts_collect(const Hierarchy *hierarchy, Arena *arena, GraphFacts *out)
{
    const Graph *graph = hierarchy->graph;
    const Dump *dump = graph->dump;
    out->read =
        (ReadFact){str_copy(arena, dump->path), dump->bytes, dump->op_count, dump->partial_at};
    out->framework = dump->framework;
    out->level = str_copy(arena, dump->level);
    out->task = str_copy(arena, dump->task);
    out->micro_steps = graph->micro_steps;
    out->flat = graph->flat;
    for (uint32_t i = 0; i + 1 < graph->order_count; i++) {
        const Node *node = &graph->nodes[graph->order[i]];
        uint32_t *kinds[] = {&out->modules, &out->apis, &out->groups};
        uint32_t depth = depth_of(graph, graph->order[i]);
        ++*kinds[node->type];
        out->depth = depth > out->depth ? depth : out->depth;
        if (node->op != OP_NONE)
            out->levels[node->overflow]++;
    }
    uint32_t first = hierarchy_first_overflow(hierarchy);
    if (first == PAIR_NONE)
        return;
    out->first_level = hierarchy_level(hierarchy, first);
    NameId name = graph->nodes[hierarchy_node(hierarchy, first)].name;
    out->first_overflow = str_copy(arena, names_text(dump->names, name));
}

static Str level_shown(Overflow level)
{
    static const char *const words[] = {TR("none"), TR("medium"), TR("high"), TR("critical")};
    return str_of(tr(words[level]));
}

// "2 critical, 3 high, 1 medium"
static Str levels_text(const uint32_t levels[LEVEL_COUNT], Arena *arena)
{
    StrBuf text;
    strbuf_init(&text, arena);
    for (int level = LEVEL_COUNT - 1; level > OVERFLOW_NONE; level--)
        if (levels[level])
            strbuf_printf(&text, "%s%u " STR_FMT, text.size ? ", " : "", levels[level],
                          STR_ARG(level_shown((Overflow)level)));
    return strbuf_str(&text);
}

void graph_verdict(const GraphFacts *facts, size_t count, bool partial, Arena *arena, Verdict *out)
{
    uint64_t ops = 0, modules = 0, read = 0;
    uint32_t levels[LEVEL_COUNT] = {0};
    const GraphFacts *first = NULL;
    *out = (Verdict){.partial = partial, .word = str_of(tr("GRAPH"))};
    for (size_t i = 0; i < count; i++) {
        read += !facts[i].failed;
        ops += facts[i].read.ops;
        modules += facts[i].modules;
        for (int level = 0; level < LEVEL_COUNT; level++)
            levels[level] += facts[i].levels[level];
        if (facts[i].first_overflow.size && (!first || facts[i].first_level > first->first_level))
            first = &facts[i];
    }
    if (read == 0) {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NO DATA"));
        out->reason = str_of(tr("no dump could be read."));
        out->sentence = summary_sentence(out, out->reason, arena);
        return;
    }
    Str op_count = figure_count(ops, arena), module_count = figure_count(modules, arena);
    Str dumps = read == 1 ? str_of(tr("1 dump"))
                          : str_printf(arena, tr("%llu dumps"), (unsigned long long)read);
    Str extent = str_printf(arena, tr(STR_FMT ", " STR_FMT " ops, " STR_FMT " modules"),
                            STR_ARG(dumps), STR_ARG(op_count), STR_ARG(module_count));
    out->style = STYLE_PLAIN;
    out->context = extent;
    out->reason = str_of(tr("no overflow level."));
    if (first) {
        Str sums = levels_text(levels, arena);
        out->reason = str_printf(arena,
                                 tr("overflow levels: " STR_FMT "; the first " STR_FMT
                                    " at " STR_FMT ", step %lld, rank %lld."),
                                 STR_ARG(sums), STR_ARG(level_shown(first->first_level)),
                                 STR_ARG(first->first_overflow), (long long)first->step,
                                 (long long)first->rank);
    }
    Str rest = str_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(extent), STR_ARG(out->reason));
    out->sentence = summary_sentence(out, rest, arena);
}

static void write_dump(JsonWriter *json, const GraphFacts *facts)
{
    json_object(json);
    summary_int(json, "step", facts->step);
    summary_int(json, "rank", facts->rank);
    summary_str(json, "file", facts->read.file);
    summary_int(json, "bytes", (int64_t)facts->read.bytes);
    summary_int(json, "partial_at_byte",
                facts->read.partial_at >= 0 ? facts->read.partial_at : INT64_MIN);
    summary_str(json, "framework", str_of(framework_text(facts->framework)));
    summary_str(json, "level", facts->level);
    summary_str(json, "task", facts->task);
    summary_int(json, "ops", facts->read.ops);
    summary_int(json, "modules", facts->modules);
    summary_int(json, "apis", facts->apis);
    summary_int(json, "groups", facts->groups);
    summary_int(json, "depth", facts->depth);
    summary_int(json, "micro_steps", facts->micro_steps);
    json_key(json, "hierarchy");
    json_bool(json, !facts->flat);
    json_key(json, "overflow");
    json_object_flat(json);
    for (int level = OVERFLOW_MEDIUM; level < LEVEL_COUNT; level++)
        summary_int(json, overflow_word((Overflow)level), facts->levels[level]);
    json_object_end(json);
    json_key(json, "first_overflow");
    if (facts->first_overflow.size)
        json_str(json, facts->first_overflow);
    else
        json_null(json);
    json_object_end(json);
}

void graph_summary_write(const GraphReport *report, Sink *out)
{
    JsonWriter json;
    bool any = false;
    for (size_t i = 0; i < report->count; i++)
        any = any || !report->facts[i].failed;
    SummaryHead head = {.schema = "vernier.graph/1",
                        .version = report->version,
                        .status = any ? "pass" : "no data",
                        .verdict = report->verdict};
    summary_begin(&json, &head, out);
    summary_str(&json, "dump", report->path);
    json_key(&json, "dumps");
    json_array(&json);
    for (size_t i = 0; i < report->count; i++)
        if (!report->facts[i].failed)
            write_dump(&json, &report->facts[i]);
    json_array_end(&json);
    summary_end(&json, report->notices);
}

// ---- tables

static Cell whole(int64_t number, Arena *arena)
{
    return cell_number_as((double)number, str_printf(arena, "%lld", (long long)number));
}

static Cell count_cell(uint64_t count, Arena *arena)
{
    return cell_number_as((double)count, figure_count_or_dot(count, arena));
}

Table *graph_table_of_dumps(const GraphReport *report, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("step"),        8,  true },
        {TR("rank"),        8,  true },
        {TR("framework"),   12, false},
        {TR("level"),       8,  false},
        {TR("ops"),         10, true },
        {TR("modules"),     10, true },
        {TR("depth"),       8,  true },
        {TR("micro steps"), 10, true },
        {TR("medium"),      10, true },
        {TR("high"),        10, true },
        {TR("critical"),    10, true },
        {TR("dump"),        48, false},
    };
    Table *table = TABLE_NEW(TR("Dumps"), heads, arena);
    for (size_t i = 0; i < report->count; i++) {
        const GraphFacts *facts = &report->facts[i];
        Cell *row = table_add_row(table);
        row[0] = whole(facts->step, arena);
        row[1] = whole(facts->rank, arena);
        row[11] = cell_styled(STYLE_CODE, facts->read.file);
        if (facts->failed) {
            row[2] = cell_styled(STYLE_UNMATCHED, str_of(tr("not readable")));
            continue;
        }
        row[2] = cell_text(str_of(framework_text(facts->framework)));
        row[3] = cell_text(facts->level);
        row[4] = count_cell(facts->read.ops, arena);
        row[5] = count_cell(facts->modules, arena);
        row[6] = count_cell(facts->depth, arena);
        row[7] = count_cell(facts->micro_steps, arena);
        for (int level = OVERFLOW_MEDIUM; level < LEVEL_COUNT; level++)
            row[7 + level] = count_cell(facts->levels[level], arena);
    }
    return table;
}

Table *graph_table_of_overflow(const Hierarchy *hierarchy, size_t limit, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("level"),      10, false},
        {TR("op"),         48, false},
        {TR("position"),   10, true },
        {TR("micro step"), 10, true },
    };
    Table *table = TABLE_NEW(TR("Overflow"), heads, arena);
    const Comparison *comparison = &hierarchy->comparison;
    size_t left_out = 0;
    for (int level = LEVEL_COUNT - 1; level > OVERFLOW_NONE; level--)
        for (uint32_t op = 0; op < comparison->op_count; op++) {
            uint32_t tree_row = hierarchy->outline.row_of_op[op];
            if (tree_row == PAIR_NONE || hierarchy_level(hierarchy, tree_row) != (Overflow)level)
                continue;
            if (table->row_count >= limit) {
                left_out++;
                continue;
            }
            const Node *node = &hierarchy->graph->nodes[hierarchy_node(hierarchy, tree_row)];
            Cell *row = table_add_row(table);
            row[0] = cell_styled(level == OVERFLOW_CRITICAL ? STYLE_ERROR : STYLE_WARNING,
                                 level_shown((Overflow)level));
            row[1] = cell_styled(STYLE_CODE, names_text(hierarchy->graph->dump->names, node->name));
            row[2] = whole(op + 1, arena);
            row[3] = whole(node->micro_step, arena);
        }
    if (left_out)
        table->note = str_printf(arena, tr("%zu more are left out"), left_out);
    return table;
}

static const char *type_word(const Node *node)
{
    static const char *const types[] = {
        [NODE_MODULE] = "module", [NODE_API] = "api", [NODE_GROUP] = "group"};
    return types[node->type];
}

static Str node_text(const Graph *graph, NodeId node)
{
    return node == NODE_NONE ? (Str){"", 0}
                             : names_text(graph->dump->names, graph->nodes[node].name);
}

Table *graph_table_of_nodes(const Hierarchy *hierarchy, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("node"),       56, false},
        {TR("type"),       10, false},
        {TR("parent"),     48, false},
        {TR("level"),      10, false},
        {TR("micro step"), 10, true },
    };
    const Graph *graph = hierarchy->graph;
    Table *table = TABLE_NEW(TR("Nodes"), heads, arena);
    for (uint32_t i = 0; i < graph->order_count; i++) {
        const Node *node = &graph->nodes[graph->order[i]];
        Cell *row = table_add_row(table);
        row[0] = cell_styled(STYLE_CODE, node_text(graph, graph->order[i]));
        row[1] = cell_text(str_of(type_word(node)));
        row[2] = cell_styled(STYLE_CODE, node_text(graph, node->parent));
        if (node->overflow != OVERFLOW_NONE)
            row[3] = cell_text(level_shown((Overflow)node->overflow));
        row[4] = whole(node->micro_step, arena);
    }
    return table;
}

void graph_nodes_write(const Graph *graph, Sink *out)
{
    JsonWriter json;
    json_writer_init(&json, out);
    json_object(&json);
    json_key(&json, "target");
    json_array(&json);
    for (uint32_t i = 0; i < graph->order_count; i++) {
        const Node *node = &graph->nodes[graph->order[i]];
        json_object_flat(&json);
        summary_str(&json, "id", node_text(graph, graph->order[i]));
        summary_str(&json, "type", str_of(type_word(node)));
        json_key(&json, "parent");
        if (node->parent == NODE_NONE)
            json_null(&json);
        else
            json_str(&json, node_text(graph, node->parent));
        json_key(&json, "overflow_level");
        json_text(&json, overflow_word((Overflow)node->overflow));
        summary_int(&json, "micro_step", node->micro_step);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

// ---- reports

static void add_table(Report *out, const char *id, const char *heading, Table *table)
{
    if (!table || table->row_count == 0)
        return;
    report_heading(out, 2, id, str_of(heading), (Str){"", 0});
    report_table(out, table);
}

static Str rule_text(const GraphReport *report, Arena *arena)
{
    return str_printf(arena,
                      tr("Overflow levels follow Max, Min and Mean of inputs and outputs; masks of "
                         "-Inf count too. 'vernier locate' tells them from real trouble. vernier "
                         "%s."),
                      report->version);
}

void graph_page_build(const GraphReport *report, Arena *arena, Report *out)
{
    report_init(out, arena);
    if (report->title.size)
        report_text(out, report->title);
    report_verdict(out, report->verdict);
    add_table(out, "dumps", tr("Dumps"), graph_table_of_dumps(report, arena));
    add_table(out, "problems", tr("Problems with the input"),
              table_of_problems(report->notices, arena));
    if (report->hierarchy) {
        report_heading(out, 2, "hierarchy", str_of(tr("Hierarchy")), (Str){"", 0});
        page_add_figure(out, &report->figure);
        add_table(out, "overflow", tr("Overflow levels"),
                  graph_table_of_overflow(report->hierarchy, PAGE_OVERFLOWS, arena));
    }
    report_footer(out, rule_text(report, arena));
    if (report->title.size)
        out->title = report->title;
}

void graph_ticket_build(const GraphReport *report, Arena *arena, Report *out)
{
    report_init(out, arena);
    report_verdict(out, report->verdict);
    if (report->hierarchy) {
        report_figure(out, report->figure.scene, report->figure.file, (Str){"", 0});
        add_table(out, "", tr("Overflow levels"),
                  graph_table_of_overflow(report->hierarchy, TICKET_OVERFLOWS, arena));
    }
    add_table(out, "", tr("Dumps"), graph_table_of_dumps(report, arena));
    add_table(out, "", tr("Problems with the input"), table_of_problems(report->notices, arena));
    if (report->command.size) {
        report_heading(out, 2, "", str_of(tr("To repeat")), (Str){"", 0});
        report_code(out, report->command);
    }
    report_footer(out, rule_text(report, arena));
}
