// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RUN_RUN_ROWS_H
#define VERNIER_MODEL_RUN_RUN_ROWS_H

#include "model/run/series.h"

// A run step by step: the values of all its series side by side.
typedef struct RunRows {
    const Run *run;
    size_t *at;      // the next point of each series
    int64_t step;    // of the row
    double *values;  // a series each, in the order of the run; absent where it has none there
} RunRows;

void run_rows_init(RunRows *rows, const Run *run, Arena *arena);

// Fills the next row, the steps rising; false at the end.
bool run_rows_next(RunRows *rows);

void run_rows_rewind(RunRows *rows);

#endif
