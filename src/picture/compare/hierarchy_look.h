// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_HIERARCHY_LOOK_H
#define VERNIER_PICTURE_COMPARE_HIERARCHY_LOOK_H

#include <math.h>

#include "picture/compare/hierarchy.h"
#include "scene/scene.h"

// How the pictures of one dump show a row of its hierarchy: its overflow level, its label, its
// outputs.

typedef struct LevelLook {
    Role fill, edge, ink;
    const char *letter;  // NULL: none
} LevelLook;

const LevelLook *level_look(Overflow level);
// A chip of `size` px whose left upper corner is x, y.
void level_draw(Scene *scene, double x, double y, double size, Overflow level);
// Where none is, chips would are no evidence.
bool hierarchy_overflows(const Hierarchy *hierarchy);
// The levels that are there and the masks, from x, base line y, on as many lines as the picture is
// narrow. Returns the last base line.
double level_legend(Scene *scene, double x, double y, const Hierarchy *hierarchy);

// "blocks.0 … blocks.3 ×4", "( norm … mul ) ×27".
Str hierarchy_label(const Hierarchy *hierarchy, const HierarchyRow *row, Arena *arena);

// The ops and levels of what a row stands for; adds to `levels`, returns the ops.
uint64_t hierarchy_sums(const Hierarchy *hierarchy, const HierarchyRow *row,
                        uint32_t levels[LEVEL_COUNT]);

// What the outputs of a row's nodes hold.
typedef struct RowOutputs {
    double largest[2], norm[2];  // least and most of the nodes; NaN: unknown
    bool nan;                    // of some node
    Str shape;                   // "[2, 16] float32" of the first output; empty: unknown
    bool shapes_differ;
} RowOutputs;
#define NO_OUTPUTS \
    ((RowOutputs){.largest = {(double)NAN, (double)NAN}, .norm = {(double)NAN, (double)NAN}})

// Of one node: `shape` is empty where no output is recorded.
void hierarchy_add_outputs(const Graph *graph, NodeId node, Arena *arena, RowOutputs *out);
RowOutputs hierarchy_outputs(const Hierarchy *hierarchy, const HierarchyRow *row, Arena *arena);

// "… and 12 more rows; every node is in graph.xlsx"; `all_nodes` may be empty.
Str hierarchy_cut_text(size_t cut, Str all_nodes, Arena *arena);

#endif
