// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/matrix_grid.h"

#include <stdlib.h>

#include "compare/judge/judge.h"

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t sort_unique(int64_t *numbers, size_t count)
{
    if (!count)
        return 0;
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (numbers[i] != numbers[kept - 1])
            numbers[kept++] = numbers[i];
    return kept;
}

static size_t find_number(const int64_t *numbers, size_t count, int64_t number)
{
    size_t low = 0, high = count;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (numbers[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void matrix_grid_build(const MatrixCell *cells, size_t count, Arena *arena, MatrixGrid *out)
{
    *out = (MatrixGrid){.cells = cells};
    out->steps = ARENA_ARRAY(arena, int64_t, count);
    out->ranks = ARENA_ARRAY(arena, int64_t, count);
    for (size_t i = 0; i < count; i++) {
        out->steps[i] = cells[i].step;
        out->ranks[i] = cells[i].rank;
    }
    out->step_count = sort_unique(out->steps, count);
    out->rank_count = sort_unique(out->ranks, count);
    out->at = arena_array(arena, out->step_count * out->rank_count, sizeof *out->at);
    for (size_t i = 0; i < out->step_count * out->rank_count; i++)
        out->at[i] = CELL_NONE;
    for (size_t i = 0; i < count; i++) {
        size_t step = find_number(out->steps, out->step_count, cells[i].step);
        size_t rank = find_number(out->ranks, out->rank_count, cells[i].rank);
        out->at[step * out->rank_count + rank] = (uint32_t)i;
    }
}

const MatrixCell *matrix_grid_at(const MatrixGrid *grid, size_t step, size_t rank)
{
    uint32_t cell = grid->at[step * grid->rank_count + rank];
    return cell == CELL_NONE ? NULL : &grid->cells[cell];
}

bool matrix_step_is_calm(const MatrixGrid *grid, size_t step)
{
    for (size_t rank = 0; rank < grid->rank_count; rank++) {
        const MatrixCell *cell = matrix_grid_at(grid, step, rank);
        if (!cell || cell->golden_missing || cell->target_missing || cell->failed ||
            status_differs(cell->status))
            return false;
    }
    return true;
}

MatrixTotal matrix_step_total(const MatrixGrid *grid, size_t step)
{
    MatrixTotal out = {0};
    for (size_t rank = 0; rank < grid->rank_count; rank++) {
        const MatrixCell *cell = matrix_grid_at(grid, step, rank);
        if (!cell || cell->golden_missing || cell->target_missing || cell->failed)
            continue;
        out.compared++;
        if (!status_differs(cell->status))
            continue;
        out.differing++;
        if (cell->position && (!out.first || cell->position < out.first))
            out.first = cell->position;
    }
    return out;
}
