// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/matrix.h"

#include <math.h>

#include "base/words.h"
#include "compare/judge/judge.h"
#include "compare/nonfinite/comm_call.h"
#include "picture/compare/matrix_groups.h"
#include "picture/compare/node_name.h"
#include "picture/kit/grid.h"
#include "picture/kit/page.h"
#include "read/dump/place_name.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    LABEL_WIDTH = 84,   // left of the cells
    TOTAL_WIDTH = 118,  // right of them
    GAP = 7,
    CELL_HEIGHT = 83,
    WORDY_RANKS = 8,
    WORDY_STEPS = 12,
    SMALL_HEIGHT = 20,
    SMALL_LEAST = 12,  // px: the least width of a small cell
    SMALL_MOST = 40,
    SMALL_GAP = 2,
    FOLD_STEPS = 3,  // calm steps in a row that share one
    PAGE_ROWS = 200,
    PAGE_ITEMS = 1200,  // of a picture below 300 KB
    PAGES = 12,
};

typedef struct Matrix {
    Scene *scene;
    MatrixGrid grid;
    const MatrixOptions *options;
    double left, right;  // of the cells
    double cell_width;
    Grid cells;       // small ones
    size_t per_line;  // ranks on one line
    double y;
    size_t step, line;  // what is drawn next
    size_t steps_cut, ranks_cut;
} Matrix;

MatrixCell matrix_cell(const PairFacts *facts, Str link)
{
    const FirstDivergence *first = &facts->first;
    MatrixCell out = {.step = facts->step,
                      .stage = facts->stage,
                      .rank = facts->rank,
                      .status = facts->status,
                      .kind = first->kind,
                      .op = pair_facts_op(first),
                      .position = first->position,
                      .error = first->kind == DIVERGE_NONE ? (double)NAN : first->value,
                      .golden_missing = facts->golden_missing,
                      .target_missing = facts->target_missing,
                      .failed = facts->failed,
                      .link = link};
    static const Status differing[] = {STATUS_WARNING, STATUS_ERROR, STATUS_UNMATCHED};
    for (size_t i = 0; i < sizeof differing / sizeof *differing; i++)
        out.differing += facts->op_counts[differing[i]];
    return out;
}

// The pair in which the divergence starts, and pairs of the same step that part at the same op:
// before it nothing differed on any of them, so none has it from another. What came in as an input
// may be another rank's doing.
static bool is_origin(const Matrix *matrix, const MatrixCell *cell)
{
    if (matrix->options->origin == SIZE_MAX || !cell)
        return false;
    const MatrixCell *origin = &matrix->grid.cells[matrix->options->origin];
    return cell == origin || (matrix_alike(cell, origin) && origin->kind != DIVERGE_INPUT);
}

static bool has_dump(const MatrixCell *cell)
{
    return cell && !cell->golden_missing && !cell->target_missing && !cell->failed;
}

static Str absent_text(const MatrixCell *cell)
{
    if (!cell || (cell->golden_missing && cell->target_missing))
        return str_of(tr("no dump"));
    if (cell->failed)
        return str_of(tr("not readable"));
    return str_of(cell->golden_missing ? tr("only in target") : tr("only in golden"));
}

static Str kind_text(const MatrixCell *cell)
{
    switch (cell->kind) {
    case DIVERGE_OUTPUT:
        return str_of(tr("output"));
    case DIVERGE_ARGUMENT:
        return str_of(tr("argument"));
    case DIVERGE_PARAMETER:
        return str_of(tr("weight"));
    case DIVERGE_INPUT:
        return str_of(tr("input"));
    case DIVERGE_MISSING:
        return str_of(tr("missing op"));
    default:
        return status_label(cell->status, false);
    }
}

static Str error_text(const MatrixCell *cell, Arena *arena)
{
    if (cell->kind == DIVERGE_MISSING || isnan(cell->error))
        return (Str){0};
    return isinf(cell->error) ? STR("NaN/Inf") : figure_error(cell->error, arena);
}

static Str ops_text(uint64_t count, Arena *arena)
{
    if (count == 1)
        return str_of(tr("1 op"));
    return str_printf(arena, tr("%s ops"), str_cstr(arena, figure_count(count, arena)));
}

static Str cell_title(const Matrix *matrix, const MatrixCell *cell)
{
    Arena *arena = matrix->scene->arena;
    Str place = place_text(cell->step, cell->stage, cell->rank, arena);
    if (!has_dump(cell))
        return str_printf(arena, STR_FMT " · " STR_FMT, STR_ARG(place), STR_ARG(absent_text(cell)));
    if (cell->kind == DIVERGE_NONE)
        return str_printf(arena, STR_FMT " · " STR_FMT, STR_ARG(place),
                          STR_ARG(status_label(cell->status, false)));
    return str_printf(arena, STR_FMT " · " STR_FMT " · " STR_FMT " #%u · " STR_FMT " · " STR_FMT,
                      STR_ARG(place), STR_ARG(kind_text(cell)),
                      STR_ARG(name_loose(cell->op, arena).full), cell->position,
                      STR_ARG(error_text(cell, arena)), STR_ARG(ops_text(cell->differing, arena)));
}

// How a cell is shown: solid only for the origin, hatched where there is nothing to compare.
static GridCell cell_box(const Matrix *matrix, const MatrixCell *cell)
{
    if (!cell || !has_dump(cell)) {
        GridCell box = grid_box(STATUS_UNMATCHED, false);
        box.letter = NULL;
        box.title = cell ? cell_title(matrix, cell) : (Str){0};
        return box;
    }
    GridCell box = grid_box(cell->status, !is_origin(matrix, cell));
    if (!status_differs(cell->status))
        return box;
    box.title = cell_title(matrix, cell);
    box.link = cell->link;
    return box;
}

// A pair that cannot be compared: hatched, with the reason on a plate.
static void draw_absent(const Matrix *matrix, const MatrixCell *cell, double x, double y)
{
    Scene *scene = matrix->scene;
    double width = matrix->cell_width;
    GridCell box = cell_box(matrix, NULL);
    grid_cell(scene, &box, x, y, width, CELL_HEIGHT, 3);
    WrapRule rule = {
        .size = SIZE_TEXT, .weight = 400, .width = width - 42, .after = " ", .lines = 2};
    Str lines[2];
    size_t count = figure_wrap(absent_text(cell), &rule, scene->arena, lines);
    double height = 12 + 15 * (double)count, top = y + (CELL_HEIGHT - height) / 2;
    scene_box(scene, x + 6, top, width - 12, height, ROLE_UNMATCHED_PLATE, ROLE_NONE);
    chip_draw(scene, x + 11, y + CELL_HEIGHT / 2.0 - 6.5, 13, STATUS_UNMATCHED, false);
    for (size_t i = 0; i < count; i++)
        scene_text(scene, x + 31, top + 17.5 + 15 * (double)i, SIZE_TEXT, 400, ANCHOR_START,
                   ROLE_INK, lines[i]);
}

static void draw_words(const Matrix *matrix, const MatrixCell *cell, double x, double y)
{
    Scene *scene = matrix->scene;
    Arena *arena = scene->arena;
    bool origin = is_origin(matrix, cell);
    Role ink = cell_box(matrix, cell).ink;
    int weight = origin ? 700 : 400;
    double width = matrix->cell_width, room = width - 16;
    scene_text(scene, x + 28, y + 19.5, SIZE_TEXT, weight, ANCHOR_START, ink,
               text_fit(kind_text(cell), SIZE_TEXT, weight, room - (origin ? 40 : 20), arena));
    if (cell->kind == DIVERGE_NONE)
        return;
    scene_text(scene, x + 8, y + 40, SIZE_STRONG, weight, ANCHOR_START, ink,
               text_fit(name_loose(cell->op, arena).local, SIZE_STRONG, weight, room, arena));
    Str place = str_printf(arena, "#%u", cell->position), error = error_text(cell, arena);
    scene_text(scene, x + 8, y + 57, SIZE_NOTE, 400, ANCHOR_START, ink, place);
    if (text_width(place, SIZE_NOTE, 400) + text_width(error, SIZE_TEXT, 400) + 8 <= room)
        scene_text(scene, x + width - 8, y + 57, SIZE_TEXT, 400, ANCHOR_END, ink, error);
    scene_text(scene, x + 8, y + 74, SIZE_NOTE, 400, ANCHOR_START, ink,
               text_fit(ops_text(cell->differing, arena), SIZE_NOTE, 400, room, arena));
}

static void draw_worded(const Matrix *matrix, const MatrixCell *cell, double x, double y)
{
    if (!has_dump(cell)) {
        draw_absent(matrix, cell, x, y);
        return;
    }
    bool origin = is_origin(matrix, cell);
    GridCell box = cell_box(matrix, cell);
    box.letter = NULL;
    box.title = cell_title(matrix, cell);
    box.link = (Str){0};  // the words have it too
    grid_cell(matrix->scene, &box, x, y, matrix->cell_width, CELL_HEIGHT, 3);
    chip_draw(matrix->scene, x + 8, y + 8, 14, cell->status, !origin);
    draw_words(matrix, cell, x, y);
    if (origin)
        disc_draw_on_error(matrix->scene, x + matrix->cell_width - 15, y + 15, 1);
}

static void draw_wordy_cell(const Matrix *matrix, const MatrixCell *cell, double x, double y)
{
    bool linked = cell && cell->link.size;
    if (linked)
        scene_group(matrix->scene, STR(""), STR(""), cell->link);
    draw_worded(matrix, cell, x, y);
    if (linked)
        scene_group_end(matrix->scene);
}

static void draw_total(const Matrix *matrix, size_t step, double y)
{
    Scene *scene = matrix->scene;
    Arena *arena = scene->arena;
    double x = scene->width - PAGE_MARGIN;
    MatrixTotal total = matrix_step_total(&matrix->grid, step);
    if (!total.differing) {
        scene_text(scene, x, y + 13, SIZE_TEXT, 400, ANCHOR_END, ROLE_INK2,
                   str_of(total.compared ? tr("agrees") : tr("not compared")));
        return;
    }
    if (total.first)
        scene_text(scene, x, y + 13, SIZE_TEXT, 400, ANCHOR_END, ROLE_INK,
                   str_printf(arena, tr("first at #%u"), total.first));
    scene_text(scene, x, y + (total.first ? 30 : 13), SIZE_NOTE, 400, ANCHOR_END, ROLE_INK2,
               str_printf(arena, tr_count(total.compared, "%u of %u rank", "%u of %u ranks"),
                          total.differing, total.compared));
}

static double cell_x(const Matrix *matrix, size_t place)
{
    double gap =
        matrix->per_line == matrix->grid.rank_count && matrix->cell_width > SMALL_MOST ? GAP : 2;
    return matrix->left + (matrix->cell_width + gap) * (double)place;
}

static bool is_origin_rank(const Matrix *matrix, size_t rank)
{
    for (size_t step = 0; step < matrix->grid.step_count; step++)
        if (is_origin(matrix, matrix_grid_at(&matrix->grid, step, rank)))
            return true;
    return false;
}

// A step, and its stage below it, on two lines where it is long: "actor" and "_update".
static void draw_step(const Matrix *matrix, const MatrixStep *step)
{
    Scene *scene = matrix->scene;
    Str lines[3];
    WrapRule rule = {
        .size = SIZE_NOTE, .weight = 400, .width = LABEL_WIDTH - 8, .after = "_. ", .lines = 3};
    scene_text(scene, PAGE_MARGIN, matrix->y + 24, SIZE_STRONG, 600, ANCHOR_START, ROLE_INK,
               place_step_text(step->step, STR(""), scene->arena));
    size_t count = step->stage.size ? figure_wrap(step->stage, &rule, scene->arena, lines) : 0;
    for (size_t i = 0; i < count; i++)
        scene_text(scene, PAGE_MARGIN, matrix->y + 41 + 15 * (double)i, SIZE_NOTE, 400,
                   ANCHOR_START, ROLE_INK, lines[i]);
}

static void draw_wordy(Matrix *matrix)
{
    Scene *scene = matrix->scene;
    MatrixGrid *grid = &matrix->grid;
    matrix->y += 24;
    for (size_t rank = 0; rank < grid->rank_count; rank++)
        scene_text(scene, cell_x(matrix, rank) + 8, matrix->y, SIZE_STRONG,
                   is_origin_rank(matrix, rank) ? 700 : 400, ANCHOR_START, ROLE_INK,
                   str_printf(scene->arena, tr("rank %lld"), (long long)grid->ranks[rank]));
    scene_text(scene, scene->width - PAGE_MARGIN, matrix->y, SIZE_TEXT, 400, ANCHOR_END, ROLE_INK2,
               str_of(tr("step in all")));
    matrix->y += 10;
    for (size_t step = 0; step < grid->step_count; step++) {
        draw_step(matrix, &grid->steps[step]);
        for (size_t rank = 0; rank < grid->rank_count; rank++)
            draw_wordy_cell(matrix, matrix_grid_at(grid, step, rank), cell_x(matrix, rank),
                            matrix->y);
        draw_total(matrix, step, matrix->y + 11);
        matrix->y += CELL_HEIGHT + 9;
    }
    matrix->y -= 9;
}

// The numbers of the ranks above a line of small cells: every eighth, and the last where it fits.
static void draw_small_heads(const Matrix *matrix, size_t from, size_t end)
{
    Scene *scene = matrix->scene;
    size_t pace = matrix->cell_width >= 28 ? 1 : 8;
    for (size_t rank = from; rank < end; rank += pace) {
        Str text = str_printf(scene->arena, "%lld", (long long)matrix->grid.ranks[rank]);
        if (text_width(text, SIZE_TINY, 400) < matrix->cell_width * (double)pace)
            scene_text(scene, cell_x(matrix, rank - from) + 2, matrix->y, SIZE_TINY, 400,
                       ANCHOR_START, ROLE_INK2, text);
    }
}

// As much as the room beside a small row holds: the stage alone, with the number of its step.
static Str row_text(const MatrixStep *row, Arena *arena)
{
    if (row->stage.size == 0)
        return place_step_text(row->step, row->stage, arena);
    return str_printf(arena, "%lld " STR_FMT, (long long)row->step, STR_ARG(row->stage));
}

// The steps [from, end) as one row: all calm, or exactly one.
static void draw_small_row(Matrix *matrix, size_t from, size_t end, size_t first, size_t last)
{
    Scene *scene = matrix->scene;
    const MatrixGrid *grid = &matrix->grid;
    const MatrixStep *low = &grid->steps[from], *high = &grid->steps[end - 1];
    Str label = end - from == 1 ? row_text(low, scene->arena)
                                : str_printf(scene->arena, "%lld–%lld", (long long)low->step,
                                             (long long)high->step);
    bool goes_on = first > 0;  // a further line of ranks of the same step
    if (goes_on)
        label = str_printf(scene->arena, tr("rank %lld …"), (long long)grid->ranks[first]);
    GridCell *cells = ARENA_ARRAY(scene->arena, GridCell, last - first);
    for (size_t rank = first; rank < last; rank++)
        cells[rank - first] = cell_box(matrix, matrix_grid_at(grid, from, rank));
    GridRow row = {.label = label,
                   .weight = 400,
                   .role = goes_on ? ROLE_INK3 : ROLE_INK,
                   .cells = cells,
                   .count = last - first};
    double y = matrix->y;
    matrix->y = grid_row(scene, &matrix->cells, &row, y);
    if (first == 0 && end - from == 1) {
        MatrixTotal total = matrix_step_total(grid, from);
        if (total.differing)
            scene_text(scene, scene->width - PAGE_MARGIN, grid_base(&matrix->cells, y), SIZE_NOTE,
                       400, ANCHOR_END, ROLE_INK2,
                       str_printf(scene->arena,
                                  tr_count(total.compared, "%u of %u rank", "%u of %u ranks"),
                                  total.differing, total.compared));
    }
}

static size_t calm_end(const Matrix *matrix, size_t from)
{
    size_t end = from;
    // Stages stand by themselves: a range of steps does not name them.
    while (end < matrix->grid.step_count && matrix->grid.steps[end].stage.size == 0 &&
           matrix_step_is_calm(&matrix->grid, end))
        end++;
    return end - from >= FOLD_STEPS ? end : from + 1;
}

// As many rows as the page holds, from where the last page ended.
static void draw_small(Matrix *matrix)
{
    const MatrixGrid *grid = &matrix->grid;
    size_t first_item = matrix->scene->count, rows = 0;
    size_t lines = (grid->rank_count + matrix->per_line - 1) / matrix->per_line;
    matrix->y += 22;
    draw_small_heads(matrix, 0,
                     grid->rank_count < matrix->per_line ? grid->rank_count : matrix->per_line);
    matrix->y += 7;
    while (matrix->step < grid->step_count && rows < PAGE_ROWS &&
           matrix->scene->count - first_item < PAGE_ITEMS) {
        size_t end = calm_end(matrix, matrix->step);
        size_t first = matrix->line * matrix->per_line, last = first + matrix->per_line;
        draw_small_row(matrix, matrix->step, end, first,
                       last < grid->rank_count ? last : grid->rank_count);
        rows++;
        if (++matrix->line < lines)
            continue;
        matrix->y += lines > 1 ? 5 : 0;
        matrix->line = 0;
        matrix->step = end;
    }
}

static void count_cut(Matrix *matrix)
{
    matrix->steps_cut = matrix->grid.step_count - matrix->step;
    if (!matrix->line)
        return;
    matrix->ranks_cut = matrix->grid.rank_count - matrix->line * matrix->per_line;
    matrix->steps_cut--;
}

static Str range_text(const MatrixGroup *group, Arena *arena)
{
    MatrixCell ends[2] = {*group->first, *group->first};
    ends[0].error = group->least;
    ends[1].error = group->most;
    Str least = error_text(&ends[0], arena), most = error_text(&ends[1], arena);
    return str_equal(least, most)
               ? least
               : str_printf(arena, STR_FMT "–" STR_FMT, STR_ARG(least), STR_ARG(most));
}

// "ranks 0–63 · output · add.0 #44 · 0.0018–0.020", after the step where there are several.
static Str group_text(const Matrix *matrix, const MatrixGroup *group)
{
    Arena *arena = matrix->scene->arena;
    const MatrixCell *cell = group->first;
    Str text = matrix_ranks_text(group, arena);
    if (matrix->grid.step_count > 1)
        text = str_printf(arena, STR_FMT " · " STR_FMT,
                          STR_ARG(place_step_text(cell->step, cell->stage, arena)), STR_ARG(text));
    if (!has_dump(cell))
        return str_printf(arena, STR_FMT " · " STR_FMT, STR_ARG(text), STR_ARG(absent_text(cell)));
    if (cell->kind == DIVERGE_NONE)
        return str_printf(arena, STR_FMT " · " STR_FMT, STR_ARG(text),
                          STR_ARG(status_label(cell->status, false)));
    Str range = range_text(group, arena);
    text = str_printf(arena, STR_FMT " · " STR_FMT " · " STR_FMT " #%u%s" STR_FMT, STR_ARG(text),
                      STR_ARG(kind_text(cell)), STR_ARG(name_loose(cell->op, arena).full),
                      cell->position, range.size ? " · " : "", STR_ARG(range));
    if (group->ranks.count > 1)
        return text;
    return str_printf(arena, STR_FMT " · " STR_FMT, STR_ARG(text),
                      STR_ARG(ops_text(cell->differing, arena)));
}

// What the small cells have no room to say, once for all ranks with the same finding.
static void draw_list(Matrix *matrix)
{
    Scene *scene = matrix->scene;
    MatrixGroups *groups = ARENA_NEW(scene->arena, MatrixGroups);
    matrix_groups(&matrix->grid, scene->arena, groups);
    matrix->y += 18;
    for (size_t i = 0; i < groups->count; i++) {
        const MatrixCell *cell = groups->items[i].first;
        bool origin = is_origin(matrix, cell);
        chip_draw(scene, PAGE_MARGIN, matrix->y - 10, 13,
                  has_dump(cell) ? cell->status : STATUS_UNMATCHED, !origin);
        scene_text(scene, PAGE_MARGIN + 20, matrix->y, SIZE_TEXT, origin ? 700 : 400, ANCHOR_START,
                   ROLE_INK,
                   text_fit(group_text(matrix, &groups->items[i]), SIZE_TEXT, 700,
                            scene->width - 2 * PAGE_MARGIN - 20, scene->arena));
        matrix->y += 19;
    }
    if (groups->more)
        scene_text(scene, PAGE_MARGIN + 20, matrix->y, SIZE_TEXT, 400, ANCHOR_START, ROLE_INK2,
                   str_printf(scene->arena,
                              tr_count(groups->more, "… and %zu more pair", "… and %zu more pairs"),
                              groups->more));
    matrix->y += groups->more ? 19 : 0;
}

static uint32_t cells_shown(const Matrix *matrix, size_t count)
{
    uint32_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        const MatrixCell *cell = &matrix->grid.cells[i];
        bool tint = has_dump(cell) && !is_origin(matrix, cell) &&
                    (cell->status == STATUS_ERROR || cell->status == STATUS_WARNING);
        shown |= 1U << ((has_dump(cell) ? cell->status : STATUS_UNMATCHED) + (tint ? 8 : 0));
    }
    return shown;
}

// "rank 2 alone has an input that differs; 3 other ranks differ first in what all_reduce.3 gave
// them": where the ranks of the origin's step part at the same communication.
static Str spread_text(const Matrix *matrix, size_t count)
{
    Arena *arena = matrix->scene->arena;
    if (matrix->options->origin == SIZE_MAX)
        return STR("");
    const MatrixCell *origin = &matrix->grid.cells[matrix->options->origin];
    size_t others = 0;
    for (size_t i = 0; i < count; i++) {
        const MatrixCell *cell = &matrix->grid.cells[i];
        bool same = cell != origin && has_dump(cell) && cell->step == origin->step &&
                    str_equal(cell->stage, origin->stage) && str_equal(cell->op, origin->op);
        if (same && cell->kind == DIVERGE_INPUT)
            return STR("");
        others += same && cell->kind == DIVERGE_OUTPUT;
    }
    if (origin->kind != DIVERGE_INPUT || others == 0 || !comm_is_call(origin->op))
        return STR("");
    return str_printf(arena,
                      tr_count(others,
                               "rank %lld alone has an input that differs; %zu other rank differs "
                               "first in what " STR_FMT " gave it",
                               "rank %lld alone has an input that differs; %zu other ranks differ "
                               "first in what " STR_FMT " gave them"),
                      (long long)origin->rank, others, STR_ARG(name_loose(origin->op, arena).full));
}

static void draw_foot(Matrix *matrix, size_t count)
{
    Scene *scene = matrix->scene;
    Str spread = spread_text(matrix, count);
    if (spread.size) {
        matrix->y += 24;
        scene_text(
            scene, PAGE_MARGIN, matrix->y, SIZE_STRONG, 400, ANCHOR_START, ROLE_INK,
            text_fit(spread, SIZE_STRONG, 400, scene->width - 2 * PAGE_MARGIN, scene->arena));
    }
    matrix->y += 26;
    chip_legend(scene, PAGE_MARGIN, matrix->y, cells_shown(matrix, count));
    matrix->y += 24;
    Str text = str_of(tr("#n = position of the op in execution order; solid = a pair in which the "
                         "divergence starts"));
    if (matrix->steps_cut)
        text = str_printf(
            scene->arena,
            tr_count(matrix->steps_cut, "%s; %zu step left out", "%s; %zu steps left out"),
            str_cstr(scene->arena, text), matrix->steps_cut);
    if (matrix->ranks_cut)
        text = str_printf(
            scene->arena,
            tr_count(matrix->ranks_cut, "%s; %zu rank left out", "%s; %zu ranks left out"),
            str_cstr(scene->arena, text), matrix->ranks_cut);
    scene_text(scene, PAGE_MARGIN, matrix->y, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK2,
               text_fit(text, SIZE_NOTE, 400, scene->width - 2 * PAGE_MARGIN, scene->arena));
    matrix->y += 24;
}

static void size_cells(Matrix *matrix, bool wordy)
{
    double room = matrix->right - matrix->left, ranks = (double)matrix->grid.rank_count;
    if (wordy) {
        matrix->per_line = matrix->grid.rank_count;
        matrix->cell_width = fmin(180, (room - GAP * (ranks - 1)) / ranks);
        return;
    }
    double width = room / ranks - SMALL_GAP;
    matrix->cell_width = floor(fmin(SMALL_MOST, fmax(SMALL_LEAST, width)));
    matrix->per_line = (size_t)((room + SMALL_GAP) / (matrix->cell_width + SMALL_GAP));
    if (matrix->per_line > 8 && matrix->per_line < matrix->grid.rank_count)
        matrix->per_line -= matrix->per_line % 8;
    matrix->cells = (Grid){.label_x = PAGE_MARGIN,
                           .label_room = LABEL_WIDTH - 6,
                           .label_size = SIZE_TEXT,
                           .left = matrix->left,
                           .pitch = matrix->cell_width + SMALL_GAP,
                           .gap = SMALL_GAP,
                           .height = SMALL_HEIGHT,
                           .row = SMALL_HEIGHT + 3,
                           .radius = 2};
}

static void begin_page(Matrix *matrix, Scene *scene, bool wordy, Arena *arena)
{
    Str note = wordy ? str_of(tr("each cell: what differs first, the op, its position and error, "
                                 "how many ops differ"))
                     : str_of(tr("each cell: one pair; those that differ are listed below"));
    if (matrix->step || matrix->line)
        note = str_printf(arena, tr("continued: " STR_FMT),
                          STR_ARG(place_step_text(matrix->grid.steps[matrix->step].step,
                                                  matrix->grid.steps[matrix->step].stage, arena)));
    matrix->scene = scene;
    scene->description =
        str_printf(arena, tr("golden: %s · target: %s"), str_cstr(arena, matrix->options->golden),
                   str_cstr(arena, matrix->options->target));
    bool staged = matrix->grid.step_count && matrix->grid.steps[0].stage.size;
    section_heading(scene, PAGE_MARGIN, 26, SIZE_HEADING,
                    str_of(staged ? tr("Steps and stages × ranks") : tr("Steps × ranks")), note);
    matrix->y = 32;
}

// Pages of small cells that follow the first. Gives how many pages there are.
static size_t draw_more_pages(Matrix *matrix, size_t count, Arena *arena)
{
    size_t pages = 1;
    for (Scene *last = matrix->scene; matrix->step < matrix->grid.step_count && pages < PAGES;
         pages++) {
        Scene *scene = ARENA_NEW(arena, Scene);
        scene_init(scene, arena, str_printf(arena, "matrix-%zu", pages + 1).data, PAGE_WIDTH);
        begin_page(matrix, scene, false, arena);
        draw_small(matrix);
        if (pages + 1 == PAGES)
            count_cut(matrix);
        draw_foot(matrix, count);
        scene->height = matrix->y;
        last->next = scene;
        last = scene;
    }
    return pages;
}

static void number_pages(Scene *scene, size_t pages)
{
    Scene *at = scene;
    for (size_t page = 0; at; page++) {
        page_number_draw(at, page, pages);
        at = at->next;
    }
}

void matrix_picture(const MatrixCell *cells, size_t count, const MatrixOptions *options,
                    Arena *arena, Scene *out)
{
    scene_init(out, arena, "matrix", PAGE_WIDTH);
    Matrix matrix = {.scene = out,
                     .options = options,
                     .left = PAGE_MARGIN + LABEL_WIDTH,
                     .right = PAGE_WIDTH - PAGE_MARGIN - TOTAL_WIDTH};
    matrix_grid_build(cells, count, arena, &matrix.grid);
    bool wordy = matrix.grid.rank_count <= WORDY_RANKS && matrix.grid.step_count <= WORDY_STEPS;
    begin_page(&matrix, out, wordy, arena);
    if (count) {
        size_cells(&matrix, wordy);
        if (wordy)
            draw_wordy(&matrix);
        else
            draw_small(&matrix);
        if (!wordy)
            draw_list(&matrix);
    }
    draw_foot(&matrix, count);
    out->height = matrix.y;
    if (count && !wordy)
        number_pages(out, draw_more_pages(&matrix, count, arena));
}
