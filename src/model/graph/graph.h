// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_GRAPH_GRAPH_H
#define VERNIER_MODEL_GRAPH_GRAPH_H

#include "base/names.h"
#include "read/dump/construct.h"
#include "read/dump/dump.h"
#include "read/dump/stack.h"

// The hierarchy of one dump (docs/spec/graph.md §2): modules hold modules and APIs, loose APIs at
// the root are folded into groups, micro steps are distinguished.

typedef uint32_t NodeId;
#define NODE_NONE ((NodeId)UINT32_MAX)
#define OP_NONE   UINT32_MAX

typedef enum NodeType { NODE_MODULE, NODE_API, NODE_GROUP } NodeType;

typedef enum Overflow {
    OVERFLOW_NONE,
    OVERFLOW_MEDIUM,
    OVERFLOW_HIGH,
    OVERFLOW_CRITICAL,
    OVERFLOW_COUNT
} Overflow;

typedef struct Node {
    NameId name;  // its id: the op's name, "DefaultModel", "Apis_Between_Modules.0"
    NodeId parent;
    NodeId first_child, last_child;
    NodeId previous, next;  // siblings
    uint32_t op;            // index in dump->ops, or OP_NONE
    uint32_t micro_step;
    uint8_t type;       // NodeType
    uint8_t direction;  // Direction
    uint8_t overflow;   // Overflow, set by graph_mark_overflow
    bool reachable;     // from the root (only msProbe's build leaves nodes out)
} Node;

// Where a node of a merged graph comes from, and what was done to it.
typedef struct NodeOrigin {
    const struct Graph *graph;  // of its rank; NULL: made by merging
    NodeId node;
    int64_t rank;
    const Str *notes;
    size_t note_count;
} NodeOrigin;

typedef struct Graph {
    const Dump *dump;
    Stacks *stacks;
    Node *nodes;  // nodes[0] is the root
    uint32_t count, capacity;
    NodeId *of_name;    // by NameId of dump->names; NODE_NONE where there is no node
    size_t name_count;  // items in of_name
    NodeId *order;      // reachable nodes in post-order: children before parents, root last
    uint32_t order_count;
    uint32_t micro_steps;
    bool flat;                  // no construct: a flat sequence of the ops (level L1)
    const NodeOrigin *origins;  // by node of a merged graph (model/ranks/rank_merge.h), else NULL
} Graph;

// How to build: as msProbe does, its defects included (docs/spec/graph.md §8: unknown prefixes are
// modules, unreachable subtrees are lost, gradients without a backward node are dropped), or as
// vernier does (every op is in the tree).
typedef enum GraphRules { GRAPH_VERNIER, GRAPH_MSPROBE } GraphRules;

// Sets Node.overflow of every node that has an op (docs/spec/graph.md §2.12).
void graph_mark_overflow(Graph *graph);

NodeId graph_find(const Graph *graph, NameId name);  // NODE_NONE if there is none

// The stack of a node by msProbe's rule: its own, else that of its forward twin (§2.7). NULL if
// there is none.
const StackFrames *graph_stack(const Graph *graph, NodeId node);

// The same of an op, which msProbe's build may have left out of the tree.
const StackFrames *graph_op_stack(const Graph *graph, uint32_t op);

// Reads the stacks of all nodes now, those of merged ranks too: trouble with them is reported
// before a verdict needs it.
void graph_read_stacks(const Graph *graph);

#endif
