// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/matrix.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/names.h"
#include "base/sort.h"
#include "base/words.h"
#include "compare/judge/judge.h"
#include "compare/nonfinite/comm_call.h"
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
    COLUMNS = 8,
    ROWS = 12,
    FOLDED_FROM = 5  // steps: equal ones are one row
};

// A row or a column: one step or rank, or several of which all cells are equal.
typedef struct MatrixLine {
    size_t shown;  // the step or rank whose cells are drawn
    bool origin, differs;
    int64_t *items;  // their numbers
    size_t count, capacity;
} MatrixLine;

typedef struct MatrixLines {
    MatrixLine *items;
    size_t count, capacity;
    size_t cut;  // steps or ranks that have no line
} MatrixLines;

// Which cell stands where.
typedef struct MatrixGrid {
    const MatrixCell *cells;
    const MatrixCell *
        *steps;      // a cell of each step, or stage of one, in the order in which they run
    int64_t *ranks;  // rising
    size_t step_count, rank_count;
    const MatrixCell **at;  // [index of a step * rank_count + index of a rank]; NULL: none
} MatrixGrid;

typedef struct Matrix {
    Scene *scene;
    MatrixGrid grid;
    const MatrixOptions *options;
    MatrixLines rows, columns;
    double left, cell_width;  // of the cells
    double y;
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

// Equal for cells with the same finding.
static Str look_of(const MatrixCell *cell, Arena *arena)
{
    if (!cell)
        return STR("-");
    return str_printf(arena, "%d %d %d %d %d %u " STR_FMT, cell->status, cell->kind,
                      cell->golden_missing, cell->target_missing, cell->failed, cell->position,
                      STR_ARG(cell->op));
}

// The pair in which the divergence starts, and pairs of the same step that part at the same op:
// before it nothing differed on any of them, so none has it from another. What is an input
// may be another rank's doing.
static bool is_origin(const Matrix *matrix, const MatrixCell *cell)
{
    if (matrix->options->origin == SIZE_MAX || !cell)
        return false;
    const MatrixCell *origin = &matrix->grid.cells[matrix->options->origin];
    return cell == origin ||
           (cell->step == origin->step && str_equal(cell->stage, origin->stage) &&
            str_equal(look_of(cell, matrix->scene->arena), look_of(origin, matrix->scene->arena)) &&
            origin->kind != DIVERGE_INPUT);
}

static bool has_dump(const MatrixCell *cell)
{
    return cell && !cell->golden_missing && !cell->target_missing && !cell->failed;
}

// ---- rows and columns

static int step_order(const MatrixCell *a, const MatrixCell *b)
{
    int order = (a->step > b->step) - (a->step < b->step);
    return order ? order : stage_compare(a->stage, b->stage);
}

static int by_step(const void *a, const void *b)
{
    return step_order(*(const MatrixCell *const *)a, *(const MatrixCell *const *)b);
}

static void build_grid(const MatrixCell *cells, size_t count, Arena *arena, MatrixGrid *out)
{
    *out = (MatrixGrid){.cells = cells,
                        .steps = ARENA_ARRAY(arena, const MatrixCell *, count),
                        .ranks = ARENA_ARRAY(arena, int64_t, count)};
    for (size_t i = 0; i < count; i++) {
        out->steps[i] = &cells[i];
        out->ranks[i] = cells[i].rank;
    }
    if (count)
        qsort(out->steps, count, sizeof *out->steps, by_step);
    for (size_t i = 0; i < count; i++)
        if (!i || step_order(out->steps[out->step_count - 1], out->steps[i]) != 0)
            out->steps[out->step_count++] = out->steps[i];
    out->rank_count = sort_distinct(out->ranks, count);
    out->at = ARENA_ARRAY(arena, const MatrixCell *, out->step_count * out->rank_count);
    for (size_t i = 0; i < count; i++) {
        size_t step, rank;
        FIND_FIRST(step, out->step_count, step_order(out->steps[step], &cells[i]) < 0);
        FIND_FIRST(rank, out->rank_count, out->ranks[rank] < cells[i].rank);
        out->at[step * out->rank_count + rank] = &cells[i];
    }
}

static const MatrixCell *line_cell(const Matrix *matrix, bool rank, size_t line, size_t at)
{
    size_t ranks = matrix->grid.rank_count;
    return matrix->grid.at[rank ? at * ranks + line : line * ranks + at];
}

static bool is_origin_line(const Matrix *matrix, const MatrixCell *cell)
{
    return cell && matrix->options->origin != SIZE_MAX &&
           cell == &matrix->grid.cells[matrix->options->origin];
}

// Ranks, or steps that follow each other, of which all cells are equal as one line each.
static void find_lines(const Matrix *matrix, bool rank, bool fold, MatrixLines *out)
{
    const MatrixGrid *grid = &matrix->grid;
    Arena *arena = matrix->scene->arena, *scratch = arena_new();
    Names *looks = names_new(scratch);
    NameId last = NAME_NONE;
    size_t across = rank ? grid->step_count : grid->rank_count;
    for (size_t line = 0; line < (rank ? grid->rank_count : grid->step_count); line++) {
        StrBuf look = strbuf_new(scratch);
        bool origin = false, differs = false;
        for (size_t at = 0; at < across; at++) {
            const MatrixCell *cell = line_cell(matrix, rank, line, at);
            strbuf_printf(&look, STR_FMT "\n", STR_ARG(look_of(cell, scratch)));
            origin = origin || is_origin_line(matrix, cell);
            differs = differs || !has_dump(cell) || status_differs(cell->status);
        }
        if (!fold || (!rank && grid->steps[line]->stage.size))
            strbuf_printf(&look, "%zu", line);
        size_t known = names_count(looks);
        NameId id = names_add(looks, strbuf_str(&look));
        bool fresh = rank ? id > known : id != last;
        MatrixLine *at =
            fresh ? ARRAY_PUSH(arena, out) : &out->items[rank ? id - 1 : out->count - 1];
        if (fresh)
            *at = (MatrixLine){.shown = line};
        if (origin)
            at->shown = line;
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a line that is known is there
        at->origin = at->origin || origin;
        at->differs = at->differs || differs;
        *ARRAY_PUSH(arena, at) = rank ? grid->ranks[line] : grid->steps[line]->step;
        last = id;
    }
    arena_release(scratch);
}

// Keeps `most` lines: that of the origin, those that differ, the first others.
static void keep_lines(MatrixLines *lines, size_t most)
{
    size_t wanted[3] = {0}, kept = 0;
    for (size_t i = 0; i < lines->count; i++)
        wanted[lines->items[i].origin ? 0 : lines->items[i].differs ? 1 : 2]++;
    size_t room = most - (wanted[0] < most ? wanted[0] : most);
    size_t differing = wanted[1] < room ? wanted[1] : room, calm = room - differing;
    for (size_t i = 0; i < lines->count; i++) {
        MatrixLine *line = &lines->items[i];
        size_t *left = line->differs ? &differing : &calm;
        if (line->origin || *left) {
            *left -= !line->origin;
            lines->items[kept++] = *line;
        } else {
            lines->cut += line->count;
        }
    }
    lines->count = kept;
}

static void plan_lines(Matrix *matrix)
{
    find_lines(matrix, true, matrix->grid.rank_count > COLUMNS, &matrix->columns);
    find_lines(matrix, false, matrix->grid.step_count >= FOLDED_FROM, &matrix->rows);
    keep_lines(&matrix->columns, COLUMNS);
    keep_lines(&matrix->rows, ROWS);
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
    fitted_text(scene, x + 28, y + 19.5, SIZE_TEXT, weight, ink, room - (origin ? 40 : 20),
                kind_text(cell));
    if (cell->kind == DIVERGE_NONE)
        return;
    fitted_text(scene, x + 8, y + 40, SIZE_STRONG, weight, ink, room,
                name_loose(cell->op, arena).local);
    Str place = str_printf(arena, "#%u", cell->position), error = error_text(cell, arena);
    scene_text(scene, x + 8, y + 57, SIZE_NOTE, 400, ANCHOR_START, ink, place);
    if (text_width(place, SIZE_NOTE, 400) + text_width(error, SIZE_TEXT, 400) + 8 <= room)
        scene_text(scene, x + width - 8, y + 57, SIZE_TEXT, 400, ANCHOR_END, ink, error);
    fitted_text(scene, x + 8, y + 74, SIZE_NOTE, 400, ink, room, ops_text(cell->differing, arena));
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

static void draw_linked_cell(const Matrix *matrix, const MatrixCell *cell, double x, double y)
{
    bool linked = cell && cell->link.size;
    if (linked)
        scene_group(matrix->scene, STR(""), STR(""), cell->link);
    draw_worded(matrix, cell, x, y);
    if (linked)
        scene_group_end(matrix->scene);
}

static void draw_total(const Matrix *matrix, const MatrixLine *row, double y)
{
    Scene *scene = matrix->scene;
    Arena *arena = scene->arena;
    double x = scene->width - PAGE_MARGIN;
    size_t compared = 0, differing = 0;
    for (size_t rank = 0; rank < matrix->grid.rank_count; rank++) {
        const MatrixCell *cell = line_cell(matrix, false, row->shown, rank);
        compared += has_dump(cell);
        differing += has_dump(cell) && status_differs(cell->status);
    }
    if (!differing) {
        row_text(scene, x, y + 13, ANCHOR_END,
                 str_of(compared ? tr("agrees") : tr("not compared")));
        return;
    }
    // Ranks number their ops each for itself: the place of the origin, not the smallest number.
    if (row->origin)
        scene_text(scene, x, y + 13, SIZE_TEXT, 400, ANCHOR_END, ROLE_INK,
                   str_printf(arena, tr("first at #%u"),
                              matrix->grid.cells[matrix->options->origin].position));
    note_text(scene, x, y + (row->origin ? 30 : 13), ANCHOR_END,
              str_printf(arena, tr_count(compared, "%zu of %zu rank", "%zu of %zu ranks"),
                         differing, compared));
}

static double cell_x(const Matrix *matrix, size_t column)
{
    return matrix->left + (matrix->cell_width + GAP) * (double)column;
}

// A step, and its stage below it, on two lines where it is long: "actor" and "_update".
static void draw_step(const Matrix *matrix, const MatrixLine *row)
{
    Scene *scene = matrix->scene;
    const MatrixCell *step = matrix->grid.steps[row->shown];
    Str lines[3];
    WrapRule rule = {
        .size = SIZE_NOTE, .weight = 400, .width = LABEL_WIDTH - 8, .after = "_. ", .lines = 3};
    scene_text(scene, PAGE_MARGIN, matrix->y + 24, SIZE_STRONG, 600, ANCHOR_START, ROLE_INK,
               place_step_text(step->step, STR(""), scene->arena));
    Str below = step->stage;
    if (row->count > 1)
        below =
            str_printf(scene->arena, tr_count(row->count - 1, "and %zu like it", "and %zu like it"),
                       row->count - 1);
    size_t count = below.size ? figure_wrap(below, &rule, scene->arena, lines) : 0;
    for (size_t i = 0; i < count; i++)
        scene_text(scene, PAGE_MARGIN, matrix->y + 41 + 15 * (double)i, SIZE_NOTE, 400,
                   ANCHOR_START, ROLE_INK, lines[i]);
}

// "rank 5", "ranks 0–4, 6–63".
static Str column_text(const Matrix *matrix, const MatrixLine *column)
{
    Arena *arena = matrix->scene->arena;
    if (column->count == 1)
        return str_printf(arena, tr("rank %lld"), (long long)matrix->grid.ranks[column->shown]);
    Str ranges = rank_ranges(column->items, column->count, 3, arena);
    if (text_width(ranges, SIZE_STRONG, 700) > matrix->cell_width - 52)
        return str_printf(arena, tr("%zu equal ranks"), column->count);
    return str_printf(arena, tr("ranks " STR_FMT), STR_ARG(ranges));
}

static void draw_cells(Matrix *matrix)
{
    Scene *scene = matrix->scene;
    matrix->y += 24;
    for (size_t i = 0; i < matrix->columns.count; i++) {
        const MatrixLine *column = &matrix->columns.items[i];
        scene_text(scene, cell_x(matrix, i) + 8, matrix->y, SIZE_STRONG, column->origin ? 700 : 400,
                   ANCHOR_START, ROLE_INK, column_text(matrix, column));
    }
    row_text(scene, scene->width - PAGE_MARGIN, matrix->y, ANCHOR_END, str_of(tr("step in all")));
    matrix->y += 10;
    for (size_t k = 0; k < matrix->rows.count; k++) {
        const MatrixLine *row = &matrix->rows.items[k];
        draw_step(matrix, row);
        for (size_t i = 0; i < matrix->columns.count; i++)
            draw_linked_cell(matrix,
                             line_cell(matrix, false, row->shown, matrix->columns.items[i].shown),
                             cell_x(matrix, i), matrix->y);
        draw_total(matrix, row, matrix->y + 11);
        matrix->y += CELL_HEIGHT + 9;
    }
    matrix->y -= 9;
}

// Of what is drawn, for the legend.
static uint32_t cells_shown(const Matrix *matrix)
{
    uint32_t shown = 0;
    for (size_t i = 0; i < matrix->rows.count * matrix->columns.count; i++) {
        const MatrixLine *row = &matrix->rows.items[i / matrix->columns.count];
        const MatrixLine *column = &matrix->columns.items[i % matrix->columns.count];
        const MatrixCell *cell = line_cell(matrix, false, row->shown, column->shown);
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
                               "only rank %lld has an input that differs; %zu other rank differs "
                               "first in what it got from " STR_FMT,
                               "only rank %lld has an input that differs; %zu other ranks differ "
                               "first in what they got from " STR_FMT),
                      (long long)origin->rank, others, STR_ARG(name_loose(origin->op, arena).full));
}

static void draw_foot(Matrix *matrix, size_t count)
{
    Scene *scene = matrix->scene;
    Str spread = spread_text(matrix, count);
    if (spread.size) {
        matrix->y += 24;
        fitted_text(scene, PAGE_MARGIN, matrix->y, SIZE_STRONG, 400, ROLE_INK,
                    scene->width - 2 * PAGE_MARGIN, spread);
    }
    matrix->y += 26;
    chip_legend(scene, PAGE_MARGIN, matrix->y, cells_shown(matrix));
    matrix->y += 24;
    Str text = str_of(tr("#n = position of the op in execution order; solid = a pair in which the "
                         "divergence starts"));
    if (matrix->rows.cut)
        text = str_printf(
            scene->arena,
            tr_count(matrix->rows.cut, "%s; %zu step left out", "%s; %zu steps left out"),
            str_cstr(scene->arena, text), matrix->rows.cut);
    if (matrix->columns.cut)
        text = str_printf(
            scene->arena,
            tr_count(matrix->columns.cut, "%s; %zu rank left out", "%s; %zu ranks left out"),
            str_cstr(scene->arena, text), matrix->columns.cut);
    fitted_text(scene, PAGE_MARGIN, matrix->y, SIZE_NOTE, 400, ROLE_INK2,
                scene->width - 2 * PAGE_MARGIN, text);
    matrix->y += 24;
}

static void draw_heading(Matrix *matrix)
{
    Scene *scene = matrix->scene;
    scene->description = str_printf(scene->arena, tr("golden: %s · target: %s"),
                                    str_cstr(scene->arena, matrix->options->golden),
                                    str_cstr(scene->arena, matrix->options->target));
    bool staged = matrix->grid.step_count && matrix->grid.steps[0]->stage.size;
    section_heading(scene, PAGE_MARGIN, 26, SIZE_HEADING,
                    str_of(staged ? tr("Steps and stages × ranks") : tr("Steps × ranks")),
                    str_of(tr("each cell: what differs first, the op, its position and error, "
                              "how many ops differ")));
    matrix->y = 32;
}

void matrix_picture(const MatrixCell *cells, size_t count, const MatrixOptions *options,
                    Arena *arena, Scene *out)
{
    scene_init(out, arena, "matrix", PAGE_WIDTH);
    Matrix matrix = {.scene = out, .options = options, .left = PAGE_MARGIN + LABEL_WIDTH};
    build_grid(cells, count, arena, &matrix.grid);
    draw_heading(&matrix);
    if (count) {
        plan_lines(&matrix);
        double columns = (double)matrix.columns.count;
        double room = PAGE_WIDTH - PAGE_MARGIN - TOTAL_WIDTH - matrix.left - GAP * (columns - 1);
        matrix.cell_width = fmin(180, room / columns);
        draw_cells(&matrix);
    }
    draw_foot(&matrix, count);
    out->height = matrix.y;
}
