// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RANKS_MERGE_LAYERS_H
#define VERNIER_MODEL_RANKS_MERGE_LAYERS_H

#include "model/ranks/merge_tree.h"

// Layers and experts of a model by the number in their id, "….layers.3.…". Not for use outside
// model/merge*.c.

// Where the number is in an id: after the first of these words that a number follows, by
// default that of a layer. False if there is none.
typedef struct LayerPlace {
    Str prefix;         // "Module.decoder.layers."
    size_t start, end;  // of the digits
    int64_t number;
} LayerPlace;
bool numbered_place(Str id, const char *const *words, size_t count, LayerPlace *out);
bool layer_place(Str id, LayerPlace *out);

// Gives a node and its id the number that is `shift` higher.
void merge_shift_number(MergeTree *tree, uint32_t node, const LayerPlace *place, int64_t shift);

// Gives the layers of the later trees the numbers that follow those of the trees before, wherever
// trees use the same numbers for layers with other values. Renames every node with such a number.
void merge_number_layers(MergeTree *tree, const uint32_t *roots, size_t count);

#endif
