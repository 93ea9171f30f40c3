// SPDX-License-Identifier: Apache-2.0
#include "picture/monitor/monitor_ratio.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "base/words.h"
#include "picture/kit/page.h"
#include "picture/kit/verdict_head.h"

enum { GRIDS_MAX = 16, GOLDEN_GRIDS_MAX = 64 };

// The three panels, in this order.
enum { PANEL_GOLDEN, PANEL_TARGET, PANEL_RATIO, PANELS };

static double log_ratio(double target, double golden)
{
    if (isnan(target) || isnan(golden))
        return heat_nan();
    if (isinf(target) || isinf(golden))
        return target == golden ? 0 : heat_infinity();
    if (target == golden)
        return 0;
    double ratio = log10(fabs(target) / fabs(golden));
    return ratio > 9 ? 9 : ratio < -9 ? -9 : ratio;
}

// A grid over the steps of both runs, with rows for what only golden has.
typedef struct RatioGrid {
    const MonitorPairing *pairing;
    MonitorGrid grid;
    size_t *golden_column_of;
    const MonitorGrid *golden;  // its grid of this type and statistic, or NULL
    size_t *golden_row_of;      // by object of `golden`: its row, SIZE_MAX: it has a partner
    size_t golden_only, target_only;
} RatioGrid;

// ---- rows

static bool has_partner(const MonitorGrid *grid, size_t object, const size_t *partner_of)
{
    for (size_t s = grid->objects[object].from; s < grid->objects[object].to; s++)
        if (grid->run->series[s].object.op == grid->op && partner_of[s] != SIZE_MAX)
            return true;
    return false;
}

static HeatRow row_of_golden(const RatioGrid *both, size_t object, Arena *arena)
{
    const MonitorGrid *golden = both->golden;
    const GridObject *at = &golden->objects[object];
    bool own = !golden->rows_are_many;
    HeatRow row = own ? golden->rows[at->row] : (HeatRow){.label = at->name};
    row.title = str_printf(arena, tr(STR_FMT ", only in " STR_FMT), STR_ARG(at->name),
                           STR_ARG(both->pairing->golden->name));
    return row;
}

// What only golden has comes after the rows of the target, as long as there is room for rows; the
// rest is counted, and the table names it.
static void add_golden_rows(RatioGrid *both, Arena *arena)
{
    const MonitorGrid *golden = both->golden;
    MonitorGrid *grid = &both->grid;
    HeatRow *rows = ARENA_ARRAY(arena, HeatRow, HEAT_ROWS_MAX + 1);
    memcpy(rows, grid->rows, grid->row_count * sizeof *rows);
    grid->rows = rows;
    both->golden_row_of = ARENA_ARRAY(arena, size_t, golden->object_count + 1);
    for (size_t o = 0; o < golden->object_count; o++) {
        both->golden_row_of[o] = SIZE_MAX;
        if (has_partner(golden, o, both->pairing->target_of))
            continue;
        both->golden_only++;
        if (grid->row_count == HEAT_ROWS_MAX)
            continue;
        both->golden_row_of[o] = grid->row_count;
        rows[grid->row_count++] = row_of_golden(both, o, arena);
    }
}

// ---- cells

static void put_series(const MonitorGrid *grid, size_t index, const size_t *column_of, double *row)
{
    const MonitorSeries *series = &grid->run->series[index];
    for (size_t i = 0; i < series->count; i++)
        monitor_grid_put(&row[column_of[series->points[i].step]],
                         monitor_grid_cell(grid, index, series->points[i].value));
}

static void fill_golden_only(const RatioGrid *both, double *cells)
{
    const MonitorGrid *grid = both->golden;
    for (size_t o = 0; grid && o < grid->object_count; o++) {
        if (both->golden_row_of[o] == SIZE_MAX)
            continue;
        double *row = cells + both->golden_row_of[o] * both->grid.column_count;
        for (size_t s = grid->objects[o].from; s < grid->objects[o].to; s++)
            if (grid->run->series[s].object.op == grid->op)
                put_series(grid, s, both->golden_column_of, row);
    }
}

static void fill_series(const RatioGrid *both, size_t index, size_t row, double *cells[PANELS])
{
    const MonitorPairing *pairing = both->pairing;
    const MonitorGrid *grid = &both->grid;
    const MonitorSeries *series = &grid->run->series[index];
    const MonitorSeries *golden = &pairing->golden->series[pairing->golden_of[index]];
    double base = monitor_series_base(golden),
           *own = cells[PANEL_GOLDEN] + row * grid->column_count;
    for (size_t i = 0; i < golden->count; i++)
        monitor_grid_put(&own[both->golden_column_of[golden->points[i].step]],
                         log_ratio(golden->points[i].value, base));
    put_series(grid, index, grid->column_of, cells[PANEL_TARGET] + row * grid->column_count);
    for (size_t i = 0; i < series->count; i++) {
        size_t cell = row * grid->column_count + grid->column_of[series->points[i].step];
        double other =
            monitor_value_at(pairing->golden, golden, grid->run->steps[series->points[i].step]);
        if (!monitor_is_absent(other))
            monitor_grid_put(&cells[PANEL_RATIO][cell], log_ratio(series->points[i].value, other));
    }
}

static void fill(const RatioGrid *both, double *cells[PANELS])
{
    const MonitorGrid *grid = &both->grid;
    const size_t *golden_of = both->pairing->golden_of;
    for (size_t o = 0; o < grid->object_count; o++) {
        bool alone = !has_partner(grid, o, golden_of);
        for (size_t s = grid->objects[o].from; s < grid->objects[o].to; s++) {
            if (grid->run->series[s].object.op != grid->op)
                continue;
            if (golden_of[s] != SIZE_MAX)
                fill_series(both, s, grid->objects[o].row, cells);
            else if (alone)
                put_series(grid, s, grid->column_of,
                           cells[PANEL_TARGET] + grid->objects[o].row * grid->column_count);
        }
    }
    fill_golden_only(both, cells[PANEL_GOLDEN]);
}

static void add_only(StrBuf *text, size_t count, Str run)
{
    if (count == 1)
        strbuf_printf(text, tr(" · 1 name only in " STR_FMT), STR_ARG(run));
    else if (count)
        strbuf_printf(
            text, tr_count(count, " · %zu name only in " STR_FMT, " · %zu names only in " STR_FMT),
            count, STR_ARG(run));
}

static Str context_of(const RatioGrid *both, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    strbuf_printf(&text,
                  tr(STR_FMT ", " STR_FMT " · left and middle: ratio to the row's usual "
                             "value · right: target / golden, step by step"),
                  STR_ARG(both->grid.type_name), STR_ARG(both->grid.op_name));
    add_only(&text, both->golden_only, both->pairing->golden->name);
    add_only(&text, both->target_only, both->pairing->target->name);
    return strbuf_str(&text);
}

static Str safe_file(Arena *arena, Str type, Str op)
{
    Str name = str_printf(arena, "ratio-" STR_FMT "-" STR_FMT, STR_ARG(type), STR_ARG(op));
    return path_safe(arena, name, name.size);
}

// Which side a run is, where its name does not say it.
static Str side_note(const MonitorRun *run, const char *side)
{
    return str_equal(run->name, str_of(side)) ? STR("") : str_of(side);
}

static void draw_grid(const MonitorPairing *pairing, const MonitorGrid *of_target,
                      const MonitorGrid *of_golden, const Verdict *verdict, Arena *arena,
                      MonitorFigures *out)
{
    RatioGrid both = {.pairing = pairing, .grid = *of_target, .golden = of_golden};
    MonitorGrid *grid = &both.grid;
    monitor_grid_widen(grid, pairing->golden, arena, &both.golden_column_of);
    if (of_golden)
        add_golden_rows(&both, arena);
    for (size_t o = 0; o < grid->object_count; o++)
        both.target_only += !has_partner(grid, o, pairing->golden_of);
    double *cells[PANELS];
    for (size_t p = 0; p < PANELS; p++)
        cells[p] = monitor_grid_cells(grid->row_count, grid->column_count, arena);
    fill(&both, cells);
    HeatPanel panels[PANELS] = {
        {.title = pairing->golden->name,
         .note = side_note(pairing->golden, tr("golden")),
         .cells = cells[0],
         .absent_row = str_of(tr("missing in golden"))},
        {.title = pairing->target->name,
         .note = side_note(pairing->target, tr("target")),
         .cells = cells[1],
         .absent_row = str_of(tr("missing in the target"))},
        {.title = str_of(tr("target / golden")),
         .note = str_of(tr("largest of all ranks")),
         .cells = cells[2]},
    };
    HeatMap map = {.rows = grid->rows,
                   .row_count = grid->row_count,
                   .panels = panels,
                   .panel_count = PANELS,
                   .columns = grid->columns,
                   .column_count = grid->column_count,
                   .steps_a_column = grid->steps_a_column,
                   .column_title = str_of(tr("step")),
                   .scale_title = str_of(tr("ratio")),
                   .absent_text = str_of(tr("no value")),
                   .absent_row = str_of(tr("no partner"))};
    MonitorFigure *figure = ARRAY_PUSH(arena, out);
    *figure = (MonitorFigure){
        .kind = FIGURE_RATIO,
        .type = grid->type_name,
        .file = safe_file(arena, grid->type_name, grid->op_name),
        .heading = str_printf(arena, tr(STR_FMT ", " STR_FMT ": two runs and their ratio"),
                              STR_ARG(grid->type_name), STR_ARG(grid->op_name)),
        .scene = ARENA_NEW(arena, Scene)};
    scene_init(figure->scene, arena, str_cstr(arena, figure->file), PAGE_WIDTH);
    Verdict own = *verdict;
    own.context = context_of(&both, arena);
    figure->scene->description = own.context;
    heatmap_draw(figure->scene, &map);
    figure->scene = picture_with_verdict(figure->scene, &own, arena);
    picture_title_as(figure->scene, figure->heading, own.sentence, arena);
    figure->scene->caption = figure->scene->title;
}

static const MonitorGrid *find_grid(const MonitorGrid *grids, size_t count, const MonitorGrid *like)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(grids[i].type_name, like->type_name) &&
            str_equal(grids[i].op_name, like->op_name))
            return &grids[i];
    return NULL;
}

void monitor_ratio_figures(const MonitorPairing *pairing, const Verdict *verdict, Arena *arena,
                           MonitorFigures *out)
{
    MonitorGrid grids[GRIDS_MAX];
    MonitorGrid *goldens = ARENA_ARRAY(arena, MonitorGrid, GOLDEN_GRIDS_MAX);
    size_t count = monitor_grids(pairing->target, GRIDS_MAX, arena, grids);
    size_t golden_count = monitor_grids(pairing->golden, GOLDEN_GRIDS_MAX, arena, goldens);
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        for (size_t o = 0; o < grids[i].object_count && !any; o++)
            for (size_t s = grids[i].objects[o].from; s < grids[i].objects[o].to; s++)
                any = any || (pairing->golden_of[s] != SIZE_MAX &&
                              pairing->target->series[s].object.op == grids[i].op);
        if (any)
            draw_grid(pairing, &grids[i], find_grid(goldens, golden_count, &grids[i]), verdict,
                      arena, out);
    }
}
