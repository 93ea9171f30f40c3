// SPDX-License-Identifier: Apache-2.0
#include "layout/runs_picture.h"

#include "base/words.h"
#include "layout/chip.h"
#include "layout/figure_text.h"
#include "layout/verdict_head.h"
#include "scene/text_width.h"

enum {
    WIDTH = 1200,
    MARGIN = 32,
    LABEL_WIDTH = 250,
    ROW_HEIGHT = 20,
    ROW_GAP = 2,
    MAX_ROWS = 60,
    MAX_RUNS = 64,
    CELL_MOST = 44,
    HEAD_MOST = 120,
    GLYPH_WIDTH = 14
};

typedef struct Grid {
    const RunsReport *report;
    Scene *scene;
    size_t *runs;  // the columns
    size_t run_count;
    double cell;  // width with its gap
    double y;
    size_t rows;  // drawn
    size_t rows_cut;
} Grid;

static bool is_calm(const RunsReport *report, size_t layer)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->runs[i].layers && report->runs[i].layers[layer].leaves)
            return false;
    return true;
}

static void choose_runs(Grid *grid, Arena *arena)
{
    const RunsReport *report = grid->report;
    bool all = report->count <= MAX_RUNS;
    grid->runs = ARENA_ARRAY(arena, size_t, report->count);
    for (size_t i = 0; i < report->count && grid->run_count < MAX_RUNS; i++)
        if (all || report->runs[i].first.leaves)
            grid->runs[grid->run_count++] = i;
    double room = WIDTH - 2 * MARGIN - LABEL_WIDTH;
    grid->cell = room / (double)(grid->run_count ? grid->run_count : 1);
    if (grid->cell > CELL_MOST)
        grid->cell = CELL_MOST;
}

static double column_x(const Grid *grid, size_t column)
{
    return MARGIN + LABEL_WIDTH + grid->cell * (double)column;
}

// As high as the longest label needs.
static double head_height(const Grid *grid)
{
    double height = 0;
    for (size_t i = 0; i < grid->run_count; i++) {
        double width = text_width(grid->report->runs[grid->runs[i]].label, 11.5, 700);
        height = width > height ? width : height;
    }
    return height + 12 < HEAD_MOST ? height + 12 : HEAD_MOST;
}

static void draw_heads(Grid *grid)
{
    Scene *scene = grid->scene;
    const RunsReport *report = grid->report;
    double height = head_height(grid) + 8;
    for (size_t i = 0; i < grid->run_count; i++) {
        const RunFacts *run = &report->runs[grid->runs[i]];
        bool common = grid->runs[i] == report->common;
        Str label = text_fit(run->label, 11.5, common ? 700 : 400, HEAD_MOST - 12, scene->arena);
        Item *text = scene_text(scene, column_x(grid, i) + grid->cell / 2 + 3, grid->y + height - 6,
                                11.5F, common ? 700 : 400, ANCHOR_START, ROLE_INK, label);
        text->as.text.vertical = true;
        text->title = run->path;
    }
    grid->y += height;
}

static Str cell_title(const Grid *grid, const RunFacts *run, size_t layer)
{
    Arena *arena = grid->scene->arena;
    const RunLayer *cell = &run->layers[layer];
    Str place = str_printf(arena, STR_FMT " · " STR_FMT " · " STR_FMT " · " STR_FMT,
                           STR_ARG(run->label), STR_ARG(grid->report->layers[layer]),
                           STR_ARG(status_label(cell->status, !cell->first)),
                           STR_ARG(figure_error(cell->error, arena)));
    return cell->first ? str_printf(arena, tr(STR_FMT " · leaves here first, at " STR_FMT),
                                    STR_ARG(place), STR_ARG(run->first.op))
                       : place;
}

static void draw_cell(const Grid *grid, size_t column, size_t layer)
{
    Scene *scene = grid->scene;
    const RunFacts *run = &grid->report->runs[grid->runs[column]];
    const RunLayer *cell = run->layers ? &run->layers[layer] : NULL;
    bool leaves = cell && cell->leaves;
    Status status = run->failed ? STATUS_NO_DATA : leaves ? cell->status : STATUS_SAME;
    StatusLook look = status_look(status, leaves && !cell->first);
    double x = column_x(grid, column), width = grid->cell - ROW_GAP, half = look.edge_width / 2.0;
    Item *box = scene_box(scene, x + half, grid->y + half, width - 2 * half, ROW_HEIGHT - 2 * half,
                          look.fill, look.edge);
    box->paint.width = look.edge_width;
    box->as.box.radius = 2;
    if (!leaves)
        return;
    box->title = cell_title(grid, run, layer);
    double middle = x + width / 2;
    if (cell->first && width >= GLYPH_WIDTH)
        disc_draw(scene, middle, grid->y + ROW_HEIGHT / 2.0, 1);
    else if (cell->first)
        scene_circle(scene, middle, grid->y + ROW_HEIGHT / 2.0, width / 3, ROLE_INK, ROLE_NONE);
    else if (look.letter && width >= GLYPH_WIDTH)
        scene_text(scene, middle, grid->y + 14, 10.5F, 700, ANCHOR_MIDDLE, look.ink,
                   str_of(look.letter));
}

static void draw_layer(Grid *grid, size_t layer)
{
    Scene *scene = grid->scene;
    Str name = grid->report->layers[layer];
    Item *label = scene_text(scene, MARGIN, grid->y + 14, 12.5F, 400, ANCHOR_START, ROLE_INK,
                             text_fit(name, 12.5, 400, LABEL_WIDTH - 12, scene->arena));
    label->title = name;
    for (size_t i = 0; i < grid->run_count; i++)
        draw_cell(grid, i, layer);
    grid->y += ROW_HEIGHT + ROW_GAP;
    grid->rows++;
}

// Layers [from, to) are equal in all runs: one line for all of them.
static void draw_calm(Grid *grid, size_t from, size_t to)
{
    Scene *scene = grid->scene;
    Str text =
        to - from == 1
            ? str_printf(scene->arena, tr(STR_FMT ": equal in all runs"),
                         STR_ARG(grid->report->layers[from]))
            : str_printf(scene->arena, tr(STR_FMT " … " STR_FMT ": %zu layers, equal in all runs"),
                         STR_ARG(grid->report->layers[from]), STR_ARG(grid->report->layers[to - 1]),
                         to - from);
    scene_text(scene, MARGIN, grid->y + 14, 11.5F, 400, ANCHOR_START, ROLE_INK2,
               text_fit(text, 11.5, 400, WIDTH - 2.0 * MARGIN, scene->arena));
    grid->y += ROW_HEIGHT + ROW_GAP;
    grid->rows++;
}

static void draw_rows(Grid *grid)
{
    const RunsReport *report = grid->report;
    for (size_t layer = 0; layer < report->layer_count;) {
        size_t end = layer;
        while (end < report->layer_count && is_calm(report, end))
            end++;
        if (grid->rows == MAX_ROWS) {
            grid->rows_cut = report->layer_count - layer;
            return;
        }
        if (end > layer)
            draw_calm(grid, layer, end);
        else
            draw_layer(grid, end++);
        layer = end;
    }
}

static void draw_legend(Grid *grid)
{
    Scene *scene = grid->scene;
    uint32_t shown = 1U << STATUS_SAME;
    for (size_t i = 0; i < grid->run_count; i++) {
        const RunFacts *run = &grid->report->runs[grid->runs[i]];
        for (size_t k = 0; run->layers && k < grid->report->layer_count; k++)
            if (run->layers[k].leaves)
                shown |= 1U << (run->layers[k].status + (run->layers[k].first ? 0 : 8));
    }
    grid->y += 20;
    double x = chip_legend(scene, MARGIN, grid->y, shown);
    disc_draw(scene, x + 20, grid->y - 4, 1);
    scene_text(scene, x + 34, grid->y, 11, 400, ANCHOR_START, ROLE_INK2,
               str_of(tr("the run leaves the most common one here first")));
}

static void draw_cut(Grid *grid)
{
    Arena *arena = grid->scene->arena;
    Str texts[2];
    size_t count = 0;
    if (grid->rows_cut)
        texts[count++] = str_printf(arena,
                                    tr_count(grid->rows_cut, "%zu more layer is in the workbook",
                                             "%zu more layers are in the workbook"),
                                    grid->rows_cut);
    if (grid->run_count < grid->report->count)
        texts[count++] = str_printf(arena, tr("%zu of %zu runs are shown; all are in the workbook"),
                                    grid->run_count, grid->report->count);
    for (size_t i = 0; i < count; i++) {
        grid->y += 18;
        scene_text(grid->scene, MARGIN, grid->y, 11.5F, 400, ANCHOR_START, ROLE_INK2, texts[i]);
    }
}

void layout_runs(const RunsReport *report, const Verdict *verdict, Arena *arena, Scene *out)
{
    Grid grid = {.report = report, .scene = out};
    scene_init(out, arena, "runs", WIDTH);
    out->description = verdict->sentence;
    choose_runs(&grid, arena);
    double top = verdict_head(out, verdict, MARGIN);
    section_rule(out, MARGIN, top);
    grid.y = top + 26;
    section_heading(out, MARGIN, grid.y, 15, str_of(tr("Runs and layers")),
                    str_of(tr("layers down in execution order, runs across")));
    draw_heads(&grid);
    draw_rows(&grid);
    draw_legend(&grid);
    draw_cut(&grid);
    out->height = grid.y + 24;
}
