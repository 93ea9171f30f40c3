// SPDX-License-Identifier: Apache-2.0
#include "picture/curves/curves_picture.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "picture/curves/curves_constants.h"
#include "picture/curves/curves_panels.h"
#include "picture/curves/curves_rim.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/curves_verdict.h"
#include "verdict/figure_text.h"

enum { SMALL_COLUMNS = 3, SMALL_MAX = 12, FULL_DECIMALS = 15 };  // of a double below 10

// Counters of progress have no panel of their own.
static bool is_counter(Str name)
{
    return STR_IN(name, "epoch", "consumed_samples", "consumed_tokens", "batch_size");
}

typedef struct NameList {
    Str items[SMALL_MAX];
    size_t count, left_out;
} NameList;

// Series with a small panel, and those that words tell.
typedef struct SmallNames {
    NameList panels, constant;
} SmallNames;

static bool has_name(const NameList *names, Str name)
{
    for (size_t i = 0; i < names->count; i++)
        if (str_equal(names->items[i], name))
            return true;
    return false;
}

static bool is_main(const CurvesView *view, Str name)
{
    const CurveComparison *leading = curves_leading(view);
    return str_equal(name, STR("loss")) || (leading && str_equal(name, leading->series)) ||
           (str_equal(name, STR("grad_norm")) && !curves_is_constant(view, name));
}

static void add_small(SmallNames *names, const CurvesView *view, Str name)
{
    if (is_main(view, name) || !curves_shown(view, name) ||
        (view->series.size == 0 && is_counter(name)) || has_name(&names->panels, name) ||
        has_name(&names->constant, name))
        return;
    NameList *list = curves_is_constant(view, name) ? &names->constant : &names->panels;
    if (list->count < SMALL_MAX)
        list->items[list->count++] = name;
    else
        list->left_out++;
}

// The series of small panels: the known ones first, then as the runs have them.
static void find_small(const CurvesView *view, SmallNames *out)
{
    static const char *const first[] = {"lr", "loss_scale", "eval_loss", "throughput",
                                        "step_time_ms"};
    const Runs *runs = view->report->runs;
    for (size_t n = 0; n < sizeof first / sizeof *first; n++)
        for (size_t i = 0; i < runs->count; i++) {
            const Series *series = run_series(&runs->items[i], first[n]);
            if (series && series->count)
                add_small(out, view, series->name);
        }
    for (size_t i = 0; i < runs->count; i++)
        for (size_t k = 0; k < runs->items[i].series_count; k++)
            if (runs->items[i].series[k].count)
                add_small(out, view, runs->items[i].series[k].name);
}

static bool has_series(const CurvesView *view, const char *name)
{
    for (size_t i = 0; i < view->report->runs->count; i++) {
        const Series *series = run_series(&view->report->runs->items[i], name);
        if (series && series->count && curves_shown(view, series->name))
            return true;
    }
    return false;
}

static double draw_panels(const CurvesView *view, const NameList *names, Scene *scene,
                          const ChartFrame *frame, double y, ChartCounts *counts)
{
    double width = (PAGE_WIDTH - 2 * PAGE_MARGIN) / (double)SMALL_COLUMNS, bottom = y;
    for (size_t i = 0; i < names->count; i++) {
        size_t column = i % SMALL_COLUMNS;
        if (column == 0)
            y = bottom;
        double left = PAGE_MARGIN + width * (double)column;
        ChartFrame small = *frame;
        small.left = left + 58;
        small.right = left + width - 24;
        small.small = true;
        ChartPanel panel;
        curves_overlay_panel(view, str_cstr(scene->arena, names->items[i]), scene->arena, &panel);
        panel.height = 84;
        panel.note = panel.log ? str_of(tr("log scale")) : STR("");
        panel.end_count = panel.ends_left_out = 0;
        ChartCounts ignored = {0};
        double end = chart_panel(scene, &small, &panel, y, &ignored) + 8;
        bottom = end > bottom ? end : bottom;
        counts->nan += ignored.nan;
        counts->clipped += ignored.clipped;
    }
    return bottom;
}

static double draw_small(const CurvesView *view, Scene *scene, const ChartFrame *frame, double y,
                         ChartCounts *counts)
{
    SmallNames names = {0};
    find_small(view, &names);
    y = draw_panels(view, &names.panels, scene, frame, y, counts);
    for (size_t i = 0; i < names.constant.count; i++)
        y = curves_constant_row(view, names.constant.items[i], scene, y);
    size_t left_out = names.panels.left_out + names.constant.left_out;
    if (left_out) {
        scene_text(
            scene, PAGE_MARGIN, y + 12, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK3,
            str_printf(scene->arena, tr("%zu more series; --series NAME shows them"), left_out));
        y += 20;
    }
    return y;
}

// A line of text between panels, from the left edge to `right`: lines through all panels pause
// there.
typedef struct TextRow {
    double top, bottom, right;
} TextRow;

enum { PANELS_MAX = 4 };

typedef struct Sheet {
    CurvesView *view;
    Scene *scene;
    ChartFrame frame;
    ChartCounts counts;
    TextRow rows[2 * PANELS_MAX + CURVES_RIM_ROWS];
    size_t row_count;
    double y;
} Sheet;

static void draw_down(const Sheet *sheet, int64_t step, double top, double bottom, Paint paint)
{
    double x = chart_x(&sheet->frame, step);
    for (size_t i = 0; i <= sheet->row_count; i++) {
        const TextRow *row = i < sheet->row_count ? &sheet->rows[i] : NULL;
        if (row && x > row->right)
            continue;
        double end = row && row->top < bottom ? row->top : bottom;
        if (end > top) {
            Item *line = scene_line(sheet->scene, x, top, x, end, paint.stroke);
            line->paint = paint;
        }
        top = row ? row->bottom : bottom;
    }
}

// The red line through all panels where the target leaves for good, and thin ones at aborts.
static void draw_through(const Sheet *sheet, double top, double bottom)
{
    enum { DISC = 10 };  // the line begins below the number in it
    const CurveComparison *leading = curves_leading(sheet->view);
    int64_t leaves;
    if (leading && curves_leaves(leading, &leaves))
        draw_down(sheet, leaves, top + DISC, bottom,
                  (Paint){.stroke = ROLE_ERROR_FILL, .dash = 3, .gap = 3, .width = 1.2F});
    for (size_t i = 0; i < sheet->view->report->runs->count; i++) {
        const Run *run = &sheet->view->report->runs->items[i];
        for (size_t k = 0; k < run->events.count; k++) {
            bool abort = run->events.items[k].kind == EVENT_ABORT;
            if (!abort && run->events.items[k].kind != EVENT_RESTART)
                continue;
            Paint paint = {.stroke = ROLE_ERROR_FILL, .width = 1};
            if (!abort)
                paint = (Paint){.stroke = ROLE_INK3, .dash = 2, .gap = 3, .width = 1};
            draw_down(sheet, run->events.items[k].step, top, bottom, paint);
        }
    }
}

static Str resolution_text(const CurvesView *view, Arena *arena)
{
    const CurveComparison *loss = curves_leading(view);
    if (!loss || loss->stats.points == 0 || !str_equal(loss->series, STR("loss")))
        return STR("");
    if (loss->target_series->decimals >= FULL_DECIMALS)
        return str_of(tr("The target prints the loss in full."));
    char unit[NUMBER_BYTES];
    double value = loss->pair.values[1][0];
    number_significant(series_resolution(loss->target_series, value), 1, unit);
    return str_printf(arena,
                      tr_count((uint64_t)loss->target_series->decimals,
                               "The target prints %d decimal of the loss (resolution %s).",
                               "The target prints %d decimals of the loss (resolution %s)."),
                      loss->target_series->decimals, unit);
}

// Over time absent points stand for gaps.
static size_t count_points(const Series *series)
{
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++)
        count += !point_is_absent(series->points.value[i]);
    return count;
}

static double draw_footer(const CurvesView *view, Scene *scene, const ChartCounts *counts, double y)
{
    size_t most = 0;
    for (size_t i = 0; i < view->report->runs->count; i++)
        for (size_t k = 0; k < view->report->runs->items[i].series_count; k++) {
            size_t count = count_points(&view->report->runs->items[i].series[k]);
            most = count > most ? count : most;
        }
    Arena *arena = scene->arena;
    Str points = figure_count(most, arena), columns = figure_count(counts->columns, arena);
    Str beyond = figure_count(counts->clipped, arena);
    Str text =
        counts->walls
            ? str_printf(arena,
                         tr("Points: " STR_FMT ", drawn as pixel columns: " STR_FMT
                            ", the band is the middle 90 %% of each, dots are single extremes; "
                            "beyond the edges: " STR_FMT "."),
                         STR_ARG(points), STR_ARG(columns), STR_ARG(beyond))
            : str_printf(arena,
                         tr("Points: " STR_FMT ", drawn as pixel columns: " STR_FMT
                            ", every minimum and maximum kept; beyond the edges: " STR_FMT "."),
                         STR_ARG(points), STR_ARG(columns), STR_ARG(beyond));
    // Events, which the rim counts, may be NaN where no point is: a 0 would contradict them.
    if (counts->nan)
        text = str_printf(arena, tr(STR_FMT " Points that are NaN or Inf: %zu."), STR_ARG(text),
                          counts->nan);
    text = str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(text),
                      STR_ARG(resolution_text(view, arena)));
    scene_text(scene, PAGE_MARGIN, y + 14, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK3, text);
    return y + 22;
}

static void draw_panel(Sheet *sheet, ChartPanel *panel, bool last)
{
    panel->x_title = last ? sheet->view->x_unit : NULL;
    double words =
        text_width(panel->heading, SIZE_HEADING, 600) + text_width(panel->note, SIZE_TEXT, 400);
    double below = sheet->y + CHART_HEADING + panel->height;
    if (sheet->row_count + 2 <= sizeof sheet->rows / sizeof *sheet->rows) {
        sheet->rows[sheet->row_count++] =
            (TextRow){sheet->y + 1, sheet->y + 20, PAGE_MARGIN + words + 24};
        sheet->rows[sheet->row_count++] = (TextRow){below + 5, below + 21, INFINITY};
    }
    sheet->y = chart_panel(sheet->scene, &sheet->frame, panel, sheet->y, &sheet->counts) + 8;
    arena_release(sheet->view->lines);
    sheet->view->lines = arena_new();
}

// A series; of that which leads the difference, and what that is of golden where this has a level.
static void draw_series(Sheet *sheet, Str name, bool last)
{
    ChartPanel panel;
    const CurveComparison *leading = curves_leading(sheet->view);
    Arena *arena = sheet->scene->arena;
    bool difference = leading && str_equal(leading->series, name) && leading->band.count > 1;
    curves_overlay_panel(sheet->view, str_cstr(arena, name), arena, &panel);
    bool first = !leading || str_equal(leading->series, name);
    panel.height = difference ? 200 : first && !str_equal(name, STR("grad_norm")) ? 260 : 130;
    draw_panel(sheet, &panel, last && !difference);
    if (!difference)
        return;
    bool relative = !leading->scale.around_zero;
    curves_difference_panel(sheet->view, leading, arena, &panel);
    draw_panel(sheet, &panel, last && !relative);
    if (!relative)
        return;
    curves_relative_panel(sheet->view, leading, arena, &panel);
    draw_panel(sheet, &panel, last);
}

// What leads, the loss and the gradient norm.
static void draw_main(Sheet *sheet)
{
    const CurvesView *view = sheet->view;
    const CurveComparison *leading = curves_leading(view);
    Str names[3] = {leading ? leading->series : STR("loss"), STR("loss"), STR("grad_norm")};
    bool wanted[3];
    for (size_t i = 0; i < 3; i++)
        wanted[i] = has_series(view, str_cstr(sheet->scene->arena, names[i])) &&
                    is_main(view, names[i]) && !(i && str_equal(names[i], names[0]));
    for (size_t i = 0; i < 3; i++)
        if (wanted[i])
            draw_series(sheet, names[i], !(i < 1 && wanted[1]) && !(i < 2 && wanted[2]));
}

void curves_picture(const CurvesView *what, const char *id, Arena *arena, Scene *out)
{
    CurvesView own = *what;
    const CurvesView *view = &own;
    curves_look_at_runs(&own, arena);
    scene_init(out, arena, id, PAGE_WIDTH);
    own.lines = arena_new();
    Sheet sheet = {.view = &own, .scene = out};
    sheet.frame = (ChartFrame){.left = CURVES_LEFT, .right = CURVES_RIGHT, .time = view->over_time};
    curves_extent(view, &sheet.frame.first, &sheet.frame.last);
    sheet.y = 8;
    double rim_top = sheet.y + CURVES_RIM_LINE;
    sheet.y = curves_rim(view, out, &sheet.frame, sheet.y);
    for (double line = rim_top + CURVES_RIM_ROW; line < sheet.y; line += CURVES_RIM_ROW)
        sheet.rows[sheet.row_count++] = (TextRow){line - 20, line - 5, INFINITY};
    draw_main(&sheet);
    draw_through(&sheet, rim_top, sheet.y - 40);
    sheet.y = draw_small(view, out, &sheet.frame, sheet.y, &sheet.counts);
    sheet.y = draw_footer(view, out, &sheet.counts, sheet.y);
    arena_release(own.lines);
    out->height = sheet.y + 10;
}
