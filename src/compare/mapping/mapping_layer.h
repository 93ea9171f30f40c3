// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MAPPING_MAPPING_LAYER_H
#define VERNIER_COMPARE_MAPPING_MAPPING_LAYER_H

#include "model/graph/graph.h"
#include "read/settings/mapping_file.h"

// Module paths under a layer mapping: "module.language_model.encoder" of the target is
// "model.decoder" of golden (docs/spec/compare.md §2.7, docs/spec/graph.md §3.4).

typedef struct LayerPaths LayerPaths;

// The module paths of a dump and their classes; those of `graph` too, if it is not NULL. `mapping`
// may be NULL: then paths only lose their pipeline offset. Borrows all three; lives in `arena`.
LayerPaths *layer_paths_new(const Dump *dump, const Graph *graph, const LayerMapping *mapping,
                            Arena *arena);

// The path in golden's spelling. From the top down, the class of each layer selects the rules for
// its children (TopLayer those of the top); the longest child path that fits is replaced, any other
// part stays. Layers of a ParallelTransformer are numbered from 0.
Str layer_path(const LayerPaths *paths, Str path);

#endif
