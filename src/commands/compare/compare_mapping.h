// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_MAPPING_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_MAPPING_H

#include "commands/machinery/options.h"
#include "compare/judge/comparison.h"
#include "compare/match/match_pairs.h"
#include "read/settings/mapping_file.h"

// The options of `compare` that say how ops are matched.

// Reads the mapping files that the options name. All zero without any.
bool compare_mapping_read(const Options *options, Arena *arena, MatchOptions *out, Notices *notices,
                          Error *err);

// Says how many ops were paired otherwise than by their names.
void compare_mapping_note(const Comparison *comparison, Notices *notices);

// Writes what the pairs have collected as one data mapping (--write-mapping) and one layer mapping
// (--write-layer-mapping), as far as asked for. The first pair that names a row or child decides;
// rows that others pair otherwise are counted in a notice.
typedef struct Mappings {
    NameMapping *rows;
    LayerMapping *layers;
    size_t count;  // of the pairs
} Mappings;
bool compare_mapping_write(const Options *options, const Mappings *mappings, Notices *notices,
                           Error *err);

#endif
