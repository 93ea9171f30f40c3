// SPDX-License-Identifier: Apache-2.0
// summary.json and node list of `vernier graph`.
#include "export/summary/graph_summary.h"

#include "compare/nonfinite/locate.h"
#include "export/summary/summary.h"

static void write_dump(JsonWriter *json, const GraphFacts *facts)
{
    json_object(json);
    summary_int(json, "step", facts->step);
    if (facts->stage.size)
        summary_str(json, "stage", facts->stage);
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
    json_bool(json_key(json, "hierarchy"), !facts->flat);
    summary_int(json, "ops_without_statistics", facts->unjudged);
    json_object_flat(json_key(json, "overflow"));
    for (int level = OVERFLOW_MEDIUM; level < LEVEL_COUNT; level++)
        summary_int(json, overflow_word((Overflow)level), facts->levels[level]);
    json_object_end(json);
    summary_name(json, "first_overflow", facts->first_overflow);
    json_object_end(json);
}

void graph_summary_write(const void *facts, Sink *out)
{
    const GraphPage *report = facts;
    JsonWriter json;
    bool any = false;
    for (size_t i = 0; i < report->count; i++)
        any = any || report->facts[i].read.ops;
    SummaryHead head = {.schema = "vernier.graph/1",
                        .version = report->version,
                        .status = any ? "pass" : "no data",
                        .verdict = report->verdict};
    summary_begin(&json, &head, out);
    summary_str(&json, "dump", report->path);
    json_array(json_key(&json, "dumps"));
    for (size_t i = 0; i < report->count; i++)
        if (!report->facts[i].failed)
            write_dump(&json, &report->facts[i]);
    json_array_end(&json);
    summary_end(&json, report->notices);
}

void graph_nodes_write(const Graph *graph, Sink *out)
{
    JsonWriter json;
    json_writer_init(&json, out);
    json_object(&json);
    json_array(json_key(&json, "target"));
    for (uint32_t i = 0; i < graph->order_count; i++) {
        const Node *node = &graph->nodes[graph->order[i]];
        json_object_flat(&json);
        summary_str(&json, "id", graph_node_text(graph, graph->order[i]));
        summary_str(&json, "type", str_of(graph_type_word(node)));
        json_key(&json, "parent");
        if (node->parent == NODE_NONE)
            json_null(&json);
        else
            json_str(&json, graph_node_text(graph, node->parent));
        json_text(json_key(&json, "overflow_level"), overflow_word((Overflow)node->overflow));
        summary_int(&json, "micro_step", node->micro_step);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
