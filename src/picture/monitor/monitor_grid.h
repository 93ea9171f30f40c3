// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_MONITOR_MONITOR_GRID_H
#define VERNIER_PICTURE_MONITOR_MONITOR_GRID_H

#include "model/run/monitor_run.h"
#include "picture/kit/heatmap.h"

// The series of one data type and statistic as rows and columns of heat maps: which objects stand
// where and under which name, which steps are which columns, and what every value is compared with.

// One object with its series of all ranks and micro steps: run->series[from … to - 1], of which
// those with the statistic of the set count.
typedef struct GridObject {
    Str name;
    int64_t stage, layer;  // layer -1: none
    size_t from, to;
    size_t row;  // of the heat map; several objects share one where there are too many
} GridObject;

typedef struct MonitorGrid {
    const MonitorRun *run;
    NameId type, op;
    Str type_name, op_name;
    bool is_share;        // similarities, 0 to 1: drawn as differences, 0.06 is the whole scale
    GridObject *objects;  // in network order
    size_t object_count;
    HeatRow *rows;
    size_t row_count;
    bool rows_are_many;  // several objects a row
    int64_t *columns;    // steps; INT64_MIN: a gap
    size_t column_count;
    size_t steps_a_column;  // more than 1 past MONITOR_COLUMNS_MAX; the first of them is the label
    size_t *column_of;      // by index of the step in the run
    double *base;          // by series: the median of its magnitude over the first 20 steps, or NaN
    const int64_t *ranks;  // that have this type
    size_t rank_count;
} MonitorGrid;

enum { MONITOR_COLUMNS_MAX = 1500, MONITOR_BASE_STEPS = 20 };

// The (type, statistic) pairs of a run, in order of the types; at most `limit` grids.
size_t monitor_grids(const MonitorRun *run, size_t limit, Arena *arena, MonitorGrid *out);

// Columns for the steps of both runs. `other_column_of` is as grid->column_of, by index of the step
// in the other run.
void monitor_grid_widen(MonitorGrid *grid, const MonitorRun *other, Arena *arena,
                        size_t **other_column_of);

// Which of the grid's ranks it is.
size_t monitor_grid_rank(const MonitorGrid *grid, int64_t rank);

// Which values a map takes and where it puts them.
typedef struct GridFill {
    const GridObject *only;  // NULL: all objects
    const int64_t *ranks;    // a panel each; INT64_MIN: all together
    size_t panels;
    size_t step;        // index of the one step; SIZE_MAX: all
    size_t rank_rows;   // so many ranks a row; 0: rows are those of the objects
    bool rank_columns;  // else columns are steps
    // Where 4 ranks or more have a value: against the median of all ranks at that step, each by its
    // own history. What all of them do is the training's.
    bool among_ranks;
} GridFill;

// The cells of each panel, row by row. Where several values meet, the heaviest stays: NaN,
// infinity, then what departs most.
double **monitor_grid_fill(const MonitorGrid *grid, const GridFill *fill, Arena *arena);

// The median magnitude of the first 20 points that are finite; NaN if none is.
double monitor_series_base(const MonitorSeries *series);

// What a value of a series is drawn as.
double monitor_grid_cell(const MonitorGrid *grid, size_t series, double value);

// Puts a cell where another may be already.
void monitor_grid_put(double *at, double cell);

// rows * columns cells, all heat_absent().
double *monitor_grid_cells(size_t rows, size_t columns, Arena *arena);

// The row of an object, or SIZE_MAX.
size_t monitor_grid_row(const MonitorGrid *grid, int64_t stage, Str name);

// Index of the object, or SIZE_MAX.
size_t monitor_grid_object(const MonitorGrid *grid, int64_t stage, Str name);

#endif
