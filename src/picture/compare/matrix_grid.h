// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_MATRIX_GRID_H
#define VERNIER_PICTURE_COMPARE_MATRIX_GRID_H

#include "compare/pair_facts.h"

// Which cell stands where in a matrix.

typedef struct MatrixCell {
    int64_t step, rank;
    Str stage;  // of the step, or empty
    Status status;
    DivergenceKind kind;
    Str op;                               // name of the first op that differs, or empty
    uint32_t position;                    // of that op in execution order, from 1; 0: unknown
    double error;                         // its relative error; NaN: none to tell
    uint64_t differing;                   // ops that differ
    bool golden_missing, target_missing;  // that side has no dump here
    bool failed;                          // a side could not be read
    Str link;                             // file next to the picture that shows the pair, or empty
} MatrixCell;

#define CELL_NONE UINT32_MAX

// A row: a step, or one of its stages.
typedef struct MatrixStep {
    int64_t step;
    Str stage;
} MatrixStep;

typedef struct MatrixGrid {
    const MatrixCell *cells;
    MatrixStep *steps;  // in the order in which they run, without repeats
    int64_t *ranks;     // rising, without repeats
    size_t step_count, rank_count;
    uint32_t *at;  // [index of a row * rank_count + rank index]: cell or CELL_NONE
} MatrixGrid;

void matrix_grid_build(const MatrixCell *cells, size_t count, Arena *arena, MatrixGrid *out);
const MatrixCell *matrix_grid_at(const MatrixGrid *grid, size_t step, size_t rank);  // NULL: none

// The words next to a step's row: "8 of 8 ranks".
typedef struct MatrixTotal {
    uint32_t differing, compared;  // ranks
} MatrixTotal;
MatrixTotal matrix_step_total(const MatrixGrid *grid, size_t step);

#endif
