// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/runs_picture.h"

#include <math.h>

#include "base/words.h"
#include "picture/kit/grid.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    LABEL_WIDTH = 250,
    ROW_HEIGHT = 20,
    ROW_GAP = 2,
    MAX_ROWS = 60,
    MAX_RUNS = 64,
    CELL_MOST = 44,
    HEAD_MOST = 120
};

typedef struct RunsMap {
    const RunsView *report;
    Scene *scene;
    Grid grid;
    size_t *runs;  // the columns
    size_t run_count;
    double y;
    size_t rows;  // drawn
    size_t rows_cut;
} RunsMap;

static bool is_calm(const RunsView *report, size_t layer)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->runs[i].layers && report->runs[i].layers[layer].leaves)
            return false;
    return true;
}

static bool same_cells(const RunsView *report, size_t a, size_t b)
{
    for (size_t i = 0; i < report->count; i++) {
        const RunLayer *layers = report->runs[i].layers;
        if (layers && (layers[a].first || layers[b].first || layers[a].leaves != layers[b].leaves ||
                       layers[a].status != layers[b].status ||
                       run_layer_inherits(&layers[a]) != run_layer_inherits(&layers[b])))
            return false;
    }
    return true;
}

// The end of the layers from here on that look the same in all runs.
static size_t end_of_same(const RunsView *report, size_t layer)
{
    size_t end = layer + 1;
    while (end < report->layer_count && same_cells(report, layer, end))
        end++;
    return end;
}

static void choose_runs(RunsMap *map, Arena *arena)
{
    const RunsView *report = map->report;
    bool all = report->count <= MAX_RUNS;
    map->runs = ARENA_ARRAY(arena, size_t, report->count);
    for (size_t i = 0; i < report->count && map->run_count < MAX_RUNS; i++)
        if (all || report->runs[i].first.leaves)
            map->runs[map->run_count++] = i;
    double room = PAGE_WIDTH - 2 * PAGE_MARGIN - LABEL_WIDTH;
    map->grid = (Grid){.label_x = PAGE_MARGIN,
                       .label_room = LABEL_WIDTH - 12,
                       .label_size = SIZE_STRONG,
                       .left = PAGE_MARGIN + LABEL_WIDTH,
                       .pitch = fmin(CELL_MOST, room / fmax(1, (double)map->run_count)),
                       .gap = ROW_GAP,
                       .height = ROW_HEIGHT,
                       .row = ROW_HEIGHT + ROW_GAP,
                       .radius = 2};
}

// As high as the longest label needs.
static double head_height(const RunsMap *map)
{
    double height = 0;
    for (size_t i = 0; i < map->run_count; i++) {
        double width = text_width(map->report->runs[map->runs[i]].label, SIZE_TEXT, 700);
        height = width > height ? width : height;
    }
    return height + 12 < HEAD_MOST ? height + 12 : HEAD_MOST;
}

static void draw_heads(RunsMap *map)
{
    Scene *scene = map->scene;
    const RunsView *report = map->report;
    double height = head_height(map) + 8;
    for (size_t i = 0; i < map->run_count; i++) {
        const RunFacts *run = &report->runs[map->runs[i]];
        bool common = map->runs[i] == report->common;
        Str label =
            text_fit(run->label, SIZE_TEXT, common ? 700 : 400, HEAD_MOST - 12, scene->arena);
        Item *text = scene_text(scene, map->grid.left + map->grid.pitch * ((double)i + 0.5) + 3,
                                map->y + height - 6, SIZE_TEXT, common ? 700 : 400, ANCHOR_START,
                                ROLE_INK, label);
        text->as.text.vertical = true;
        text->title = run->path;
    }
    map->y += height;
}

static Str cell_title(const RunsMap *map, const RunFacts *run, size_t layer)
{
    Arena *arena = map->scene->arena;
    const RunLayer *cell = &run->layers[layer];
    Str place = str_printf(arena, STR_FMT " · " STR_FMT " · " STR_FMT " · " STR_FMT,
                           STR_ARG(run->label), STR_ARG(map->report->layers[layer]),
                           STR_ARG(status_label(cell->status, run_layer_inherits(cell))),
                           STR_ARG(figure_error(cell->error, arena)));
    return cell->first ? str_printf(arena, tr(STR_FMT " · leaves here first, at " STR_FMT),
                                    STR_ARG(place), STR_ARG(run->first.op))
                       : place;
}

static GridCell cell_of(const RunsMap *map, size_t column, size_t layer)
{
    const RunFacts *run = &map->report->runs[map->runs[column]];
    const RunLayer *at = run->layers ? &run->layers[layer] : NULL;
    if (run->failed || !at || !at->leaves)
        return grid_box(run->failed ? STATUS_NO_DATA : STATUS_SAME, false);
    GridCell cell = grid_box(at->status, run_layer_inherits(at));
    cell.title = cell_title(map, run, layer);
    cell.disc = at->first;
    return cell;
}

// "layers.3 … layers.7, 5 layers".
static Str layers_named(const RunsMap *map, size_t from, size_t to)
{
    const Str *layers = map->report->layers;
    return str_printf(map->scene->arena, tr(STR_FMT " … " STR_FMT ", %zu layers"),
                      STR_ARG(layers[from]), STR_ARG(layers[to - 1]), to - from);
}

// Layers [from, to) look the same.
static void draw_layers(RunsMap *map, size_t layer, size_t to)
{
    Arena *arena = map->scene->arena;
    GridCell *cells = ARENA_ARRAY(arena, GridCell, map->run_count);
    for (size_t i = 0; i < map->run_count; i++)
        cells[i] = cell_of(map, i, layer);
    Str name = to > layer + 1 ? layers_named(map, layer, to) : map->report->layers[layer];
    GridRow row = {.label = name,
                   .title = name,
                   .weight = 400,
                   .role = ROLE_INK,
                   .cells = cells,
                   .count = map->run_count};
    map->y = grid_row(map->scene, &map->grid, &row, map->y);
    map->rows++;
}

// Layers [from, to) are equal in all runs: one line for all of them.
static void draw_calm(RunsMap *map, size_t from, size_t to)
{
    Scene *scene = map->scene;
    Str name = to > from + 1 ? layers_named(map, from, to) : map->report->layers[from];
    Str text = str_printf(scene->arena, tr(STR_FMT ": equal in all runs"), STR_ARG(name));
    fitted_text(scene, PAGE_MARGIN, map->y + 14, SIZE_TEXT, 400, ROLE_INK2,
                PAGE_WIDTH - 2.0 * PAGE_MARGIN, text);
    map->y += ROW_HEIGHT + ROW_GAP;
    map->rows++;
}

// Equal layers share a line; of those that differ, where they are more than fit.
static void draw_rows(RunsMap *map)
{
    const RunsView *report = map->report;
    bool fold = report->layer_count > MAX_ROWS;
    for (size_t layer = 0, end; layer < report->layer_count; layer = end) {
        bool calm = is_calm(report, layer);
        end = calm || fold ? end_of_same(report, layer) : layer + 1;
        if (map->rows == MAX_ROWS) {
            map->rows_cut = report->layer_count - layer;
            return;
        }
        if (calm)
            draw_calm(map, layer, end);
        else
            draw_layers(map, layer, end);
    }
}

static void draw_legend(RunsMap *map)
{
    Scene *scene = map->scene;
    uint32_t shown = 1U << STATUS_SAME;
    for (size_t i = 0; i < map->run_count; i++) {
        const RunFacts *run = &map->report->runs[map->runs[i]];
        for (size_t k = 0; run->layers && k < map->report->layer_count; k++)
            if (run->layers[k].leaves)
                shown |=
                    1U << (run->layers[k].status + (run_layer_inherits(&run->layers[k]) ? 8 : 0));
    }
    map->y += 20;
    double x = chip_legend(scene, PAGE_MARGIN, map->y, shown);
    disc_draw(scene, x + 20, map->y - 4, 1);
    note_text(scene, x + 34, map->y, ANCHOR_START,
              str_of(tr("the run leaves the most common one here first")));
}

static void draw_cut(RunsMap *map)
{
    Arena *arena = map->scene->arena;
    Str texts[2];
    size_t count = 0;
    if (map->rows_cut)
        texts[count++] = str_printf(arena,
                                    tr_count(map->rows_cut, "%zu more layer is in the workbook",
                                             "%zu more layers are in the workbook"),
                                    map->rows_cut);
    if (map->run_count < map->report->count)
        texts[count++] = str_printf(arena, tr("%zu of %zu runs are shown; all are in the workbook"),
                                    map->run_count, map->report->count);
    for (size_t i = 0; i < count; i++) {
        map->y += 18;
        row_text(map->scene, PAGE_MARGIN, map->y, ANCHOR_START, texts[i]);
    }
}

void runs_picture(const RunsView *report, Arena *arena, Scene *out)
{
    RunsMap map = {.report = report, .scene = out};
    scene_init(out, arena, "runs", PAGE_WIDTH);
    choose_runs(&map, arena);
    map.y = 26;
    section_heading(out, PAGE_MARGIN, map.y, SIZE_HEADING, str_of(tr("Runs and layers")),
                    str_of(tr("layers down in execution order, runs across")));
    draw_heads(&map);
    draw_rows(&map);
    grid_end(out, &map.grid);
    draw_legend(&map);
    draw_cut(&map);
    out->height = map.y + 24;
}
