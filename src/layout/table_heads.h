// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_TABLE_HEADS_H
#define VERNIER_LAYOUT_TABLE_HEADS_H

#include "scene/table.h"

// A table in memory from a list of its columns with translated titles.

typedef struct TableHead {
    const char *title;  // TR
    double width;       // characters
    bool number;
} TableHead;

// `name` is marked with TR. Frozen header; everything lives in `arena`.
Table *table_with_heads(const char *name, const TableHead *heads, size_t count, Arena *arena);

#define TABLE_NEW(name, heads, arena) \
    table_with_heads((name), (heads), sizeof(heads) / sizeof *(heads), (arena))

#endif
