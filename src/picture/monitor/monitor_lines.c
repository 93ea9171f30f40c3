// SPDX-License-Identifier: Apache-2.0
#include "picture/monitor/monitor_lines.h"

#include <math.h>

#include "base/sort.h"
#include "base/words.h"
#include "picture/kit/chip.h"
#include "picture/kit/heatmap_cells.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

#define AXIS    44.0  // room for the numbers left of the first panel
#define GAP_X   22.0
#define GAP_Y   44.0
#define PANEL_H 96.0
enum { PANEL_COLUMNS = 4, BIN_PX = 2 };

// Smallest and largest of what falls into one bin of columns; absent where nothing does.
typedef struct Extent {
    double *low, *high;
} Extent;

typedef struct LinePanel {
    const GridObject *object;
    size_t index;
    int64_t loud_rank;          // INT64_MIN: none
    Extent band, middle, loud;  // by bin
    size_t *nans;               // by bin
} LinePanel;

typedef struct Lines {
    Scene *scene;
    Arena *arena;
    const MonitorView *view;
    const MonitorGrid *grid;
    LinePanel panels[MONITOR_LINES_MAX];
    size_t count;
    double low, high;  // of the scale, log10
    double width;
    size_t bins, columns_a_bin;
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

static Extent absent_extent(Lines *lines)
{
    Extent extent = {ARENA_ARRAY(lines->arena, double, lines->bins),
                     ARENA_ARRAY(lines->arena, double, lines->bins)};
    for (size_t b = 0; b < lines->bins; b++)
        extent.low[b] = extent.high[b] = heat_absent();
    return extent;
}

static bool has_value(const Extent *extent, size_t bin)
{
    return heat_kind(extent->low[bin]) == HEAT_VALUE;
}

static void widen(Extent *extent, size_t bin, double value)
{
    bool known = has_value(extent, bin);
    extent->low[bin] = known && extent->low[bin] < value ? extent->low[bin] : value;
    extent->high[bin] = known && extent->high[bin] > value ? extent->high[bin] : value;
}

static void fill_column(const Lines *lines, LinePanel *panel, const double *cells, size_t column,
                        double *values)
{
    const MonitorGrid *grid = lines->grid;
    size_t count = 0, bin = column / lines->columns_a_bin;
    for (size_t r = 0; r < grid->rank_count; r++) {
        double cell = cells[r * grid->column_count + column];
        HeatKind kind = heat_kind(cell);
        if (kind == HEAT_VALUE)
            values[count++] = cell;
        panel->nans[bin] += kind == HEAT_IS_NAN || kind == HEAT_IS_INFINITY;
        if (grid->ranks[r] == panel->loud_rank && kind == HEAT_VALUE)
            widen(&panel->loud, bin, cell);
    }
    if (count == 0)
        return;
    sort_doubles(values, count);
    widen(&panel->band, bin, values[0]);
    widen(&panel->band, bin, values[count - 1]);
    widen(&panel->middle, bin, values[count / 2]);
}

static void fill_panel(Lines *lines, LinePanel *panel)
{
    Arena *scratch = arena_new();
    const int64_t all = INT64_MIN;
    GridFill fill = {
        .only = panel->object, .ranks = &all, .panels = 1, .step = SIZE_MAX, .rank_rows = 1};
    const double *cells = *monitor_grid_fill(lines->grid, &fill, scratch);
    double *values = ARENA_ARRAY(scratch, double, lines->grid->rank_count + 1);
    panel->band = absent_extent(lines);
    panel->middle = absent_extent(lines);
    panel->loud = absent_extent(lines);
    panel->nans = ARENA_ARRAY(lines->arena, size_t, lines->bins);
    for (size_t c = 0; c < lines->grid->column_count; c++)
        fill_column(lines, panel, cells, c, values);
    arena_release(scratch);
}

// One scale for all panels, from ÷2 to ×2 at least and ÷1000 to ×1000 at most; what is beyond ends
// at the rim.
static void find_scale(Lines *lines)
{
    lines->low = -log10(2);
    lines->high = log10(2);
    for (size_t p = 0; p < lines->count; p++)
        for (size_t b = 0; b < lines->bins; b++) {
            const Extent *band = &lines->panels[p].band;
            if (!has_value(band, b))
                continue;
            lines->low = band->low[b] < lines->low ? band->low[b] : lines->low;
            lines->high = band->high[b] > lines->high ? band->high[b] : lines->high;
        }
    lines->low = lines->low < -3 ? -3 : lines->low;
    lines->high = lines->high > 3 ? 3 : lines->high;
    double margin = 0.05 * (lines->high - lines->low);
    lines->low -= margin;
    lines->high += margin;
}

// ---- drawing

static double x_of(const Lines *lines, double left, size_t bin)
{
    return left + ((double)bin + 0.5) / (double)lines->bins * lines->width;
}

static double y_of(const Lines *lines, double top, double value)
{
    double share = (value - lines->low) / (lines->high - lines->low);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return top + PANEL_H * (1 - share);
}

// Where a bin holds several values, the line goes through the smallest and the largest of them.
static void draw_line(Lines *lines, const Extent *row, double left, double top, Role role,
                      float width)
{
    PathSteps steps = {0};
    bool open = false;
    for (size_t b = 0; b < lines->bins; b++) {
        bool value = has_value(row, b);
        if (value)
            steps_add(&steps, lines->arena, open ? PATH_LINE : PATH_MOVE, x_of(lines, left, b),
                      y_of(lines, top, row->low[b]));
        if (value && row->high[b] > row->low[b])
            steps_add(&steps, lines->arena, PATH_LINE, x_of(lines, left, b),
                      y_of(lines, top, row->high[b]));
        bool alone = value && !open && (b + 1 == lines->bins || !has_value(row, b + 1));
        if (alone)  // a line of one point is nothing
            scene_circle(lines->scene, x_of(lines, left, b), y_of(lines, top, row->low[b]),
                         width * 0.5 + 1.2, role, ROLE_NONE);
        open = value;
    }
    if (steps.count == 0)
        return;
    Item *item = scene_path(lines->scene, steps.items, steps.count, ROLE_NONE, role);
    item->paint.width = width;
}

// From `from` to `to`, without a gap between them.
static void draw_band_piece(Lines *lines, const LinePanel *panel, size_t from, size_t to,
                            double left, double top)
{
    PathSteps steps = {0};
    for (size_t b = from; b < to; b++)
        steps_add(&steps, lines->arena, b == from ? PATH_MOVE : PATH_LINE, x_of(lines, left, b),
                  y_of(lines, top, panel->band.high[b]));
    for (size_t b = to; b-- > from;)
        steps_add(&steps, lines->arena, PATH_LINE, x_of(lines, left, b),
                  y_of(lines, top, panel->band.low[b]));
    steps_add(&steps, lines->arena, PATH_CLOSE, steps.items[0].x, steps.items[0].y);
    scene_path(lines->scene, steps.items, steps.count, ROLE_NOISEBAND, ROLE_NONE);
}

static void draw_band(Lines *lines, const LinePanel *panel, double left, double top)
{
    for (size_t from = 0, to; from < lines->bins; from = to) {
        to = from + 1;
        if (!has_value(&panel->band, from))
            continue;
        while (to < lines->bins && has_value(&panel->band, to))
            to++;
        draw_band_piece(lines, panel, from, to, left, top);
    }
}

static void draw_nans(Lines *lines, const LinePanel *panel, double left, double top)
{
    size_t shown = 0, count = 0;
    double free_from = -1;
    for (size_t b = 0; b < lines->bins; b++) {
        if (panel->nans[b] == 0)
            continue;
        count += panel->nans[b];
        double x = x_of(lines, left, b);
        if (x < free_from || shown == 40)
            continue;
        cross_draw(lines->scene, x, top + PANEL_H - 5, 3);
        free_from = x + 5;
        shown++;
    }
    if (count > 1)
        scene_text(lines->scene, left + lines->width, top + 11, SIZE_TINY, 400, ANCHOR_END,
                   ROLE_NAN, str_printf(lines->arena, tr("%zu with NaN or Inf"), count));
}

static void draw_title(Lines *lines, const LinePanel *panel, double left, double top)
{
    bool loud = panel->loud_rank != INT64_MIN;
    Str rank =
        loud ? str_printf(lines->arena, tr("rank %lld"), (long long)panel->loud_rank) : STR("");
    double room = lines->width - (loud ? text_width(rank, SIZE_TINY, 600) + 10 : 0);
    Str name = panel->object->name;
    if (panel->object->stage > 0)
        name = str_printf(lines->arena, tr(STR_FMT " (stage %lld)"), STR_ARG(name),
                          (long long)panel->object->stage);
    Str label = text_fit(name, SIZE_NOTE, loud ? 700 : 400, room, lines->arena);
    Item *item = scene_text(lines->scene, left, top - 6, SIZE_NOTE, loud ? 700 : 400, ANCHOR_START,
                            loud ? ROLE_INK : ROLE_INK2, label);
    scene_title(lines->scene, item, STR_FMT, STR_ARG(name));
    if (loud)
        scene_text(lines->scene, left + lines->width, top - 6, SIZE_TINY, 600, ANCHOR_END,
                   ROLE_TARGET, rank);
}

static void draw_scale(Lines *lines, double left, double top, bool labels)
{
    static const double ticks[] = {0.001, 0.01, 0.1, 0.5, 1, 2, 10, 100, 1000};
    static const char *const names[] = {"÷1000", "÷100", "÷10",  "÷2",   "×1",
                                        "×2",    "×10",  "×100", "×1000"};
    double last = -100;
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        double value = log10(ticks[i]);
        if (value < lines->low || value > lines->high)
            continue;
        double y = y_of(lines, top, value);
        scene_line(lines->scene, left, y, left + lines->width, y,
                   ticks[i] == 1 ? ROLE_RULE : ROLE_HAIR);
        if (!labels || fabs(y - last) < 13)
            continue;
        scene_text(lines->scene, left - 6, y + 3.5, SIZE_TINY, 400, ANCHOR_END, ROLE_INK3,
                   str_of(names[i]));
        last = y;
    }
}

static void draw_steps(Lines *lines, double left, double top)
{
    size_t last = lines->grid->column_count - 1;
    for (int end = 0; end < 2; end++) {
        size_t column = end ? last : 0;
        if (end && last == 0)
            break;
        scene_text(lines->scene, x_of(lines, left, end ? lines->bins - 1 : 0), top + PANEL_H + 14,
                   SIZE_TINY, 400, end ? ANCHOR_END : ANCHOR_START, ROLE_INK3,
                   str_printf(lines->arena, "%lld", (long long)lines->grid->columns[column]));
    }
}

static void draw_panel(Lines *lines, size_t index, double y)
{
    const LinePanel *panel = &lines->panels[index];
    double left = PAGE_MARGIN + AXIS + (double)(index % PANEL_COLUMNS) * (lines->width + GAP_X);
    double top = y + (double)(index / PANEL_COLUMNS) * (PANEL_H + GAP_Y);
    draw_scale(lines, left, top, index % PANEL_COLUMNS == 0);
    draw_band(lines, panel, left, top);
    bool loud = panel->loud_rank != INT64_MIN;
    draw_line(lines, &panel->middle, left, top, loud ? ROLE_INK3 : ROLE_GOLDEN, 1.2F);
    draw_line(lines, &panel->loud, left, top, ROLE_TARGET, 1.3F);
    draw_nans(lines, panel, left, top);
    draw_title(lines, panel, left, top);
    draw_steps(lines, left, top);
}

void monitor_lines_draw(Scene *scene, const MonitorView *view, const MonitorGrid *grid)
{
    double y = 30;
    Lines *lines = ARENA_NEW(scene->arena, Lines);
    *lines = (Lines){.scene = scene, .arena = scene->arena, .view = view, .grid = grid};
    lines->width =
        (PAGE_WIDTH - 2 * PAGE_MARGIN - AXIS - (PANEL_COLUMNS - 1) * GAP_X) / (double)PANEL_COLUMNS;
    size_t most = (size_t)(lines->width / BIN_PX);
    lines->columns_a_bin = (grid->column_count + most - 1) / most;
    lines->bins = (grid->column_count + lines->columns_a_bin - 1) / lines->columns_a_bin;
    choose_all(lines);
    for (size_t i = 0; i < lines->count; i++)
        fill_panel(lines, &lines->panels[i]);
    find_scale(lines);
    for (size_t i = 0; i < lines->count; i++)
        draw_panel(lines, i, y);
    size_t rows = (lines->count + PANEL_COLUMNS - 1) / PANEL_COLUMNS;
    y += (double)rows * (PANEL_H + GAP_Y) + 4;
    Str shown =
        lines->count < grid->object_count
            ? str_printf(scene->arena, tr("%zu of %zu objects; "), lines->count, grid->object_count)
            : STR("");
    Str legend =
        str_printf(scene->arena,
                   tr(STR_FMT "line: median of the ranks; band: least to largest; coloured "
                              "line: the rank with the alarm; cross: NaN or Inf"),
                   STR_ARG(shown));
    scene_text(scene, PAGE_MARGIN + AXIS, y, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK2, legend);
    scene->height = y + 24;
}
