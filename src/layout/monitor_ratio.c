// SPDX-License-Identifier: Apache-2.0
#include "layout/monitor_ratio.h"

#include <math.h>

#include "base/array.h"
#include "base/words.h"

enum { GRIDS_MAX = 16 };

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

// A grid over the steps of both runs.
typedef struct RatioGrid {
    const MonitorPairing *pairing;
    MonitorGrid grid;
    size_t *golden_column_of;
} RatioGrid;

static void fill_series(const RatioGrid *both, size_t index, size_t row, double *cells[PANELS])
{
    const MonitorPairing *pairing = both->pairing;
    const MonitorGrid *grid = &both->grid;
    const MonitorSeries *series = &grid->run->series[index];
    const MonitorSeries *golden = &pairing->golden->series[pairing->golden_of[index]];
    double base = monitor_series_base(golden);
    for (size_t i = 0; i < golden->count; i++) {
        size_t column = both->golden_column_of[golden->points[i].step];
        monitor_grid_put(&cells[PANEL_GOLDEN][row * grid->column_count + column],
                         log_ratio(golden->points[i].value, base));
    }
    for (size_t i = 0; i < series->count; i++) {
        size_t cell = row * grid->column_count + grid->column_of[series->points[i].step];
        double value = series->points[i].value;
        double other =
            monitor_value_at(pairing->golden, golden, grid->run->steps[series->points[i].step]);
        monitor_grid_put(&cells[PANEL_TARGET][cell], monitor_grid_cell(grid, index, value));
        if (!monitor_is_absent(other))
            monitor_grid_put(&cells[PANEL_RATIO][cell], log_ratio(value, other));
    }
}

static void fill(const RatioGrid *both, double *cells[PANELS])
{
    const MonitorGrid *grid = &both->grid;
    for (size_t o = 0; o < grid->object_count; o++)
        for (size_t s = grid->objects[o].from; s < grid->objects[o].to; s++)
            if (grid->run->series[s].object.op == grid->op &&
                both->pairing->golden_of[s] != SIZE_MAX)
                fill_series(both, s, grid->objects[o].row, cells);
}

static Str safe_file(Arena *arena, Str type, Str op)
{
    char *text = str_cstr(
        arena, str_printf(arena, "ratio-" STR_FMT "-" STR_FMT, STR_ARG(type), STR_ARG(op)));
    for (char *c = text; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '-' || *c == '_'))
            *c = '-';
    return str_of(text);
}

static void draw_grid(const MonitorPairing *pairing, const MonitorGrid *of_target,
                      const Verdict *verdict, Arena *arena, MonitorFigures *out)
{
    RatioGrid both = {.pairing = pairing, .grid = *of_target};
    MonitorGrid *grid = &both.grid;
    monitor_grid_widen(grid, pairing->golden, arena, &both.golden_column_of);
    double *cells[PANELS];
    for (size_t p = 0; p < PANELS; p++)
        cells[p] = monitor_grid_cells(grid, grid->row_count, grid->column_count, arena);
    fill(&both, cells);
    HeatPanel panels[PANELS] = {
        {.title = pairing->golden->name,         .note = str_of(tr("golden")), .cells = cells[0]},
        {.title = pairing->target->name,         .note = str_of(tr("target")), .cells = cells[1]},
        {.title = str_of(tr("target / golden")),
         .note = str_of(tr("what departs most of all ranks")),
         .cells = cells[2]                                                                      },
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
    scene_init(figure->scene, arena, str_cstr(arena, figure->file), 1200);
    Verdict own = *verdict;
    own.context = str_printf(arena,
                             tr(STR_FMT ", " STR_FMT " · left and middle: ratio to the row's usual "
                                        "value · right: target / golden, step by step"),
                             STR_ARG(grid->type_name), STR_ARG(grid->op_name));
    figure->scene->description = own.context;
    heatmap_draw(figure->scene, &own, &map);
}

void monitor_ratio_figures(const MonitorPairing *pairing, const Verdict *verdict, Arena *arena,
                           MonitorFigures *out)
{
    MonitorGrid grids[GRIDS_MAX];
    size_t count = monitor_grids(pairing->target, GRIDS_MAX, arena, grids);
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        for (size_t o = 0; o < grids[i].object_count && !any; o++)
            for (size_t s = grids[i].objects[o].from; s < grids[i].objects[o].to; s++)
                any = any || (pairing->golden_of[s] != SIZE_MAX &&
                              pairing->target->series[s].object.op == grids[i].op);
        if (any)
            draw_grid(pairing, &grids[i], verdict, arena, out);
    }
}
