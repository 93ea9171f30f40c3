// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_VIS_VIS_ITEMS_H
#define VERNIER_EXPORT_VIS_VIS_ITEMS_H

#include "compare/msprobe/msprobe.h"

// The columns input_data and output_data of msProbe's graph database: every slot of a node with its
// fields as texts (docs/spec/graph.md §5.2).

typedef struct VisItems {
    const Dump *dump;            // of the node's side
    const Comparison *compared;  // NULL: one side alone, or golden's; else the target's differences
    const MsprobeComparison *msprobe;  // rules of msprobe, or NULL
    const MsprobeMetrics *metrics;     // rules vernier, tensor mode: by slot pair, or NULL
    const uint32_t *pair_of;           // by target slot: its slot pair, SLOT_NONE without
    const uint32_t *row_of;  // by target slot: its row under the rules of msprobe, or NULL
    bool checksums;          // show md5
} VisItems;

// By slot of the target the first slot pair that has it.
uint32_t *vis_items_pairs(const Comparison *comparison, Arena *arena);
uint32_t *vis_items_rows(const MsprobeComparison *msprobe, Arena *arena);

// The items of one op as a JSON object; of its outputs, or of all the rest. "{}" for OP_NONE. Lives
// in `arena`.
Str vis_items_json(const VisItems *items, uint32_t op, bool outputs, Arena *arena);

#endif
