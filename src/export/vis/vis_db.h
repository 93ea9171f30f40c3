// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_VIS_VIS_DB_H
#define VERNIER_EXPORT_VIS_VIS_DB_H

#include "base/sink.h"
#include "compare/msprobe/msprobe.h"

// The SQLite database that msProbe's graph viewer opens (docs/spec/graph.md §5): tb_nodes with 22
// columns, tb_config, tb_stack, 7 indexes. One database holds all steps and ranks of a run, as
// comparison or as one side alone. Same input, same bytes.

typedef struct VisDb VisDb;

// A database in a file that does not exist yet or is empty, or in memory for path NULL.
// `overflow`: levels are shown and are in links between ranks. Everything is released by
// vis_db_close.
VisDb *vis_db_open(const char *path, bool overflow, Error *err);  // NULL on failure

// One (step, rank) of a comparison, both sides. Folders hold dump_tensor_data.
typedef struct VisPair {
    const Comparison *comparison;
    const MsprobeComparison *msprobe;  // rules of msprobe, or NULL
    const MsprobeMetrics *metrics;     // rules vernier, tensor mode, or NULL
    const char *golden_folder, *target_folder;
} VisPair;
bool vis_db_add_pair(VisDb *db, const VisPair *pair, Error *err);

// One (step, rank) of one dump.
bool vis_db_add_graph(VisDb *db, const Graph *graph, int64_t step, int64_t rank, const char *folder,
                      Error *err);

// Links communications across ranks, writes the configuration and the indexes. With a database in
// memory its bytes go to `out`.
bool vis_db_finish(VisDb *db, Sink *out, Error *err);

void vis_db_close(VisDb *db);  // NULL is allowed

#endif
