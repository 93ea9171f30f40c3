// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_MINDSPORE_TREE_H
#define VERNIER_READ_DUMP_MINDSPORE_TREE_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump_place.h"

// The folders in which MindSpore's Dump puts its iterations:
//     rank_1/Net/0/5/                             O0, O1: rank, network, graph, iteration
//     20241211163406[/STEP]/1/kernel_graph_1/3/2/ O2: time, device, model, its number, iteration
//     rank_1/20241211163406/step_2/               O2, as msProbe moves it
// An iteration holds statistic.csv, tensors, or both. A graph after the first one is a stage,
// "graph_1"; "constants" next to the iterations are a stage of the first of them.

// "dump_20260801_101112", or the time alone.
bool mindspore_is_time(Str name);

// Step, rank and stage, by the last folders of the full path of an iteration; else nothing is set.
bool mindspore_place_read(Str path, Arena *arena, DumpPlace *out);

// The iterations at or below `path`, whose full path is `full`. False: it is no such tree, or what
// it holds is several runs, which *err then tells.
bool mindspore_tree_find(const char *path, Str full, Arena *arena, DumpPlaces *out,
                         Notices *notices, Error *err);

#endif
