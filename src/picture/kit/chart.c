// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/chart.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "picture/kit/thin.h"
#include "scene/text_width.h"
#include "trend/curves/smooth.h"
#include "verdict/figure_text.h"

enum { EDGE_MARK_ROOM = 9, END_HEIGHT = 27, END_HEIGHT_SHORT = 16, END_GAP = 6 };

typedef struct Plot {
    Scene *scene;
    const ChartFrame *frame;
    const ChartPanel *panel;
    Axis x, y;
    double top, bottom;
    ChartCounts *counts;
} Plot;

void chart_add_line(ChartPanel *panel, ChartLine line)
{
    if (panel->line_count < CHART_LINES)
        panel->lines[panel->line_count++] = line;
    else
        panel->lines_left_out++;
}

void chart_add_level(ChartPanel *panel, ChartLevel level)
{
    if (panel->level_count < CHART_LEVELS)
        panel->levels[panel->level_count++] = level;
}

void chart_add_end(ChartPanel *panel, ChartEnd end)
{
    if (panel->end_count < CHART_ENDS)
        panel->ends[panel->end_count++] = end;
    else
        panel->ends_left_out++;
}

double chart_x(const ChartFrame *frame, int64_t step)
{
    if (frame->last <= frame->first)
        return (frame->left + frame->right) / 2;
    double share =
        ((double)step - (double)frame->first) / ((double)frame->last - (double)frame->first);
    return frame->left + share * (frame->right - frame->left);
}

static double within(const Plot *plot, double value)
{
    if (plot->y.log && value <= 0)
        return plot->bottom;
    double y = axis_at(&plot->y, value);
    return y < plot->top ? plot->top : y > plot->bottom ? plot->bottom : y;
}

// ---- Axes

static void draw_tick_label(const Plot *plot, const AxisTick *tick, double y)
{
    double x = plot->frame->left - 8;
    float size = plot->frame->small ? SIZE_TINY : SIZE_NOTE;
    if (plot->frame->no_values)
        return;
    if (tick->decade)
        figure_decade(plot->scene, x, y + 4, size, ANCHOR_END, ROLE_INK3, tick->exponent);
    else if (tick->label.size)
        scene_text(plot->scene, x, y + 4, size, 400, ANCHOR_END, ROLE_INK3, tick->label);
}

static void draw_y_axis(const Plot *plot)
{
    double left = plot->frame->left, right = plot->frame->right;
    for (size_t i = 0; i < plot->y.count; i++) {
        const AxisTick *tick = &plot->y.ticks[i];
        double y = axis_at(&plot->y, tick->value);
        if (tick->label.size || tick->decade)
            scene_line(plot->scene, left, y, right, y, ROLE_HAIR);
        draw_tick_label(plot, tick, y);
    }
}

static void draw_x_axis(const Plot *plot)
{
    Scene *scene = plot->scene;
    double y = plot->bottom;
    double right_edge = -1;
    scene_line(scene, plot->frame->left, y, plot->frame->right, y, ROLE_RULE);
    for (size_t i = 0; i < plot->x.count; i++) {
        const AxisTick *tick = &plot->x.ticks[i];
        double x = axis_at(&plot->x, tick->value);
        double half = text_width(tick->label, SIZE_NOTE, 400) / 2;
        if (i > 0)
            scene_line(scene, x, plot->top, x, y, ROLE_HAIR);
        scene_line(scene, x, y, x, y + 4, ROLE_RULE);
        if (x - half < right_edge + 4 || plot->frame->no_steps)
            continue;
        right_edge = x + half;
        scene_text(scene, x, y + 17, plot->frame->small ? SIZE_TINY : SIZE_NOTE, 400, ANCHOR_MIDDLE,
                   ROLE_INK3, tick->label);
    }
    if (plot->panel->x_title)
        scene_text(scene, (plot->frame->left + plot->frame->right) / 2, y + 32, SIZE_NOTE, 400,
                   ANCHOR_MIDDLE, ROLE_INK3, str_of(plot->panel->x_title));
}

// ---- What is drawn between the axes

// The edges of a stretch of a band, a vertex a pixel column.
typedef struct BandEdges {
    double *at, *low, *high;
    size_t count, capacity;
} BandEdges;

static void add_edge(BandEdges *edges, double x, double low, double high)
{
    edges->at[edges->count] = x;
    edges->low[edges->count] = low;
    edges->high[edges->count++] = high;
}

// Per pixel column the widest: the least of the lower and the most of the upper edge.
static void widen_edge(BandEdges *edges, double low, double high)
{
    size_t last = edges->count - 1;
    edges->high[last] = high < edges->high[last] ? high : edges->high[last];
    edges->low[last] = low > edges->low[last] ? low : edges->low[last];
}

static double rounded(double px)
{
    return round(px * 10) / 10;
}

static void draw_stretch(const Plot *plot, BandEdges *edges)
{
    if (edges->count == 1) {  // a lonely point: a pixel wide
        add_edge(edges, edges->at[0] + 0.5, edges->low[0], edges->high[0]);
        edges->at[0] -= 0.5;
    }
    size_t used = edges->count;
    PathStep *steps = ARENA_ARRAY(plot->scene->arena, PathStep, 2 * used + 1);
    for (size_t i = 0; i < used; i++) {
        double x = rounded(edges->at[i]);
        steps[i] =
            (PathStep){.verb = i ? PATH_LINE : PATH_MOVE, .x = x, .y = rounded(edges->high[i])};
        steps[2 * used - 1 - i] =
            (PathStep){.verb = PATH_LINE, .x = x, .y = rounded(edges->low[i])};
    }
    steps[2 * used] = (PathStep){.verb = PATH_CLOSE};
    Item *item = scene_path(plot->scene, steps, 2 * used + 1, ROLE_NOISEBAND, ROLE_NONE);
    scene_title(plot->scene, item, STR_FMT, STR_ARG(plot->panel->band.title));
    edges->count = 0;
}

static bool breaks_before(const ChartBand *band, size_t point)
{
    return band->apart ? band->apart[point] : band->x[point] - band->x[point - 1] > band->gap;
}

// What lies in one pixel column is one, gap or not: so there are never more stretches than columns.
static void draw_band(const Plot *plot)
{
    const ChartBand *band = &plot->panel->band;
    Arena *arena = plot->scene->arena;
    size_t columns = (size_t)(plot->frame->right - plot->frame->left) + 1;
    BandEdges edges = {.at = ARENA_ARRAY(arena, double, columns + 1),
                       .low = ARENA_ARRAY(arena, double, columns + 1),
                       .high = ARENA_ARRAY(arena, double, columns + 1),
                       .capacity = columns};
    for (size_t i = 0; i < band->count; i++) {
        double x = chart_x(plot->frame, band->x[i]);
        double high = within(plot, band->high[i]), low = within(plot, band->low[i]);
        bool fresh = edges.count == 0 || x - edges.at[edges.count - 1] >= 1;
        if (fresh && edges.count && breaks_before(band, i))
            draw_stretch(plot, &edges);
        if (fresh && edges.count < edges.capacity)
            add_edge(&edges, x, low, high);
        widen_edge(&edges, low, high);
    }
    if (edges.count)
        draw_stretch(plot, &edges);
}

static void draw_levels(const Plot *plot)
{
    for (size_t i = 0; i < plot->panel->level_count; i++) {
        const ChartLevel *level = &plot->panel->levels[i];
        if (!(level->value >= plot->y.low && level->value <= plot->y.high))
            continue;
        double y = axis_at(&plot->y, level->value);
        Item *item = scene_line(plot->scene, plot->frame->left, y, plot->frame->right, y,
                                level->solid ? ROLE_INK : ROLE_INK3);
        if (!level->solid) {
            item->paint.dash = 6;
            item->paint.gap = 4;
        }
    }
}

static void draw_triangle(const Plot *plot, double x, bool top, double value, Role role)
{
    double y = top ? plot->top : plot->bottom, tip = top ? -1 : 1;
    PathStep steps[] = {
        {.verb = PATH_MOVE, .x = x - 4, .y = y + tip * 2},
        {.verb = PATH_LINE, .x = x + 4, .y = y + tip * 2},
        {.verb = PATH_LINE, .x = x, .y = y + tip * 8},
        {.verb = PATH_CLOSE},
    };
    Item *item = scene_path(plot->scene, steps, 4, role, ROLE_NONE);
    Str text = figure_number(value, 4, plot->scene->arena);
    scene_title(plot->scene, item, STR_FMT, STR_ARG(text));
}

// So many marks at an edge are seen as marks; more stand for stretches.
enum { EDGE_MARKS_MOST = 40 };

static double mark_room(const Plot *plot, const ChartLine *line)
{
    size_t outside = 0;
    for (size_t i = 0; i < line->count; i++) {
        double value = line->points.value[i];
        outside += !point_is_absent(value) && !(value >= plot->y.low && value <= plot->y.high);
    }
    return outside <= EDGE_MARKS_MOST
               ? EDGE_MARK_ROOM
               : fmax(EDGE_MARK_ROOM, (plot->frame->right - plot->frame->left) / EDGE_MARKS_MOST);
}

// Points beyond the range: a triangle at the edge. NaN: a cross at the lower edge. One a stretch of
// pixels; all are counted.
static void mark_edges(const Plot *plot, const ChartLine *line)
{
    double last_x[3] = {-1e9, -1e9, -1e9}, room = mark_room(plot, line);
    for (size_t i = 0; i < line->count; i++) {
        Point point = point_at(line->points, i);
        bool nan = isnan(point.value), above = !nan && point.value > plot->y.high;
        bool below = !nan && point.value < plot->y.low;
        if (point_is_absent(point.value) || (!nan && !above && !below))
            continue;
        plot->counts->nan += nan;
        plot->counts->clipped += !nan;
        int kind = nan ? 0 : above ? 1 : 2;
        double x = chart_x(plot->frame, point.x);
        if (x - last_x[kind] < room)
            continue;
        last_x[kind] = x;
        if (nan)
            cross_draw(plot->scene, x, plot->bottom - 5, 3.5);
        else
            draw_triangle(plot, x, above, point.value, line->role);
    }
}

// A pixel column of so many points is a wall: where most of them lie, and single extremes, say
// more.
enum { WALL_POINTS = 64, EXTREMES_MOST = 40 };
#define EXTREME_TIMES 2  // times the width of the band beyond it

typedef struct WallColumn {
    double x, low, high, least, most;
} WallColumn;

static size_t wall_columns(const Plot *plot, const ChartLine *line, Arena *scratch, WallColumn *out)
{
    double *values = ARENA_ARRAY(scratch, double, line->count + 1);
    size_t columns = 0, count = 0;
    for (size_t i = 0; i <= line->count; i++) {
        double at = i < line->count ? floor(chart_x(plot->frame, line->points.x[i])) : INFINITY;
        if (count && at != out[columns].x) {
            WallColumn *column = &out[columns++];
            column->low = quantile_of(values, count, 0.05);
            column->high = quantile_of(values, count, 0.95);
            count = 0;
        }
        if (i == line->count || !isfinite(line->points.value[i]))
            continue;
        double value = line->points.value[i];
        WallColumn *column = &out[columns];
        if (count == 0)
            *column = (WallColumn){.x = at, .least = value, .most = value};
        column->least = fmin(column->least, value);
        column->most = fmax(column->most, value);
        values[count++] = value;
    }
    return columns;
}

static void draw_wall(const Plot *plot, const ChartLine *line)
{
    Arena *scratch = arena_new();
    size_t most = (size_t)(plot->frame->right - plot->frame->left) + 2, extremes = 0;
    WallColumn *columns = ARENA_ARRAY(scratch, WallColumn, most + 1);
    size_t count = wall_columns(plot, line, scratch, columns);
    PathStep *steps = ARENA_ARRAY(plot->scene->arena, PathStep, 2 * count + 2);
    for (size_t i = 0; i < count; i++) {
        const WallColumn *at = &columns[i];
        steps[i] =
            (PathStep){.verb = i ? PATH_LINE : PATH_MOVE, .x = at->x, .y = within(plot, at->high)};
        steps[2 * count - 1 - i] =
            (PathStep){.verb = PATH_LINE, .x = at->x, .y = within(plot, at->low)};
    }
    steps[2 * count] = (PathStep){.verb = PATH_CLOSE};
    Item *item = scene_path(plot->scene, steps, 2 * count + 1, line->role, ROLE_NONE);
    item->paint.opacity = line->opacity;
    scene_title(plot->scene, item, STR_FMT, STR_ARG(line->title));
    for (size_t i = 0; i < count && extremes < EXTREMES_MOST; i++) {
        const WallColumn *at = &columns[i];
        double wide = EXTREME_TIMES * (at->high - at->low), ends[] = {at->least, at->most};
        for (int k = 0; k < 2; k++)
            if ((k ? ends[k] - at->high : at->low - ends[k]) > wide && ends[k] >= plot->y.low &&
                ends[k] <= plot->y.high && extremes++ < EXTREMES_MOST)
                scene_circle(plot->scene, at->x, within(plot, ends[k]), 1.6, line->role, ROLE_NONE);
    }
    plot->counts->columns = count > plot->counts->columns ? count : plot->counts->columns;
    plot->counts->walls++;
    mark_edges(plot, line);
    arena_release(scratch);
}

static bool is_wall(const Plot *plot, const ChartLine *line)
{
    double columns = plot->frame->right - plot->frame->left;
    return line->raw && line->opacity > 0 && line->opacity < 1 && line->width > 0 &&
           (double)line->count > WALL_POINTS * columns;
}

static void draw_line(const Plot *plot, const ChartLine *line)
{
    if (is_wall(plot, line)) {
        draw_wall(plot, line);
        return;
    }
    ThinPlace place = {.x = &plot->x,
                       .y = &plot->y,
                       .top = plot->top,
                       .bottom = plot->bottom,
                       .gap = line->gap,
                       .column = line->column > 0 ? line->column : plot->frame->column};
    ThinPath path = {0};
    thin_points(line->points, line->count, &place, plot->scene->arena, &path);
    if (path.count && line->width > 0) {
        Item *item = scene_path(plot->scene, path.steps, path.count, ROLE_NONE, line->role);
        item->paint.width = line->width;
        item->paint.opacity = line->opacity;
        item->paint.dash = line->dash;
        item->paint.gap = line->dash > 0 ? 3 : 0;
        scene_title(plot->scene, item, STR_FMT, STR_ARG(line->title));
    }
    for (size_t i = 0; i < path.lonely_count && i < 2000 && line->width > 0; i++)
        scene_circle(plot->scene, chart_x(plot->frame, path.lonely[i].x),
                     within(plot, path.lonely[i].value), line->width * 0.5 + 1.6, line->role,
                     ROLE_NONE);
    if (line->raw && path.columns > plot->counts->columns)
        plot->counts->columns = path.columns;
    if (line->raw)
        mark_edges(plot, line);
}

// ---- Labels at the right

// Pushes labels apart, keeping their order from top to bottom and all of them above `bottom`.
static void push_apart(double *y, size_t count, double room, double top, double bottom)
{
    for (size_t i = 0; i < count; i++) {
        double least = i ? y[i - 1] + room : top;
        y[i] = y[i] < least ? least : y[i];
    }
    for (size_t i = count; i > 0; i--) {
        double most = i == count ? bottom : y[i] - room;
        y[i - 1] = y[i - 1] > most ? most : y[i - 1];
    }
}

static void draw_sample(const Plot *plot, const ChartEnd *end, double y)
{
    double x = plot->frame->right + 7;
    if (end->patch) {
        scene_box(plot->scene, x + 2, y - 9, 12, 11, end->role, ROLE_NONE);
    } else if (end->width > 0) {
        Item *line = scene_line(plot->scene, x, y - 4, x + 10, y - 4, end->role);
        line->paint.width = end->width;
        line->paint.dash = fminf(end->dash, 4);
        line->paint.gap = end->dash > 0 ? 2 : 0;
    }
}

// Names are cut to their room, numbers never. `one_line`: the value is next to the name.
// The texts of an end; the name is below where the end says so.
typedef struct EndText {
    Str name, value;
    double x, room;
    int weight;
    bool beside;
} EndText;

static EndText end_text(const Plot *plot, const ChartEnd *end, bool one_line)
{
    EndText out = {.x = plot->frame->right + (end->width > 0 ? 22
                                              : end->patch   ? 24
                                                             : 14),
                   .weight = end->patch ? 400 : 600,
                   .name = one_line && end->brief_name.size ? end->brief_name : end->name,
                   .value = one_line && end->brief.size ? end->brief : end->value};
    out.beside = one_line && out.value.size;
    out.room = plot->scene->width - 8 - out.x;
    if (out.beside)
        out.room -= END_GAP + (end->named_below ? text_width(out.name, SIZE_TEXT, out.weight)
                                                : text_width(out.value, SIZE_NOTE, 400));
    return out;
}

static void draw_end(const Plot *plot, const ChartEnd *end, const EndText *text, Str cut, double y)
{
    Scene *scene = plot->scene;
    Str name = end->named_below ? text->name : cut, value = end->named_below ? cut : text->value;
    Str whole = end->named_below ? text->value : text->name;
    draw_sample(plot, end, y);
    const Span spans[] = {
        {.text = name},
        {.text = value, .role = ROLE_INK2, .size = SIZE_NOTE, .weight = 400, .dx = END_GAP}};
    Item *item = scene_spans(scene, text->x, y, SIZE_TEXT, ANCHOR_START,
                             end->patch ? ROLE_INK2 : end->role, spans, text->beside ? 2 : 1);
    item->as.text.weight = text->weight;
    if (!str_equal(cut, whole))
        scene_title(scene, item, STR_FMT, STR_ARG(whole));
    if (value.size && !text->beside)
        note_text(scene, text->x, y + 13, ANCHOR_START, value);
}

// Names cut to their rooms. Where two would be equal, all are cut to the smallest room so that they
// differ.
static void cut_ends(const Plot *plot, const EndText *texts, Str *cuts)
{
    const ChartPanel *panel = plot->panel;
    Arena *arena = plot->scene->arena;
    Str wholes[CHART_ENDS];
    double least = INFINITY;
    bool equal = false;
    for (size_t i = 0; i < panel->end_count; i++) {
        bool below = panel->ends[i].named_below;
        wholes[i] = below ? texts[i].value : texts[i].name;
        cuts[i] = text_fit(wholes[i], below ? SIZE_NOTE : SIZE_TEXT, below ? 400 : texts[i].weight,
                           texts[i].room, arena);
        least = fmin(least, texts[i].room);
        for (size_t k = 0; k < i; k++)
            equal = equal || (str_equal(cuts[i], cuts[k]) && !str_equal(wholes[i], wholes[k]));
    }
    if (equal)
        text_fit_distinct(wholes, panel->end_count, SIZE_TEXT, 600, least, arena, cuts);
}

static void draw_ends(const Plot *plot)
{
    const ChartPanel *panel = plot->panel;
    double y[CHART_ENDS];
    size_t order[CHART_ENDS] = {0};
    bool tall = false;
    for (size_t i = 0; i < panel->end_count; i++) {
        size_t at = i;
        double want = within(plot, panel->ends[i].at) + 4;
        for (; at > 0 && y[at - 1] > want; at--) {
            y[at] = y[at - 1];
            order[at] = order[at - 1];
        }
        y[at] = want;
        order[at] = i;
        tall = tall || panel->ends[i].value.size;
    }
    double height = plot->bottom - plot->top;
    bool close = tall && (END_HEIGHT + 5) * (double)panel->end_count > height;
    push_apart(y, panel->end_count, tall && !close ? END_HEIGHT + 5 : END_HEIGHT_SHORT,
               plot->top + 8, plot->bottom - (tall && !close ? 12 : 0));
    EndText texts[CHART_ENDS];
    Str cuts[CHART_ENDS];
    for (size_t i = 0; i < panel->end_count; i++)
        texts[i] = end_text(plot, &panel->ends[i], close);
    cut_ends(plot, texts, cuts);
    for (size_t i = 0; i < panel->end_count; i++)
        draw_end(plot, &panel->ends[order[i]], &texts[order[i]], cuts[order[i]], y[i]);
    if (panel->ends_left_out)
        scene_text(plot->scene, plot->frame->right + 14, plot->bottom + 17, SIZE_NOTE, 400,
                   ANCHOR_START, ROLE_INK3,
                   str_printf(plot->scene->arena, tr("%zu more"), panel->ends_left_out));
}

// What a panel leaves out is said first, where no cut reaches it.
static Str note_of(const ChartPanel *panel, Arena *arena)
{
    if (!panel->lines_left_out)
        return panel->note;
    Str left_out = str_printf(arena,
                              tr_count(panel->lines_left_out, "%zu more line is not drawn",
                                       "%zu more lines are not drawn"),
                              panel->lines_left_out);
    return panel->note.size ? str_printf(arena, tr(STR_FMT "; " STR_FMT), STR_ARG(left_out),
                                         STR_ARG(panel->note))
                            : left_out;
}

double chart_panel(Scene *scene, const ChartFrame *frame, const ChartPanel *panel, double y,
                   ChartCounts *counts)
{
    double spacing = frame->small ? 26 : 32;
    if (panel->heading.size)
        section_heading(scene, frame->small ? frame->left - 40 : 32, y + 14,
                        frame->small ? SIZE_TEXT : SIZE_HEADING, panel->heading,
                        note_of(panel, scene->arena));
    Plot plot = {.scene = scene, .frame = frame, .panel = panel, .counts = counts};
    plot.top = y + CHART_HEADING;
    plot.bottom = plot.top + panel->height;
    plot.y =
        panel->log
            ? axis_log(panel->low, panel->high, plot.bottom, plot.top, spacing, scene->arena)
            : axis_linear(panel->low, panel->high, plot.bottom, plot.top, spacing, scene->arena);
    plot.x =
        (frame->time ? axis_time : axis_steps)(frame->first, frame->last, frame->left, frame->right,
                                               frame->small ? 90 : 130, scene->arena);
    draw_y_axis(&plot);
    draw_x_axis(&plot);
    draw_band(&plot);
    draw_levels(&plot);
    for (size_t i = 0; i < panel->line_count; i++)
        draw_line(&plot, &panel->lines[i]);
    if (panel->empty.size && (!isfinite(panel->low) || !isfinite(panel->high)))
        scene_text(scene, (frame->left + frame->right) / 2, (plot.top + plot.bottom) / 2, SIZE_TEXT,
                   400, ANCHOR_MIDDLE, ROLE_INK3, panel->empty);
    draw_ends(&plot);
    return plot.bottom + (panel->x_title ? 40 : 24);
}
