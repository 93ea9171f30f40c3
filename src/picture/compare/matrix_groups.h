// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_MATRIX_GROUPS_H
#define VERNIER_PICTURE_COMPARE_MATRIX_GROUPS_H

#include "picture/compare/matrix_grid.h"

// What differs in a matrix, said once for all ranks of a step that have the same finding.

enum { MATRIX_GROUPS = 12 };

typedef struct MatrixGroup {
    const MatrixCell *first;
    struct {
        int64_t *items;
        size_t count, capacity;
    } ranks;             // rising
    double least, most;  // of the errors; NaN: none has one
} MatrixGroup;

typedef struct MatrixGroups {
    MatrixGroup items[MATRIX_GROUPS];  // by step, then by their first rank
    size_t count, more;                // cells that are in no group for want of room
} MatrixGroups;

// Same step, status and first op at the same place, or the same lack.
bool matrix_alike(const MatrixCell *a, const MatrixCell *b);

// Cells that differ or lack a side. Linear in the cells.
void matrix_groups(const MatrixGrid *grid, Arena *arena, MatrixGroups *out);

// "rank 3", "ranks 0–63", "ranks 1, 3, 5", "9 ranks: 3, 10, 17, …".
Str matrix_ranks_text(const MatrixGroup *group, Arena *arena);

#endif
