// SPDX-License-Identifier: Apache-2.0
#include "picture/monitor/monitor_lines.h"

#include <math.h>

#include "base/sort.h"
#include "base/words.h"
#include "picture/kit/chart.h"
#include "picture/kit/heatmap_cells.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

#define AXIS    44.0  // room for the numbers left of the first panel
#define GAP_X   22.0
#define PANEL_H 96.0
enum { PANEL_COLUMNS = 4 };

// Ratios to the beginning over the steps at which some rank has a value.
typedef struct LinePanel {
    const GridObject *object;
    size_t index;
    int64_t loud_rank;   // INT64_MIN: none
    size_t count;        // of the steps
    double *low, *high;  // least to largest of the ranks
    PointColumns middle, loud, nans;
    size_t loud_count, nan_count, nan_steps;
} LinePanel;

typedef struct Lines {
    Scene *scene;
    Arena *arena;
    const MonitorView *view;
    const MonitorGrid *grid;
    LinePanel panels[MONITOR_LINES_MAX];
    size_t count;
    double low, high;  // of all panels
    double width;
} Lines;

// ---- which objects

static bool is_chosen(const Lines *lines, size_t object)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->panels[i].index == object)
            return true;
    return false;
}

static void choose(Lines *lines, size_t object, int64_t loud_rank)
{
    if (object == SIZE_MAX || lines->count == MONITOR_LINES_MAX || is_chosen(lines, object))
        return;
    lines->panels[lines->count++] = (LinePanel){
        .object = &lines->grid->objects[object], .index = object, .loud_rank = loud_rank};
}

static void choose_all(Lines *lines)
{
    const MonitorGrid *grid = lines->grid;
    for (size_t i = 0; i < lines->view->alarms.count && lines->count < 8; i++) {
        const Alarm *alarm = &lines->view->alarms.items[i];
        if (alarm->level != ALARM_WEAK && str_equal(alarm->type, grid->type_name))
            choose(lines, monitor_grid_object(grid, alarm->stage, alarm->name), alarm->rank);
    }
    size_t room = MONITOR_LINES_MAX - lines->count;
    size_t stride = grid->object_count > room ? (grid->object_count + room - 1) / room : 1;
    for (size_t o = 0; o < grid->object_count; o += stride)
        choose(lines, o, INT64_MIN);
}

// ---- values of a panel

// A larger distance of two steps is a gap.
static int64_t widest_of(const MonitorGrid *grid)
{
    int64_t least = INT64_MAX;
    for (size_t c = 1; c < grid->column_count; c++)
        if (grid->columns[c] != INT64_MIN && grid->columns[c - 1] != INT64_MIN &&
            grid->columns[c] - grid->columns[c - 1] < least)
            least = grid->columns[c] - grid->columns[c - 1];
    return least < INT64_MAX / 3 ? 3 * least : INT64_MAX;
}

static void fill_column(const MonitorGrid *grid, LinePanel *panel, const double *cells,
                        size_t column, double *values)
{
    size_t count = 0, nans = 0;
    int64_t step = grid->columns[column];
    if (!panel->middle.x || !panel->loud.x || !panel->nans.x)
        return;  // as clang-tidy does not follow where they are made
    for (size_t r = 0; r < grid->rank_count; r++) {
        double cell = cells[r * grid->column_count + column];
        HeatKind kind = heat_kind(cell);
        nans += kind == HEAT_IS_NAN || kind == HEAT_IS_INFINITY;
        if (kind != HEAT_VALUE)
            continue;
        values[count++] = pow(10, cell);
        if (grid->ranks[r] == panel->loud_rank)
            point_put(panel->loud, panel->loud_count++, (Point){step, values[count - 1]});
    }
    if (nans)
        point_put(panel->nans, panel->nan_steps++, (Point){step, (double)NAN});
    panel->nan_count += nans;
    if (count == 0)
        return;
    sort_doubles(values, count);
    size_t at = panel->count++;
    point_put(panel->middle, at, (Point){step, values[count / 2]});
    panel->low[at] = values[0];
    panel->high[at] = values[count - 1];
}

static void fill_panel(Lines *lines, LinePanel *panel)
{
    Arena *scratch = arena_new();
    const MonitorGrid *grid = lines->grid;
    const int64_t all = INT64_MIN;
    GridFill fill = {
        .only = panel->object, .ranks = &all, .panels = 1, .step = SIZE_MAX, .rank_rows = 1};
    const double *cells = *monitor_grid_fill(grid, &fill, scratch);
    double *values = ARENA_ARRAY(scratch, double, grid->rank_count + 1);
    size_t room = grid->column_count + 1;
    panel->middle = point_columns(lines->arena, room);
    panel->loud = point_columns(lines->arena, room);
    panel->nans = point_columns(lines->arena, room);
    panel->low = ARENA_ARRAY(lines->arena, double, room);
    panel->high = ARENA_ARRAY(lines->arena, double, room);
    for (size_t c = 0; c < grid->column_count; c++)
        if (grid->columns[c] != INT64_MIN)
            fill_column(grid, panel, cells, c, values);
    for (size_t i = 0; i < panel->count; i++) {
        lines->low = fmin(lines->low, panel->low[i]);
        lines->high = fmax(lines->high, panel->high[i]);
    }
    arena_release(scratch);
}

// ---- drawing

// The name, and what is said after it.
static void name_panel(const Lines *lines, const LinePanel *panel, ChartPanel *out)
{
    Str name = panel->object->name;
    StrBuf note = strbuf_new(lines->arena);
    if (panel->object->stage > 0)
        name = str_printf(lines->arena, tr(STR_FMT " (stage %lld)"), STR_ARG(name),
                          (long long)panel->object->stage);
    if (panel->loud_rank != INT64_MIN)
        strbuf_printf(&note, tr("rank %lld"), (long long)panel->loud_rank);
    if (panel->nan_count > 1)
        strbuf_printf(&note, "%s", panel->loud_rank != INT64_MIN ? " · " : "");
    if (panel->nan_count > 1)
        strbuf_printf(&note, tr("%zu with NaN or Inf"), panel->nan_count);
    out->note = strbuf_str(&note);
    double room = lines->width + GAP_X - text_width(out->note, SIZE_NOTE, 400) - 14;
    out->heading = text_fit(name, SIZE_TEXT, 700, room, lines->arena);
}

static double draw_panel(const Lines *lines, size_t index, double y)
{
    const LinePanel *panel = &lines->panels[index];
    const MonitorGrid *grid = lines->grid;
    size_t column = index % PANEL_COLUMNS;
    double left = PAGE_MARGIN + AXIS + (double)column * (lines->width + GAP_X);
    int64_t gap = widest_of(grid);
    bool loud = panel->loud_count > 0;
    Role middle = loud ? ROLE_INK3 : ROLE_GOLDEN;
    ChartFrame frame = {.left = left,
                        .right = left + lines->width,
                        .first = grid->columns[0],
                        .last = grid->columns[grid->column_count - 1],
                        .small = true,
                        .no_values = column > 0};
    ChartPanel out = {.height = PANEL_H, .log = true, .low = lines->low, .high = lines->high};
    name_panel(lines, panel, &out);
    out.band = (ChartBand){panel->middle.x,    panel->low, panel->high, panel->count, gap, NULL,
                           panel->object->name};
    chart_add_line(&out, (ChartLine){.points = panel->middle,
                                     .count = panel->count,
                                     .gap = gap,
                                     .role = middle,
                                     .width = 1.2F,
                                     .title = panel->object->name});
    chart_add_line(&out, (ChartLine){.points = panel->loud,
                                     .count = panel->loud_count,
                                     .gap = gap,
                                     .role = ROLE_TARGET,
                                     .width = 1.3F,
                                     .raw = true,
                                     .title = panel->object->name});
    chart_add_line(&out, (ChartLine){.points = panel->nans,
                                     .count = panel->nan_steps,
                                     .gap = gap,
                                     .role = ROLE_TARGET,
                                     .raw = true,
                                     .title = panel->object->name});
    return chart_panel(lines->scene, &frame, &out, y, &(ChartCounts){0});
}

// One scale for all panels, from ÷2 to ×2 at least and ÷1000 to ×1000 at most; what is beyond ends
// at the edge.
void monitor_lines_draw(Scene *scene, const MonitorView *view, const MonitorGrid *grid)
{
    double y = 16, end = y;
    Lines *lines = ARENA_NEW(scene->arena, Lines);
    *lines = (Lines){.scene = scene, .arena = scene->arena, .view = view, .grid = grid};
    lines->width =
        (PAGE_WIDTH - 2 * PAGE_MARGIN - AXIS - (PANEL_COLUMNS - 1) * GAP_X) / (double)PANEL_COLUMNS;
    lines->low = 0.5;
    lines->high = 2;
    choose_all(lines);
    for (size_t i = 0; i < lines->count; i++)
        fill_panel(lines, &lines->panels[i]);
    lines->low = fmax(lines->low, 1e-3) / 1.1;
    lines->high = fmin(lines->high, 1e3) * 1.1;
    for (size_t i = 0; i < lines->count; i++) {
        y = i % PANEL_COLUMNS ? y : end;
        end = draw_panel(lines, i, y);
    }
    Str shown =
        lines->count < grid->object_count
            ? str_printf(scene->arena, tr("%zu of %zu objects; "), lines->count, grid->object_count)
            : STR("");
    Str legend = str_printf(
        scene->arena,
        tr(STR_FMT "ratio to the beginning; line: median of the ranks; band: least to largest; "
                   "coloured line: the rank with the alarm; cross: NaN or Inf"),
        STR_ARG(shown));
    note_text(scene, PAGE_MARGIN + AXIS, end + 14, ANCHOR_START, legend);
    scene->height = end + 38;
}
