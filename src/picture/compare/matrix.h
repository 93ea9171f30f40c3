// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_MATRIX_H
#define VERNIER_PICTURE_COMPARE_MATRIX_H

#include "compare/pair_facts.h"
#include "scene/report.h"
#include "scene/scene.h"

// The pairs of a run as a matrix, steps down and ranks across: each cell its status and where it
// first diverged. The origin is the only solid cell.

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

// `link`: file next to the picture that shows the pair, or empty.
MatrixCell matrix_cell(const PairFacts *facts, Str link);

typedef struct MatrixOptions {
    size_t origin;       // the cell at which the divergence starts, SIZE_MAX: none
    Str golden, target;  // how the sides are called
} MatrixOptions;

// At most 8 columns and 12 rows: of more ranks those that are equal in all steps share a column, of
// more steps those that follow each other and are equal a row. What is left out is said; the origin
// never is. Linear in the cells.
void matrix_picture(const MatrixCell *cells, size_t count, const MatrixOptions *options,
                    Arena *arena, Scene *out);

#endif
