// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_GRAPH_PICTURE_H
#define VERNIER_PICTURE_COMPARE_GRAPH_PICTURE_H

#include "compare/judge/comparison.h"
#include "scene/report.h"
#include "scene/scene.h"

// The comparison picture: overview strip and divergence tree.

typedef struct ScenePages {
    Scene *items;
    size_t count;
} ScenePages;

typedef struct GraphOptions {
    uint32_t rows;       // of the tree in all; 0: 52, which gives a picture for a ticket, and with
                         // `depth` GRAPH_PAGES pages full
    uint32_t page_rows;  // on a page; 0: GRAPH_PAGE_ROWS
    uint32_t depth;      // open everything down to this depth; 0: only what matters
    uint32_t focus;  // a row of comparison->tree to open instead of the first divergence; 0: none
    Str golden, target;  // how the sides are called in the description, or empty: their paths
    Str all_rows;        // the file that holds every row ("compare.xlsx"), or empty
} GraphOptions;

enum { GRAPH_PAGE_ROWS = 150, GRAPH_PAGES = 6 };

// 1,200 px wide. Linear in the nodes; the number of items is bounded by the options. Each page
// leads to the next (Scene.next).
void graph_picture(const Comparison *comparison, const GraphOptions *options, Arena *arena,
                   ScenePages *out);

// "golden: … · target: … · statistics": the description of every picture of a pair.
Str picture_description(const Comparison *comparison, Str golden, Str target, Arena *arena);
Str mode_word(CompareMode mode);  // "statistics", translated

#endif
