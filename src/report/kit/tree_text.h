// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_KIT_TREE_TEXT_H
#define VERNIER_REPORT_KIT_TREE_TEXT_H

#include "scene/table.h"

// The rows of table_of_tree as lines that are at most `columns` wide: long names are cut in the
// middle, figures end at the right edge and go where there is no room. `colour`: escape sequences
// of a terminal. In `arena`.
Str tree_text(Table *tree, size_t columns, bool colour, Arena *arena);

#endif
