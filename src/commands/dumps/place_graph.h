// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_DUMPS_PLACE_GRAPH_H
#define VERNIER_COMMANDS_DUMPS_PLACE_GRAPH_H

#include "model/graph/graph.h"
#include "read/dump/dump_folder.h"

// The hierarchy of one place: that of its dump, or where several ranks hold one model in parts that
// of all of them merged. False if a file cannot be read; why is in `notices`.
bool place_graph_read(const DumpPlace *place, GraphRules rules, Arena *arena, Graph *out,
                      Notices *notices);

#endif
