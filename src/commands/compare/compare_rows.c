// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_rows.h"

#include "export/nodes_json.h"
#include "read/dump/place_name.h"
#include "report/compare/fills_table.h"
#include "report/compare/rows_table.h"

enum { ROWS_IN_FULL = 100000 };

static void rows_table(const PairGraphs *pair, bool only_differing, Arena *arena, Table *out)
{
    RowsTableOptions options = {.name = "Compare", .only_differing = only_differing};
    if (pair->comparison.rules == RULES_VERNIER)
        rows_table_of_comparison(out, &pair->comparison, pair->metrics, &options, arena);
    else
        rows_table_of_msprobe(out, &pair->msprobe, &options, arena);
}

Table *compare_rows_table(const PairGraphs *pair, bool all_rows, Arena *arena)
{
    Table *rows = ARENA_NEW(arena, Table);
    rows_table(pair, false, arena, rows);
    if (!all_rows && rows->row_count > ROWS_IN_FULL)
        rows_table(pair, true, arena, rows);
    return rows;
}

typedef struct NodesFile {
    const PairGraphs *pair;
    bool overflow;
} NodesFile;

static bool write_nodes(void *context, Sink *out, Error *err)
{
    const NodesFile *file = context;
    (void)err;
    const MsprobeNodes *msprobe =
        file->pair->comparison.rules == RULES_VERNIER ? NULL : &file->pair->msprobe.nodes;
    nodes_json_write(&file->pair->comparison, msprobe, file->overflow, out);
    return true;
}

void compare_rows_add(const PairGraphs *pair, const PlacePair *place,
                      const ComparePairOptions *options, Product *product)
{
    Arena *arena = product->arena;
    if (outputs_want_sheets(product->outputs)) {
        Table *rows = compare_rows_table(pair, true, arena);  // was asked for by name
        Table *fills = ARENA_NEW(arena, Table);
        fills_table_init(fills, rows, product->outputs->render.theme, arena);
        product_sheet(product, place_base("rows", place->step, place->stage, place->rank, arena),
                      options->single, rows);
        product_sheet(product, place_base("fills", place->step, place->stage, place->rank, arena),
                      false, fills);
    }
    if (outputs_want(product->outputs, "nodes")) {
        NodesFile *file = ARENA_NEW(arena, NodesFile);
        *file = (NodesFile){pair, options->overflow};
        Str base = place_base("nodes", place->step, place->stage, place->rank, arena);
        product_file(product, "nodes", str_concat(arena, base, STR(".json")), options->single,
                     write_nodes, file);
    }
}
