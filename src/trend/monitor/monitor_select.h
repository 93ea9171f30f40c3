// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_MONITOR_SELECT_H
#define VERNIER_TREND_MONITOR_MONITOR_SELECT_H

#include "base/str.h"
#include "read/dump/dump_folder.h"

// Which part of a monitored run is read.

typedef struct MonitorSelect {
    const NumberList *steps, *ranks;  // NULL or empty: all
    const Str *types;                 // data types, 0: all
    size_t type_count;
    Str stat;        // which statistic becomes a series; empty: norm, or the first one without it
    bool all_stats;  // all of them do
    int jobs;
} MonitorSelect;

// Whether the type is one of those asked for, or begins with the words of one: "grad" takes
// "grad_reduced".
static inline bool monitor_select_takes(const MonitorSelect *select, Str type)
{
    for (size_t i = 0; i < select->type_count; i++) {
        Str asked = select->types[i];
        if (str_starts(type, asked) && (type.size == asked.size || type.data[asked.size] == '_'))
            return true;
    }
    return select->type_count == 0;
}

#endif
