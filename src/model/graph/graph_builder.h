// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_GRAPH_GRAPH_BUILDER_H
#define VERNIER_MODEL_GRAPH_GRAPH_BUILDER_H

#include "model/graph/graph.h"

// The steps of graph_build that are in files of their own, and what they share. Not for use
// outside model/.

typedef struct Builder {
    Graph *graph;
    const Construct *construct;
    GraphRules rules;
    Arena *arena;    // of the graph
    Arena *scratch;  // released when the build is done
    Notices *notices;
    const ConstructEntry **entry_of;  // by NameId below known; NULL: no key of construct
    size_t known;
} Builder;

// The node of that id, made if it is new; an unlinked one has parent NODE_NONE.
NodeId builder_node(Builder *builder, NameId name);

// A new node, not linked yet.
NodeId builder_add(Builder *builder, NameId name, NodeType type);

// A node of APIs that lie in no module: "Apis_Between_Modules.0".
NodeId builder_group(Builder *builder, const char *prefix, uint32_t number);

// Appends `child` below `parent`. A second link and a link to itself are ignored.
void builder_link(Builder *builder, NodeId parent, NodeId child);

// Takes `child` out of the children of its parent.
void builder_unlink(Builder *builder, NodeId child);

// The entry of construct.json under that id, or NULL.
const ConstructEntry *builder_entry(const Builder *builder, NameId name);

// The recorded parent of an entry, repaired as docs/spec/graph.md §2.5 says; NAME_NONE: root.
NameId parent_repair(const Builder *builder, const ConstructEntry *entry);

// "….backward.3" ↔ "….forward.3"; NAME_NONE if there is no such name. Only the trailing direction
// of a module is exchanged; APIs ("….backward") exchange every occurrence, as msProbe does.
NameId twin_name(const Builder *builder, NameId name);

// Moves recomputed nodes below the backward node of their original (§2.9).
void recompute_move(Builder *builder);

// Numbers the micro steps (§2.11).
void micro_steps_number(Builder *builder);

#endif
