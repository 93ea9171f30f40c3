// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MERGE_MERGE_METRICS_H
#define VERNIER_COMMANDS_MERGE_MERGE_METRICS_H

#include "commands/machinery/runner.h"

// `vernier merge DIR...` where the folders hold no shards but row tables of many ranks
// (rows-step0-rank3.csv, compare_result_rank3_20260101000000.csv): metric × rank tables and heat
// maps.

// Whether some folder holds a row table and none a shard file.
bool merge_metrics_wanted(const Options *options, Arena *arena);

bool merge_metrics(const CommandCall *call, Product *out);

#endif
