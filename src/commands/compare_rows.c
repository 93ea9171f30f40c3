// SPDX-License-Identifier: Apache-2.0
#include "commands/compare_rows.h"

#include "layout/fills_table.h"
#include "layout/nodes_json.h"
#include "layout/rows_table.h"

enum { ROWS_IN_FULL = 100000 };

static void rows_table(const PairGraphs *pair, bool only_differing, Arena *arena, Table *out)
{
    RowsTableOptions options = {.name = "Compare", .only_differing = only_differing};
    if (pair->comparison.rules == RULES_VERNIER)
        rows_table_of_comparison(out, &pair->comparison, pair->metrics, &options, arena);
    else
        rows_table_of_peer(out, &pair->peer, &options, arena);
}

void compare_rows_table(const PairGraphs *pair, bool all_rows, Arena *arena, Table *out)
{
    rows_table(pair, false, arena, out);
    if (!all_rows && out->row_count > ROWS_IN_FULL)
        rows_table(pair, true, arena, out);
}

typedef struct NodesFile {
    const PairGraphs *pair;
    bool overflow;
} NodesFile;

static bool write_nodes(void *context, Sink *out, Error *err)
{
    const NodesFile *file = context;
    (void)err;
    const PeerNodes *peer =
        file->pair->comparison.rules == RULES_VERNIER ? NULL : &file->pair->peer.nodes;
    nodes_json_write(&file->pair->comparison, peer, file->overflow, out);
    return true;
}

void compare_rows_write(const PairGraphs *pair, const PlacePair *place,
                        const ComparePairOptions *options, Outputs *outputs)
{
    Arena *scratch = arena_new();
    if (outputs_want(outputs, "csv")) {
        Table rows, fills;
        Table *one = &rows;
        compare_rows_table(pair, options->all_rows, scratch, &rows);
        outputs_tables(outputs, "csv", compare_pair_base("rows", place, scratch).data,
                       options->single, &one, 1);
        fills_table_init(&fills, &rows, outputs->render.theme, scratch);
        one = &fills;
        outputs_tables(outputs, "csv", compare_pair_base("fills", place, scratch).data, false, &one,
                       1);
    }
    if (outputs_want(outputs, "nodes")) {
        NodesFile file = {pair, options->overflow};
        Str name = str_printf(scratch, STR_FMT ".json",
                              STR_ARG(compare_pair_base("nodes", place, scratch)));
        outputs_custom(outputs, "nodes", name.data, options->single, write_nodes, &file);
    }
    arena_release(scratch);
}
