// SPDX-License-Identifier: Apache-2.0
#include "model/run/run_rows.h"

void run_rows_init(RunRows *rows, const Run *run, Arena *arena)
{
    *rows = (RunRows){.run = run,
                      .at = ARENA_ARRAY(arena, size_t, run->series_count),
                      .values = ARENA_ARRAY(arena, double, run->series_count)};
}

void run_rows_rewind(RunRows *rows)
{
    for (size_t i = 0; i < rows->run->series_count; i++)
        rows->at[i] = 0;
}

// The smallest step that a series still has; false: none.
static bool next_step(RunRows *rows)
{
    bool any = false;
    for (size_t i = 0; i < rows->run->series_count; i++) {
        const Series *series = &rows->run->series[i];
        if (rows->at[i] >= series->count)
            continue;
        int64_t own = series->points.x[rows->at[i]];
        rows->step = any && rows->step < own ? rows->step : own;
        any = true;
    }
    return any;
}

bool run_rows_next(RunRows *rows)
{
    if (!next_step(rows))
        return false;
    for (size_t i = 0; i < rows->run->series_count; i++) {
        const Series *series = &rows->run->series[i];
        bool has = rows->at[i] < series->count && series->points.x[rows->at[i]] == rows->step;
        rows->values[i] = has ? series->points.value[rows->at[i]] : point_absent();
        rows->at[i] += has;
    }
    return true;
}
