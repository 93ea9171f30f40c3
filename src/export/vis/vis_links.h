// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_VIS_VIS_LINKS_H
#define VERNIER_EXPORT_VIS_VIS_LINKS_H

#include "base/array.h"
#include "compare/nonfinite/comm_call.h"

// Communication nodes of a graph database tied together over the ranks, as the column
// matched_distributed wants them (docs/spec/graph.md §2.13).

typedef struct VisLinkNode {
    Str row_id, name;
    Str index;  // what partners are reported: precision index, overflow level or "Nan"
    bool golden;
    int64_t step, rank;
    CommCall call;   // its transfer, or one of a batch
    bool batched;    // one of several transfers of the node; they stand one after the other
    uint32_t next;   // node of the same communication, UINT32_MAX: none
    uint32_t first;  // the first of them
} VisLinkNode;

typedef struct VisLinks {
    Arena *arena;
    VisLinkNode *items;
    size_t count, capacity;
} VisLinks;

void vis_links_init(VisLinks *links, Arena *arena);

// Notes op number `op` of a dump; texts of `node` are copied. `batches`: batches of transfers too,
// which msProbe never links.
void vis_links_add(VisLinks *links, const VisLinkNode *node, const Dump *dump, uint32_t op,
                   bool batches);

// To be called once, when all nodes are there.
void vis_links_tie(VisLinks *links);

// {"communications_type": "send", "nodes_info": {"1": ["1", "Distributed.recv.0.forward"]}} of the
// node at *index; of a batch a list of such. Empty where no other rank takes part. Moves *index
// after the node.
Str vis_links_json(const VisLinks *links, size_t *index, Arena *arena);

#endif
