// SPDX-License-Identifier: Apache-2.0
#include "export/nodes_json.h"

#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "compare/judge/judge.h"

typedef struct NodesWriter {
    JsonWriter json;
    const Comparison *comparison;
    const MsprobeNodes *msprobe;
    bool overflow;
    uint8_t *status[2];  // by golden node, by target node
} NodesWriter;

enum { GOLDEN, TARGET };

static void write_name(NodesWriter *writer, const Graph *graph, NodeId id)
{
    if (id == NODE_NONE)
        json_null(&writer->json);
    else
        json_str(&writer->json, names_text(graph->dump->names, graph->nodes[id].name));
}

static NodeId partner_of(const NodesWriter *writer, int side, NodeId id)
{
    if (writer->msprobe)
        return side == TARGET ? writer->msprobe->golden_of[id] : writer->msprobe->target_of[id];
    return side == TARGET ? writer->comparison->golden_of[id] : writer->comparison->target_of[id];
}

static double index_of(const NodesWriter *writer, int side, NodeId id)
{
    if (writer->msprobe)
        return side == TARGET ? writer->msprobe->precision_index[id] : (double)NAN;
    return status_precision_index((Status)writer->status[side][id]);
}

static uint32_t micro_step_of(const NodesWriter *writer, const Graph *graph, int side, NodeId id)
{
    if (writer->msprobe && side == GOLDEN)
        return writer->msprobe->golden_micro_step[id];
    return graph->nodes[id].micro_step;
}

static void write_node(NodesWriter *writer, int side, NodeId id)
{
    static const char *const types[] = {
        [NODE_MODULE] = "module", [NODE_API] = "api", [NODE_GROUP] = "group"};
    static const char *const levels[] = {[OVERFLOW_NONE] = NULL,
                                         [OVERFLOW_MEDIUM] = "medium",
                                         [OVERFLOW_HIGH] = "high",
                                         [OVERFLOW_CRITICAL] = "critical"};
    const Comparison *comparison = writer->comparison;
    const Graph *own = side == TARGET ? comparison->target : comparison->golden;
    const Graph *other = side == TARGET ? comparison->golden : comparison->target;
    const Node *node = &own->nodes[id];
    JsonWriter *json = &writer->json;
    double index = index_of(writer, side, id);
    json_object_flat(json);
    json_key(json, "id");
    write_name(writer, own, id);
    json_text(json_key(json, "type"), types[node->type]);
    json_key(json, "parent");
    write_name(writer, own, node->parent);
    json_key(json, "matched");
    write_name(writer, other, partner_of(writer, side, id));
    json_key(json, "precision_index");
    if (isnan(index))
        json_null(json);
    else
        json_number(json, index);
    json_text(json_key(json, "overflow_level"), writer->overflow ? levels[node->overflow] : NULL);
    json_uint(json_key(json, "micro_step"), micro_step_of(writer, own, side, id));
    json_text(json_key(json, "status"), status_word((Status)writer->status[side][id]));
    json_object_end(json);
}

static void write_side(NodesWriter *writer, int side)
{
    const Graph *graph = side == TARGET ? writer->comparison->target : writer->comparison->golden;
    json_array(&writer->json);
    for (uint32_t i = 0; i < graph->order_count; i++)
        write_node(writer, side, graph->order[i]);
    json_array_end(&writer->json);
}

// The statuses of the aligned tree, by the nodes of each side.
static void spread_statuses(NodesWriter *writer, Arena *scratch)
{
    const Comparison *comparison = writer->comparison;
    uint32_t counts[] = {comparison->golden->count, comparison->target->count};
    for (int side = 0; side < 2; side++) {
        writer->status[side] = ARENA_ARRAY(scratch, uint8_t, (size_t)counts[side] + 1);
        memset(writer->status[side], STATUS_NO_DATA, counts[side]);
    }
    for (uint32_t i = 0; i < comparison->tree_count; i++) {
        const TreeNode *node = &comparison->tree[i];
        if (node->golden != NODE_NONE)
            writer->status[GOLDEN][node->golden] = node->status;
        if (node->target != NODE_NONE)
            writer->status[TARGET][node->target] = node->status;
    }
}

void nodes_json_write(const Comparison *comparison, const MsprobeNodes *msprobe, bool overflow,
                      Sink *out)
{
    Arena *scratch = arena_new();
    NodesWriter writer = {.comparison = comparison, .msprobe = msprobe, .overflow = overflow};
    spread_statuses(&writer, scratch);
    json_writer_init(&writer.json, out);
    json_object(&writer.json);
    json_key(&writer.json, "golden");
    write_side(&writer, GOLDEN);
    json_key(&writer.json, "target");
    write_side(&writer, TARGET);
    json_object_end(&writer.json);
    json_end(&writer.json);
    arena_release(scratch);
}
