// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/matrix_groups.h"

#include <math.h>

#include "base/array.h"
#include "base/words.h"

enum { RANKS_NAMED = 4 };

bool matrix_alike(const MatrixCell *a, const MatrixCell *b)
{
    return a->step == b->step && str_equal(a->stage, b->stage) && a->status == b->status &&
           a->kind == b->kind && a->position == b->position && str_equal(a->op, b->op) &&
           a->golden_missing == b->golden_missing && a->target_missing == b->target_missing &&
           a->failed == b->failed;
}

static bool is_told(const MatrixCell *cell)
{
    return cell && (cell->golden_missing || cell->target_missing || cell->failed ||
                    status_differs(cell->status));
}

static void take(MatrixGroups *out, const MatrixCell *cell, Arena *arena)
{
    size_t at = 0;
    while (at < out->count && !matrix_alike(out->items[at].first, cell))
        at++;
    if (at == MATRIX_GROUPS) {
        out->more++;
        return;
    }
    MatrixGroup *group = &out->items[at];
    if (at == out->count) {
        out->count++;
        *group = (MatrixGroup){.first = cell, .least = (double)NAN, .most = (double)NAN};
    }
    *ARRAY_PUSH(arena, &group->ranks) = cell->rank;
    group->least = fmin(group->least, cell->error);  // the number, where one is none
    group->most = fmax(group->most, cell->error);
}

void matrix_groups(const MatrixGrid *grid, Arena *arena, MatrixGroups *out)
{
    *out = (MatrixGroups){.count = 0};
    for (size_t step = 0; step < grid->step_count; step++)
        for (size_t rank = 0; rank < grid->rank_count; rank++)
            if (is_told(matrix_grid_at(grid, step, rank)))
                take(out, matrix_grid_at(grid, step, rank), arena);
}

Str matrix_ranks_text(const MatrixGroup *group, Arena *arena)
{
    const int64_t *ranks = group->ranks.items;
    size_t count = group->ranks.count, named = count <= RANKS_NAMED ? count : RANKS_NAMED - 1;
    if (count == 1)
        return str_printf(arena, tr("rank %lld"), (long long)ranks[0]);
    if (count > 2 && ranks[count - 1] - ranks[0] == (int64_t)count - 1)
        return str_printf(arena, tr("ranks %lld–%lld"), (long long)ranks[0],
                          (long long)ranks[count - 1]);
    StrBuf text = strbuf_new(arena);
    if (count > named)
        strbuf_printf(&text, tr("%zu ranks: "), count);
    else
        strbuf_add(&text, str_of(tr("ranks ")));
    for (size_t i = 0; i < named; i++)
        strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)ranks[i]);
    if (count > named)
        strbuf_add(&text, STR(", …"));
    return strbuf_str(&text);
}
