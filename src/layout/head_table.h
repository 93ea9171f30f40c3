// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_HEAD_TABLE_H
#define VERNIER_LAYOUT_HEAD_TABLE_H

#include "scene/table.h"

// Tables in memory from a list of column heads, and the cells that most of them hold.

typedef struct TableHead {
    const char *title;  // TR
    double width;       // characters, for xlsx; 0: by the title
    bool number;
} TableHead;

// Name and titles are translated. The header is frozen.
Table *head_table(const char *name, const TableHead *heads, size_t count, Arena *arena);

#define HEAD_TABLE(name, heads, arena) \
    head_table((name), (heads), sizeof(heads) / sizeof *(heads), (arena))

// 3 significant digits as in pictures; NaN becomes a dash.
Cell number_cell(double value, Arena *arena);
Cell percent_cell(double share, Arena *arena);  // the share as a number, shown in per cent
Cell step_cell(int64_t step, Arena *arena);

#endif
