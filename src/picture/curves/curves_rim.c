// SPDX-License-Identifier: Apache-2.0
// The rim above the curves: a row a run with its events as marks.
#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "picture/curves/curves_rim.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/curves_verdict.h"
#include "verdict/figure_text.h"

enum {
    ROW_HEIGHT = CURVES_RIM_ROW - 4,
    ROWS_MAX = CURVES_RIM_ROWS,
    DISC = 8,  // radius, px
    MARKS_MAX = 20,
    TICKS_MAX = 2000
};

// One row: a line over all steps, marks on it, labels above that never touch each other.
typedef struct Rim {
    Scene *scene;
    const ChartFrame *frame;
    double y;           // of the line
    double labels[64];  // taken stretches: from, to
    size_t label_count;
    uint32_t *shown;  // marks that the legend names: a bit an EventKind, and those below
} Rim;

enum { SHOWN_SPIKE = 1 << EVENT_KIND_COUNT, SHOWN_TICK = 2 << EVENT_KIND_COUNT };

static bool is_free(const Rim *rim, double from, double to)
{
    for (size_t i = 0; i + 1 < rim->label_count; i += 2)
        if (from < rim->labels[i + 1] + 6 && to > rim->labels[i] - 6)
            return false;
    return true;
}

// False where it finds no room.
static bool add_label(Rim *rim, double x, Str text, Role role, int weight)
{
    double half = text_width(text, SIZE_NOTE, weight) / 2;
    x = x + half > rim->frame->right ? rim->frame->right - half : x;
    x = x - half < rim->frame->left ? rim->frame->left + half : x;
    if (rim->label_count + 2 > 64 || !is_free(rim, x - half, x + half))
        return false;
    rim->labels[rim->label_count++] = x - half;
    rim->labels[rim->label_count++] = x + half;
    scene_text(rim->scene, x, rim->y - 9, SIZE_NOTE, weight, ANCHOR_MIDDLE, role, text);
    return true;
}

static double name_room(const ChartFrame *frame)
{
    return frame->left - PAGE_MARGIN - 8;
}

static void begin_row(Rim *rim, Scene *scene, const ChartFrame *frame, double y, Str name)
{
    uint32_t *shown = rim->shown;
    *rim = (Rim){.scene = scene, .frame = frame, .y = y, .shown = shown};
    Str fitted = text_fit(name, SIZE_NOTE, 400, name_room(frame), scene->arena);
    Item *item =
        scene_text(scene, PAGE_MARGIN, y + 4, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK3, fitted);
    if (!str_equal(fitted, name))
        scene_title(scene, item, STR_FMT, STR_ARG(name));
    scene_line(scene, frame->left, y, frame->right, y, ROLE_RULE);
}

// ---- Marks of events: their shape tells the kind, not only the colour.

static void draw_mark(Scene *scene, double x, double y, EventKind kind)
{
    const double triangle[] = {x - 5, y - 4, x + 5, y - 4, x, y + 5};
    const double diamond[] = {x, y - 5, x + 5, y, x, y + 5, x - 5, y};
    Item *item;
    switch (kind) {
    case EVENT_SKIP:
        scene_polygon(scene, triangle, 3, ROLE_PAPER, ROLE_INK2)->paint.width = 1.3F;
        break;
    case EVENT_OVERFLOW:
        scene_box(scene, x - 4, y - 4, 8, 8, ROLE_PAPER, ROLE_INK2);
        break;
    case EVENT_NAN:
        cross_draw(scene, x, y, 4);
        break;
    case EVENT_CHECKPOINT:
        scene_polygon(scene, diamond, 4, ROLE_PAPER, ROLE_INK3)->paint.width = 1.3F;
        break;
    case EVENT_CHECKPOINT_UNHEALTHY:
        scene_polygon(scene, diamond, 4, ROLE_ERROR_FILL, ROLE_ERROR_EDGE)->paint.width = 1.3F;
        break;
    case EVENT_ABORT:
        item = scene_line(scene, x, y - 8, x, y + 8, ROLE_ERROR_FILL);
        item->paint.width = 2.5F;
        break;
    case EVENT_RESTART:
        item = scene_line(scene, x, y - 4, x, y + 7, ROLE_INK2);
        item->paint.dash = 2;
        item->paint.gap = 2;
        break;
    default:
        scene_circle(scene, x, y, 2.5, ROLE_INK3, ROLE_NONE);
        break;
    }
}

// The kinds that make a row worth drawing.
static bool is_notable(EventKind kind)
{
    return kind != EVENT_EVAL && kind != EVENT_CHECKPOINT;
}

static void label_event(Rim *rim, const CurvesView *view, double x, const Event *event)
{
    Arena *arena = rim->scene->arena;
    Str step = curves_x_label(view, event->step, arena);
    Role role = event->kind == EVENT_ABORT ? ROLE_ERROR_TEXT : ROLE_INK2;
    Str text = str_printf(arena, "%s " STR_FMT, curves_event_word(event->kind), STR_ARG(step));
    add_label(rim, x, text, role, 400);
}

static void draw_events(Rim *rim, const Run *run)
{
    size_t ticks = 0, alike[EVENT_KIND_COUNT] = {0};
    for (size_t i = 0; i < run->events.count; i++)
        alike[run->events.items[i].kind]++;
    for (size_t i = 0; i < run->events.count; i++) {
        const Event *event = &run->events.items[i];
        double x = chart_x(rim->frame, event->step);
        if (x < rim->frame->left || x > rim->frame->right || ticks > TICKS_MAX)
            continue;
        if (alike[event->kind] > MARKS_MAX) {
            scene_line(rim->scene, x, rim->y - 5, x, rim->y + 5, ROLE_INK2);
            *rim->shown |= SHOWN_TICK;
            ticks++;
            continue;
        }
        draw_mark(rim->scene, x, rim->y, event->kind);
        *rim->shown |= 1U << event->kind;
    }
}

// What ends a run has its label first; the others take the room that is left.
static void label_events(Rim *rim, const CurvesView *view, const Run *run)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < run->events.count; i++) {
            const Event *event = &run->events.items[i];
            bool first = event->kind == EVENT_ABORT || event->kind == EVENT_RESTART;
            double x = chart_x(rim->frame, event->step);
            bool inside = x >= rim->frame->left && x <= rim->frame->right;
            if (first == (pass == 0) && is_notable(event->kind) && inside)
                label_event(rim, view, x, event);
        }
}

// Spikes: a ring with the step of the peak.
static void draw_ring(Scene *scene, double x, double y)
{
    scene_circle(scene, x, y, 5, ROLE_NONE, ROLE_WARNING_EDGE)->paint.width = 1.5F;
}

static void draw_spikes(Rim *rim, const CurvesView *view, const Run *run)
{
    static const char *const names[] = {"loss", "grad_norm"};
    for (size_t n = 0; n < 2; n++) {
        const Series *series = run_series(run, names[n]);
        const Spikes *spikes = series ? curves_spikes(view->report, run, series) : NULL;
        for (size_t i = 0; spikes && i < spikes->count && i < MARKS_MAX; i++) {
            double x = chart_x(rim->frame, spikes->items[i].peak);
            draw_ring(rim->scene, x, rim->y);
            *rim->shown |= SHOWN_SPIKE;
            Str step = curves_x_label(view, spikes->items[i].peak, rim->scene->arena);
            Str text = str_printf(rim->scene->arena,
                                  n ? tr("norm spike " STR_FMT) : tr("loss spike " STR_FMT),
                                  STR_ARG(step));
            add_label(rim, x, text, ROLE_WARNING_TINK, 400);
        }
    }
}

static size_t spike_count(const CurvesView *view, const Run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->series_count; i++) {
        const Spikes *spikes = curves_spikes(view->report, run, &run->series[i]);
        count += spikes ? spikes->count : 0;
    }
    return count;
}

static bool is_broken(double value)
{
    return !isfinite(value) && !point_is_absent(value);
}

// A cross for each loss and norm that is no number, a strip of ticks where there are many. A
// stretch of them is labelled once.
static void draw_broken(Rim *rim, const CurvesView *view, const Run *run)
{
    static const char *const names[] = {"loss", "grad_norm"};
    for (size_t n = 0; n < 2; n++) {
        const Series *series = run_series(run, names[n]);
        size_t count = 0, drawn = 0;
        for (size_t i = 0; series && i < series->count; i++)
            count += is_broken(series->points.value[i]);
        for (size_t i = 0; count && i < series->count && drawn < TICKS_MAX; i++) {
            Point point = point_at(series->points, i);
            double x = chart_x(rim->frame, point.x);
            if (!is_broken(point.value))
                continue;
            if (drawn++ < MARKS_MAX && count <= MARKS_MAX) {
                cross_draw(rim->scene, x, rim->y, 4);
                *rim->shown |= 1U << EVENT_NAN;
            } else {
                scene_line(rim->scene, x, rim->y - 5, x, rim->y + 5, ROLE_NAN);
            }
            if (i && is_broken(series->points.value[i - 1]))
                continue;
            Str place = curves_x_label(view, point.x, rim->scene->arena);
            Str text = str_printf(rim->scene->arena, "%s " STR_FMT,
                                  isnan(point.value) ? "NaN" : "Inf", STR_ARG(place));
            add_label(rim, x, text, ROLE_NAN, 400);
        }
    }
}

// Values that are no number; of a log that prints none, the steps of which it says so.
static size_t nan_count(const CurvesView *view, const Run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->series_count; i++)
        for (size_t k = 0; k < run->series[i].count && curves_shown(view, run->series[i].name); k++)
            count += is_broken(run->series[i].points.value[k]);
    return count ? count : run_event_count(run, EVENT_NAN);
}

static void draw_counts(Rim *rim, const CurvesView *view, const Run *run)
{
    Arena *arena = rim->scene->arena;
    size_t skips = run_event_count(run, EVENT_SKIP), spikes = spike_count(view, run);
    Str text = skips || run->tells_skips
                   ? str_printf(arena, tr("skips %zu · spikes %zu · NaN %zu"), skips, spikes,
                                nan_count(view, run))
                   : str_printf(arena, tr("spikes %zu · NaN %zu"), spikes, nan_count(view, run));
    note_text(rim->scene, rim->frame->right + 14, rim->y + 4, ANCHOR_START, text);
}

static bool has_row(const CurvesView *view, const Run *run)
{
    bool notable = spike_count(view, run) > 0 || nan_count(view, run) > 0;
    for (size_t i = 0; i < run->events.count && !notable; i++)
        notable = is_notable(run->events.items[i].kind);
    return notable;
}

// ---- The legend

// The marks that were drawn with their words, on one line with room for as many as there are kinds.
static void draw_legend(Scene *scene, const ChartFrame *frame, double y, uint32_t shown)
{
    double x = frame->left;
    for (int i = 0; i < EVENT_KIND_COUNT + 2; i++) {
        if (!(shown & 1U << i))
            continue;
        Str text = str_of(tr("one of more than 20 of this kind"));
        if (i < EVENT_KIND_COUNT) {
            draw_mark(scene, x + 6, y - 4, (EventKind)i);
            text = str_of(i == EVENT_NAN ? tr("NaN or Inf") : curves_event_word((EventKind)i));
        } else if (1U << i == SHOWN_SPIKE) {
            draw_ring(scene, x + 6, y - 4);
            text = str_of(tr("spike"));
        } else {
            scene_line(scene, x + 6, y - 9, x + 6, y + 1, ROLE_INK2);
        }
        scene_text(scene, x + 16, y, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK3, text);
        x += 16 + text_width(text, SIZE_NOTE, 400) + 18;
    }
}

// ---- The row of findings

// Of several targets it says which.
static Str leaving_text(const CurvesView *view, const CurveComparison *comparison, Arena *arena)
{
    size_t targets = 0;
    for (size_t i = 0; i < view->report->count; i++)
        targets += str_equal(view->report->items[i].series, comparison->series);
    Str text = str_of(comparison->has_band ? tr("leaves the band") : tr("leaves the tolerance"));
    int64_t step;
    if (comparison->stats.one_sided)
        text = str_of(tr("no number on one side"));
    else if (!band_crossing(&comparison->band, &step))
        text = str_of(comparison->has_band ? tr("single steps leave the band")
                                           : tr("single steps leave the tolerance"));
    if (targets < 2)
        return text;
    Str name = curves_run_name(view, comparison->target, CURVES_NAME_ROOM, arena);
    return str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(name), STR_ARG(text));
}

static Str returning_text(const CurvesView *view, const CurveComparison *comparison, Arena *arena)
{
    const Band *band = &comparison->band;
    int64_t returns = band->x[band->bump.to];
    Str text = leaving_text(view, comparison, arena);
    return str_printf(arena, tr(STR_FMT ", returns at " STR_FMT), STR_ARG(text),
                      STR_ARG(curves_x_label(view, returns, arena)));
}

// A bar over the steps between which something is, with a tick at the likeliest.
static void draw_bar(const Rim *rim, int64_t low, int64_t at, int64_t high, Role role)
{
    double left = chart_x(rim->frame, low), right = chart_x(rim->frame, high);
    scene_line(rim->scene, left, rim->y, right, rim->y, role)->paint.width = 3;
    double x = chart_x(rim->frame, at);
    scene_line(rim->scene, x, rim->y - 6, x, rim->y + 6, role)->paint.width = 1.6F;
}

// Where the difference begins, with its uncertainty; a bump is a bar over its steps.
static void draw_beginning(Rim *rim, const CurvesView *view, const CurveComparison *comparison)
{
    const Band *band = &comparison->band;
    if (comparison->stats.one_sided)
        return;
    if (!band_lasting(band) && band->bump.to)
        draw_bar(rim, band->x[band->bump.from], band->x[band->bump.from], band->x[band->bump.to],
                 ROLE_ERROR_FILL);
    if (!band_begins_before(band))
        return;
    draw_bar(rim, band->x[band->onset_low], band->x[band->onset], band->x[band->onset_high],
             ROLE_INK2);
    Arena *arena = rim->scene->arena;
    Str text = str_printf(arena, tr("begins at " STR_FMT),
                          STR_ARG(curves_x_label(view, band_onset(band), arena)));
    double x = chart_x(rim->frame, band_onset(band)), half = text_width(text, SIZE_NOTE, 400) / 2;
    add_label(rim, x - half - 4, text, ROLE_INK2, 400);
}

// A tick at the first step that differs of runs that are equal before.
static void draw_first_difference(Rim *rim, const CurvesView *view,
                                  const CurveComparison *comparison)
{
    const Aligned *pair = &comparison->pair;
    if (comparison->first_difference == 0 || comparison->first_difference >= pair->count)
        return;
    int64_t step = pair->x[comparison->first_difference];
    Arena *arena = rim->scene->arena;
    Str text =
        str_printf(arena, tr("differs from " STR_FMT), STR_ARG(curves_x_label(view, step, arena)));
    double x = chart_x(rim->frame, step), half = text_width(text, SIZE_NOTE, 400) / 2;
    scene_line(rim->scene, x, rim->y - 6, x, rim->y + 6, ROLE_INK2)->paint.width = 1.6F;
    if (!add_label(rim, x - half - 4, text, ROLE_INK2, 400))
        add_label(rim, x + half + 4, text, ROLE_INK2, 400);
}

static void draw_findings(Rim *rim, const CurvesView *view, const CurveComparison *comparison)
{
    int64_t leaves;
    double disc = NAN;
    if (curves_leaves(comparison, &leaves)) {
        draw_beginning(rim, view, comparison);
        double x = disc = chart_x(rim->frame, leaves);
        disc_draw(rim->scene, x, rim->y, 1);
        const Band *band = &comparison->band;
        bool returns = !comparison->stats.one_sided && !band_lasting(band) && band->bump.to;
        Str text = (returns ? returning_text : leaving_text)(view, comparison, rim->scene->arena);
        double half = text_width(text, SIZE_NOTE, 700) / 2;
        add_label(rim, x + half + 12, text, ROLE_ERROR_TEXT, 700);
    }
    draw_first_difference(rim, view, comparison);
    if (comparison->stats.points == 0 || !(comparison->stats.max_abs > 0))
        return;
    double x = chart_x(rim->frame, comparison->stats.max_at);
    const double diamond[] = {x, rim->y - 5, x + 5, rim->y, x, rim->y + 5, x - 5, rim->y};
    if (!(fabs(x - disc) < 2 * DISC))  // else it would hide the number
        scene_polygon(rim->scene, diamond, 4, ROLE_PAPER, ROLE_INK)->paint.width = 1.3F;
    add_label(rim, x, str_of(tr("largest |difference|")), ROLE_INK2, 400);
}

double curves_rim(const CurvesView *view, Scene *scene, const ChartFrame *frame, double y)
{
    const Runs *runs = view->report->runs;
    uint32_t shown = 0;
    Rim rim = {.shown = &shown};
    size_t rows = 0;
    const CurveComparison *comparison = curves_leading(view);
    if (comparison && (comparison->band.count || comparison->stats.one_sided)) {
        begin_row(&rim, scene, frame, y + 18, str_of(tr("difference")));
        draw_findings(&rim, view, comparison);
        if (!has_row(view, comparison->target))
            draw_counts(&rim, view, comparison->target);
        y += ROW_HEIGHT + 4;
        rows++;
    }
    for (size_t i = 0; i < runs->count && rows < ROWS_MAX; i++) {
        if (!has_row(view, &runs->items[i]))
            continue;
        begin_row(&rim, scene, frame, y + 18,
                  curves_run_name(view, &runs->items[i], name_room(frame), scene->arena));
        draw_events(&rim, &runs->items[i]);
        label_events(&rim, view, &runs->items[i]);
        draw_spikes(&rim, view, &runs->items[i]);
        draw_broken(&rim, view, &runs->items[i]);
        draw_counts(&rim, view, &runs->items[i]);
        y += ROW_HEIGHT + 4;
        rows++;
    }
    if (shown) {
        // Where the labels of one more row would stand.
        draw_legend(scene, frame, y + 18 - 9, shown);
        y += 22;
    }
    return rows ? y + 10 : y;
}
