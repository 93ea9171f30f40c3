// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_VIS_LINKS_H
#define VERNIER_LAYOUT_VIS_LINKS_H

#include "base/array.h"
#include "compare/comm_call.h"

// Communication nodes of a graph database tied together over the ranks, as the column
// matched_distributed wants them (spec/graph.md §2.13).

typedef struct VisLinkNode {
    Str row_id, name;
    Str index;  // what partners are told: precision index, overflow level or "Nan"
    bool golden;
    int64_t step, rank;
    CommCall call;   // its only transfer
    uint32_t next;   // node of the same communication, UINT32_MAX: none
    uint32_t first;  // the first of them
} VisLinkNode;

typedef struct VisLinks {
    Arena *arena;
    VisLinkNode *items;
    size_t count, capacity;
} VisLinks;

void vis_links_init(VisLinks *links, Arena *arena);

// Notes op number `op` of a dump; texts of `node` are copied. A batch of transfers is left out: the
// viewer knows one communication a node.
void vis_links_add(VisLinks *links, const VisLinkNode *node, const Dump *dump, uint32_t op);

// To be called once, when all nodes are there.
void vis_links_tie(VisLinks *links);

// {"communications_type": "send", "nodes_info": {"1": ["1", "Distributed.recv.0.forward"]}}, or "{}"
// where no other rank takes part.
Str vis_links_json(const VisLinks *links, size_t index, Arena *arena);

#endif
