// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MAPPING_MAPPING_CELL_H
#define VERNIER_COMPARE_MAPPING_MAPPING_CELL_H

#include "read/settings/mapping_file.h"

// The path of a module with its class, "net.fc.Dense", under a cell mapping. An entry for the whole
// of it decides; otherwise entries replace whole parts of it, the longest that fits first, from
// left to right and no part twice. (The rules of msprobe replace any text, one entry after the
// other: mapping_cell_key.)
Str mapping_cell_path(const NameMapping *cells, Str cell, Arena *arena);

#endif
