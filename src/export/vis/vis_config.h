// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_VIS_VIS_CONFIG_H
#define VERNIER_EXPORT_VIS_VIS_CONFIG_H

#include "compare/judge/comparison.h"

// Texts of the table tb_config of a graph database (docs/spec/graph.md §5.1).

// {"Max diff": "what the column says", ...} for the columns of that mode.
Str vis_tool_tips(CompareMode mode, Arena *arena);

// The bands of the viewer by colour, and the grey of nodes without partner.
Str vis_colours(CompareMode mode, Arena *arena);

#endif
