// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_MONITOR_STAT_TABLE_H
#define VERNIER_READ_MONITOR_STAT_TABLE_H

#include "base/names.h"

// Statistics that come one by one, put together to a monitor's table: a row a name, group and step
// in the order in which they came first, a column a statistic (the first 64).

typedef struct StatCell {
    Str name, group, step, statistic, value;
} StatCell;

typedef struct StatTable {
    const char *group;  // the column of StatCell.group: "scope", "vpp_stage"
    bool restarts;      // a value that comes again begins another row; else the last one stands
    Names *keys, *statistics;
    struct {
        struct StatRow *items;
        size_t count, capacity;
    } rows;
    struct {
        struct StatValue *items;
        size_t count, capacity;
    } values;
    uint32_t *row_of;  // by key, from 1
    size_t row_of_count;
} StatTable;

void stat_table_init(StatTable *table, const char *group, bool restarts, Arena *arena);
// The texts of a cell must stay valid as long as the table.
void stat_table_add(StatTable *table, const StatCell *cell, Arena *arena);
// As CSV in `arena`; empty: nothing was added.
Str stat_table_text(StatTable *table, Arena *arena);

#endif
