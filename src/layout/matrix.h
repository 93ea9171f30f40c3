// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_MATRIX_H
#define VERNIER_LAYOUT_MATRIX_H

#include "compare/facts.h"
#include "scene/report.h"
#include "scene/scene.h"

// The pairs of a run as a matrix, steps down and ranks across: each cell its status and where it
// first diverged. The origin is the only solid cell.

typedef struct MatrixCell {
    int64_t step, rank;
    Status status;
    DivergenceKind kind;
    Str op;                               // name of the first op that differs, or empty
    uint32_t position;                    // of that op in execution order, from 1; 0: unknown
    double error;                         // its relative error; NaN: none to tell
    uint64_t differing;                   // ops that differ
    bool golden_missing, target_missing;  // that side has no dump here
    bool failed;                          // a side could not be read
} MatrixCell;

MatrixCell matrix_cell(const PairFacts *facts);

typedef struct MatrixOptions {
    size_t origin;       // the cell at which the divergence starts, SIZE_MAX: none
    Str golden, target;  // how the sides are called
} MatrixOptions;

enum { MATRIX_WIDTH = 1200, MATRIX_MARGIN = 32 };

// Up to 8 ranks and 12 steps give cells with words; more give small cells, where runs of steps that
// agree share a row and ranks go over several lines, and the differing cells are listed below. More
// than a page holds goes over pages (Scene.next), at most 12; what is left out is said.
void layout_matrix(const MatrixCell *cells, size_t count, const Verdict *verdict,
                   const MatrixOptions *options, Arena *arena, Scene *out);

#endif
