// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/matrix_grid.h"

#include <stdlib.h>
#include <string.h>

#include "compare/judge/judge.h"
#include "read/dump/place_name.h"

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_steps(const void *a, const void *b)
{
    const MatrixStep *x = a, *y = b;
    int order = (x->step > y->step) - (x->step < y->step);
    return order ? order : stage_compare(x->stage, y->stage);
}

typedef int Order(const void *, const void *);

// Sorts `count` items of `size` bytes and drops repeats. Gives how many are left.
static size_t sort_unique(void *items, size_t count, size_t size, Order *order)
{
    char *at = items;
    if (!count)
        return 0;
    qsort(items, count, size, order);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (order(at + i * size, at + (kept - 1) * size) != 0)
            memmove(at + kept++ * size, at + i * size, size);
    return kept;
}

static size_t find(const void *items, size_t count, size_t size, Order *order, const void *wanted)
{
    const char *found = bsearch(wanted, items, count, size, order);
    return found ? (size_t)(found - (const char *)items) / size : 0;
}

void matrix_grid_build(const MatrixCell *cells, size_t count, Arena *arena, MatrixGrid *out)
{
    *out = (MatrixGrid){.cells = cells};
    out->steps = ARENA_ARRAY(arena, MatrixStep, count);
    out->ranks = ARENA_ARRAY(arena, int64_t, count);
    for (size_t i = 0; i < count; i++) {
        out->steps[i] = (MatrixStep){cells[i].step, cells[i].stage};
        out->ranks[i] = cells[i].rank;
    }
    out->step_count = sort_unique(out->steps, count, sizeof *out->steps, compare_steps);
    out->rank_count = sort_unique(out->ranks, count, sizeof *out->ranks, compare_numbers);
    out->at = arena_array(arena, out->step_count * out->rank_count, sizeof *out->at);
    for (size_t i = 0; i < out->step_count * out->rank_count; i++)
        out->at[i] = CELL_NONE;
    for (size_t i = 0; i < count; i++) {
        MatrixStep row = {cells[i].step, cells[i].stage};
        size_t step = find(out->steps, out->step_count, sizeof row, compare_steps, &row);
        size_t rank =
            find(out->ranks, out->rank_count, sizeof *out->ranks, compare_numbers, &cells[i].rank);
        out->at[step * out->rank_count + rank] = (uint32_t)i;
    }
}

const MatrixCell *matrix_grid_at(const MatrixGrid *grid, size_t step, size_t rank)
{
    uint32_t cell = grid->at[step * grid->rank_count + rank];
    return cell == CELL_NONE ? NULL : &grid->cells[cell];
}

MatrixTotal matrix_step_total(const MatrixGrid *grid, size_t step)
{
    MatrixTotal out = {0};
    for (size_t rank = 0; rank < grid->rank_count; rank++) {
        const MatrixCell *cell = matrix_grid_at(grid, step, rank);
        if (!cell || cell->golden_missing || cell->target_missing || cell->failed)
            continue;
        out.compared++;
        out.differing += status_differs(cell->status);
    }
    return out;
}
