// SPDX-License-Identifier: Apache-2.0
// The panels of the picture of curves: runs over each other, differences, relative errors.
#include <math.h>

#include "base/number.h"
#include "base/sort.h"
#include "base/words.h"
#include "picture/curves/curves_panels.h"
#include "picture/kit/drawn_line.h"
#include "trend/curves/series_class.h"
#include "trend/curves/smooth.h"
#include "trend/curves/step_align.h"
#include "verdict/figure_text.h"

static const float raw_opacity = 0.28F;

// ---- Ranges

static Arena *lines_arena(const CurvesView *view, Arena *arena)
{
    return view->lines ? view->lines : arena;
}

static bool prefers_log(Str series)
{
    return str_equal(series, STR("grad_norm")) || str_equal(series, STR("loss_scale")) ||
           str_equal(series, STR("params_norm"));
}

typedef struct Range {
    double low, high;
} Range;

static void widen_range(Range *range, double value)
{
    range->low = value < range->low ? value : range->low;
    range->high = value > range->high ? value : range->high;
}

enum { RANGE_SAMPLES = 20000 };

// A few values far away would squeeze the rest: then the 0.5 and 99.5 % values count, from a sample
// of a long series. Logarithms squeeze nothing, so norms show everything.
static void add_to_range(Range *range, const Series *series, Arena *arena)
{
    bool log = prefers_log(series->name);
    size_t stride = series->count / RANGE_SAMPLES + 1, count = 0;
    double *sample = ARENA_ARRAY(arena, double, series->count / stride + 2);
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < series->count; i++) {
        double value = series->points.value[i];
        if (!isfinite(value) || (log && value <= 0))
            continue;
        least = value < least ? value : least;
        most = value > most ? value : most;
        if (i % stride == 0)
            sample[count++] = value;
    }
    if (least > most || count == 0)
        return;
    // Values that are there: between two of them one may be the outlier.
    sort_doubles(sample, count);
    size_t edge = (size_t)(0.005 * (double)(count - 1) + 0.999);
    double low = sample[edge], high = sample[count - 1 - edge];
    double size = high - low;
    bool keep = log || count < 50;
    widen_range(range, keep || least > low - size ? least : low);
    widen_range(range, keep || most < high + size ? most : high);
}

static void set_range(ChartPanel *panel, Range range)
{
    panel->low = range.low;
    panel->high = range.high;
    if (!(range.low <= range.high))
        return;
    if (panel->log) {
        double room = pow(10, 0.04 * (log10(range.high) - log10(range.low)));
        panel->low = fmax(range.low / room, fmin(range.low, 1e-300));
        panel->high = fmin(range.high * room, fmax(range.high, 1e300));
        return;
    }
    double room = 0.04 * (range.high / 2 - range.low / 2) * 2;
    panel->low = range.low - room;
    panel->high = range.high + room;
    if (range.low >= 0 && panel->low < 0)
        panel->low = 0;
}

// ---- Overlay

// Where the first 15 % of the steps take 80 % of the height, the rest is a flat line.
#define EARLY_STEPS  0.15
#define EARLY_HEIGHT 0.8
#define WIDE         1e3  // of the largest to the smallest: below that a linear axis shows both

static bool falls_early(const CurvesView *view, Str name, const Range *range, Arena *arena)
{
    const Runs *runs = view->report->runs;
    double edge = range->high - EARLY_HEIGHT * (range->high - range->low);
    size_t late = 0, above = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const Series *series = run_series(&runs->items[i], str_cstr(arena, name));
        size_t from = series ? (size_t)(EARLY_STEPS * (double)series->count) : 0;
        for (size_t k = from; series && k < series->count; k++) {
            above += series->points.value[k] > edge;
            late++;
        }
    }
    return late > 0 && 100 * above < late;
}

static bool wants_log(const CurvesView *view, Str series, const Range *range, Arena *arena)
{
    bool positive = range->low > 0 && range->high > 1.02 * range->low;
    bool loss = str_equal(series, STR("loss")) || str_starts(series, STR("loss."));
    bool uneven = loss && positive &&
                  (range->high > WIDE * range->low || falls_early(view, series, range, arena));
    return positive && (prefers_log(series) || uneven || (loss && view->log_y));
}

// Where the axis ends, and the last values of the runs drawn in grey, which share one label.
typedef struct GreyEnds {
    int64_t axis_end;
    size_t count;
    Range values;
    int64_t last;
} GreyEnds;

static void add_grey_end(GreyEnds *grey, Point point)
{
    grey->last = grey->count == 0 || point.x > grey->last ? point.x : grey->last;
    grey->count++;
    widen_range(&grey->values, point.value);
}

static Str grey_name(const GreyEnds *grey, Arena *arena)
{
    return str_printf(arena, tr_count(grey->count, "%zu run in grey", "%zu runs in grey"),
                      grey->count);
}

static Str grey_name_brief(const GreyEnds *grey, Arena *arena)
{
    return str_printf(arena, tr("%zu grey"), grey->count);
}

static void label_grey(const CurvesView *view, ChartPanel *panel, const GreyEnds *grey,
                       Arena *arena)
{
    if (grey->count == 0)
        return;
    Str low = figure_number(grey->values.low, 3, arena);
    Str high = figure_number(grey->values.high, 3, arena);
    Str value = str_printf(arena, tr(STR_FMT " to " STR_FMT " at " STR_FMT), STR_ARG(low),
                           STR_ARG(high), STR_ARG(curves_x_label(view, grey->last, arena)));
    chart_add_end(panel, (ChartEnd){.name = grey_name(grey, arena),
                                    .brief_name = grey_name_brief(grey, arena),
                                    .value = value,
                                    .brief = str_printf(arena, tr(STR_FMT " to " STR_FMT),
                                                        STR_ARG(low), STR_ARG(high)),
                                    .at = grey->values.low / 2 + grey->values.high / 2,
                                    .role = ROLE_INK3,
                                    .width = 1});
}

// The newest finite point; absent where there is none.
static Point last_finite(PointColumns points, size_t count)
{
    while (count > 0 && !isfinite(points.value[count - 1]))
        count--;
    return count ? point_at(points, count - 1) : (Point){0, point_absent()};
}

// The label tells what the run printed, as the tables do; it stands where the drawn line ends.
static void add_run_end(const CurvesView *view, ChartPanel *panel, const Run *run,
                        const ChartLine *raw, const ChartLine *line, GreyEnds *grey, Arena *arena)
{
    Point point = last_finite(raw->points, raw->count);
    double at = last_finite(line->points, line->count).value;
    if (!isfinite(point.value))
        return;
    RunLook look = curves_run_look(view, run);
    if (curves_is_grey(view, run)) {
        add_grey_end(grey, point);
        return;
    }
    Str value = figure_number(point.value, 4, arena),
        name = curves_run_name(view, run, CURVES_NAME_ROOM, arena);
    Str brief = value;
    bool target = run->role != ROLE_GOLDEN_RUN && run->role != ROLE_NOISE_RUN;
    if (target || point.x < grey->axis_end)
        value = str_printf(arena, tr(STR_FMT " at " STR_FMT), STR_ARG(value),
                           STR_ARG(curves_x_label(view, point.x, arena)));
    bool many = view->report->runs->count > CURVES_MANY;  // long names, and the role needs room
    if (many && !target)
        brief = value =
            str_printf(arena, "%s · " STR_FMT, tr(run_role_text(run->role)), STR_ARG(brief));
    else if (run->role == ROLE_GOLDEN_RUN)
        name = str_printf(arena, tr(STR_FMT " (golden)"), STR_ARG(name));
    else if (run->role == ROLE_NOISE_RUN)
        name = str_printf(arena, tr(STR_FMT " (noise)"), STR_ARG(name));
    chart_add_end(panel, (ChartEnd){.name = name,
                                    .value = value,
                                    .brief = brief,
                                    .at = isfinite(at) ? at : point.value,
                                    .role = look.role,
                                    .width = look.width,
                                    .dash = line->dash});
}

static Str overlay_note(const CurvesView *view, const ChartPanel *panel, Str name, size_t count,
                        Arena *arena)
{
    Str filter = drawn_filter_text(drawn_weight(view->smooth, name, count), arena);
    Str lines = filter.size
                    ? str_printf(arena, tr("raw faint, " STR_FMT " over it"), STR_ARG(filter))
                    : str_of(tr("as printed"));
    if (!panel->log)
        return lines;
    Str scale = str_of(tr("log scale"));
    return str_printf(arena, tr(STR_FMT "; " STR_FMT), STR_ARG(scale), STR_ARG(lines));
}

// Grey runs first, then golden ones: thick below, the target thin on top.
static int drawing_order(const CurvesView *view, const Run *run)
{
    static const int orders[] = {
        [ROLE_SINGLE] = 2, [ROLE_GOLDEN_RUN] = 1, [ROLE_TARGET_RUN] = 4, [ROLE_NOISE_RUN] = 3};
    return curves_is_grey(view, run) ? 0 : orders[run->role];
}

// Lines in grey tell where runs lie, not each of their steps: of many a coarser shape is enough.
static double grey_column(const CurvesView *view, const Run *run)
{
    return curves_is_grey(view, run) ? fmin(1 + (double)view->report->runs->count / 6, 12) : 0;
}

// What is no number draws no line: Inf stands as NaN does.
static PointColumns drawable(const Series *series, Arena *arena)
{
    PointColumns points = series->points;
    size_t at = 0;
    while (at < series->count && !isinf(points.value[at]))
        at++;
    if (at == series->count)
        return points;
    points.value = ARENA_ARRAY(arena, double, series->count);
    for (size_t i = 0; i < series->count; i++)
        points.value[i] = isinf(series->points.value[i]) ? NAN : series->points.value[i];
    return points;
}

static void add_run_lines(const CurvesView *view, const Run *run, const Series *series,
                          ChartPanel *panel, const Range *range, GreyEnds *grey, Arena *arena)
{
    RunLook look = curves_run_look(view, run);
    double weight = drawn_weight(view->smooth, series->name, series->count);
    int64_t gap = drawn_gap(series, arena);
    bool filtered = weight > 0;
    bool alone = view->report->runs->count == 1;
    ChartLine raw = {.points = drawable(series, arena), .count = series->count, .gap = gap};
    raw.role = look.role;
    bool coarse = filtered && curves_is_grey(view, run);
    raw.width = coarse ? 0 : filtered ? 1 : look.width;
    raw.opacity = !filtered ? 1 : alone ? 0.5F : raw_opacity;
    raw.dash = filtered ? 0 : look.dash;
    raw.raw = true;
    raw.title = run->name;
    raw.column = grey_column(view, run);
    chart_add_line(panel, raw);
    ChartLine line = raw;
    if (filtered) {
        DrawnLimits limits = {curves_spikes(view->report, run, series), range->low, range->high};
        Points smooth = drawn_line(series, &limits, weight, lines_arena(view, arena));
        line = (ChartLine){.points = smooth.items,
                           .count = smooth.count,
                           .gap = gap,
                           .role = look.role,
                           .width = look.width,
                           .dash = look.dash,
                           .column = raw.column,
                           .title = run->name};
        chart_add_line(panel, line);
    }
    add_run_end(view, panel, run, &raw, &line, grey, arena);
}

enum { GREY_MAX = (CHART_LINES - 24) / 2 };  // of raw and smoothed lines, next to those in colour

void curves_overlay_panel(const CurvesView *view, const char *series, Arena *arena, ChartPanel *out)
{
    const Runs *runs = view->report->runs;
    Range range = {INFINITY, -INFINITY};
    size_t most = 0, left_out = 0;
    GreyEnds grey = {.values = {INFINITY, -INFINITY}};
    int64_t first;
    *out = (ChartPanel){.heading = curves_heading(str_of(series)), .height = 180};
    curves_extent(view, &first, &grey.axis_end);
    for (size_t i = 0; i < runs->count; i++) {
        const Series *own = run_series(&runs->items[i], series);
        if (own && own->count)
            add_to_range(&range, own, arena);
    }
    for (int order = 0; order < 5; order++)
        for (size_t i = 0; i < runs->count; i++) {
            const Series *own = run_series(&runs->items[i], series);
            if (drawing_order(view, &runs->items[i]) != order || !own || own->count == 0)
                continue;
            if (order == 0 && grey.count >= GREY_MAX) {
                left_out++;
                continue;
            }
            most = own->count > most ? own->count : most;
            add_run_lines(view, &runs->items[i], own, out, &range, &grey, arena);
        }
    label_grey(view, out, &grey, arena);
    out->log = wants_log(view, str_of(series), &range, arena);
    out->note = overlay_note(view, out, str_of(series), most, arena);
    if (left_out)
        out->note = str_printf(arena, tr(STR_FMT "; %zu more runs are not drawn"),
                               STR_ARG(out->note), left_out);
    out->empty = str_of(tr("no finite value"));
    set_range(out, range);
}

void curves_add_run(const CurvesView *view, const Run *run, const Series *series, Arena *arena,
                    ChartPanel *panel)
{
    Range range = {panel->low, panel->high};
    GreyEnds grey = {0};
    add_run_lines(view, run, series, panel, &range, &grey, arena);
    panel->end_count = panel->ends_left_out = 0;
}

// ---- Where most runs lie

enum { MOST_STEPS = 240 };

// The newest value up to x; absent after the end.
static double newest_value(const Series *series, int64_t x)
{
    size_t behind;
    FIND_FIRST(behind, series->count, series->points.x[behind] <= x);
    bool inside = behind > 0 && (behind < series->count || series->points.x[behind - 1] == x);
    return inside ? series->points.value[behind - 1] : point_absent();
}

void curves_most_band(const CurvesView *view, const char *series, Arena *arena, ChartBand *out)
{
    const Runs *runs = view->report->runs;
    double *values = ARENA_ARRAY(arena, double, runs->count + 1);
    double *low = ARENA_ARRAY(arena, double, MOST_STEPS);
    double *high = ARENA_ARRAY(arena, double, MOST_STEPS);
    int64_t *x = ARENA_ARRAY(arena, int64_t, MOST_STEPS), first, last, before = 0;
    *out = (ChartBand){.x = x, .low = low, .high = high, .gap = INT64_MAX};
    curves_extent(view, &first, &last);
    double stride = ((double)last - (double)first) / (MOST_STEPS - 1);
    for (int i = 0; i < MOST_STEPS; i++) {
        int64_t at = i == MOST_STEPS - 1 ? last : first + (int64_t)((double)i * stride);
        size_t count = 0;
        for (size_t k = 0; k < runs->count; k++) {
            const Series *own = run_series(&runs->items[k], series);
            double value = own ? newest_value(own, at) : NAN;
            if (isfinite(value))
                values[count++] = value;
        }
        if (count == 0 || (out->count && at == before))
            continue;
        before = x[out->count] = at;
        low[out->count] = quantile_of(values, count, 0.1);
        high[out->count++] = quantile_of(values, count, 0.9);
    }
    out->title = str_of(tr("the middle 8 of 10 runs"));
}

// ---- Difference

// Over time an absent point stands for each gap; lines only read their points.
static Points points_of(const Band *band, double *values, Arena *arena)
{
    if (!band->apart)
        return (Points){.items = {(int64_t *)band->x, values}, .count = band->count};
    Points out = {.items = point_columns(arena, 2 * band->count)};
    for (size_t i = 0; i < band->count; i++) {
        if (band->apart && band->apart[i])
            point_put(out.items, out.count++, (Point){band->x[i], point_absent()});
        point_put(out.items, out.count++, (Point){band->x[i], values[i]});
    }
    return out;
}

// As the lines of the runs break, told by the steps that both have.
static int64_t gap_of(const Band *band, const Points *points, Arena *arena)
{
    Series common = {.points = points->items, .count = points->count};
    return band->apart ? INT64_MAX : drawn_gap(&common, arena);
}

static ChartBand noise_band(const CurveComparison *comparison, double *low, double *high,
                            Arena *arena)
{
    const Band *band = &comparison->band;
    Points points = points_of(band, high, arena);
    return (ChartBand){.x = band->x,
                       .low = low,
                       .high = high,
                       .count = band->count,
                       .gap = gap_of(band, &points, arena),
                       .apart = band->apart,
                       .title =
                           str_of(comparison->has_band ? tr("noise, ±3 sigma") : tr("tolerance"))};
}

enum {
    LEADING_LINES = 2
};  // of the target in question: there is room for them however many others

static void add_difference_lines(ChartPanel *panel, const CurveComparison *comparison,
                                 const CurvesView *view, double *raw, double *line, bool leads,
                                 Arena *arena)
{
    const Band *band = &comparison->band;
    if (!leads && panel->line_count + LEADING_LINES >= CHART_LINES) {
        panel->lines_left_out++;
        return;
    }
    RunLook look = curves_run_look(view, comparison->target);
    Points raw_points = points_of(band, raw, arena);
    Points points = points_of(band, line, arena);
    int64_t gap = gap_of(band, &points, arena);
    if (leads)
        chart_add_line(panel, (ChartLine){.points = raw_points.items,
                                          .count = raw_points.count,
                                          .gap = gap,
                                          .role = look.role,
                                          .width = 1,
                                          .opacity = raw_opacity + 0.1F,
                                          .raw = true,
                                          .title = comparison->target->name});
    chart_add_line(panel, (ChartLine){.points = points.items,
                                      .count = points.count,
                                      .gap = gap,
                                      .role = look.role,
                                      .width = leads ? 1.6F : 1.2F,
                                      .dash = look.dash,
                                      .column = grey_column(view, comparison->target),
                                      .title = comparison->target->name});
}

// Zero, the band and the smoothed lines are in sight, and of the raw points, which come first,
// 99.5 %: room for what is there, so that a difference of one sign has all of the height.
static void difference_range(ChartPanel *panel, const double *const *values, size_t value_count,
                             size_t count, double floor)
{
    double most = floor, least = -floor;
    Arena *scratch = arena_new();
    double *found = ARENA_ARRAY(scratch, double, count + 1);
    for (size_t v = 0; v < value_count; v++) {
        size_t finite = 0;
        for (size_t i = 0; i < count; i++)
            if (isfinite(values[v][i]))
                found[finite++] = values[v][i];
        if (finite == 0)
            continue;
        most = fmax(most, quantile_of(found, finite, v == 0 ? 0.9975 : 1));
        least = fmin(least, quantile_of(found, finite, v == 0 ? 0.0025 : 0));
    }
    arena_release(scratch);
    double room = most > least ? 0.075 * (most - least) : 1;
    panel->high = most + room;
    panel->low = least - room;
}

// The lines of the other targets, which come first in a panel, are in sight too.
static void widen_to_lines(ChartPanel *panel, size_t count)
{
    double most = panel->high, least = panel->low;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < panel->lines[i].count; k++) {
            Point point = point_at(panel->lines[i].points, k);
            if (!isfinite(point.value))
                continue;
            most = fmax(most, point.value);
            least = fmin(least, point.value);
        }
    double room = 0.05 * (most - least);
    panel->high = most > panel->high ? most + room : panel->high;
    panel->low = least < panel->low ? least - room : panel->low;
}

static Str signed_number(double value, int digits, Arena *arena)
{
    Str text = figure_number(value, digits, arena);
    return value > 0 ? str_printf(arena, "+" STR_FMT, STR_ARG(text)) : text;
}

static Str late_value(double late, bool percent, Arena *arena)
{
    return str_printf(arena, STR_FMT "%s", STR_ARG(signed_number(late, 2, arena)),
                      percent ? " %" : "");
}

// The late means of the runs in grey, which share one label.
static void label_grey_lates(ChartPanel *panel, const GreyEnds *grey, bool percent, Arena *arena)
{
    if (grey->count == 0)
        return;
    Str low = late_value(grey->values.low, percent, arena);
    Str high = late_value(grey->values.high, percent, arena);
    Str value = str_printf(arena, tr(STR_FMT " to " STR_FMT), STR_ARG(low), STR_ARG(high));
    chart_add_end(panel, (ChartEnd){.name = grey_name(grey, arena),
                                    .brief_name = grey_name_brief(grey, arena),
                                    .value = value,
                                    .at = grey->values.low / 2 + grey->values.high / 2,
                                    .role = ROLE_INK3});
}

// Whether golden goes on where the two are no longer compared: the target died, or is NaN.
static bool ends_early(const CurveComparison *comparison, Arena *arena)
{
    const Series *golden = run_series(comparison->golden, str_cstr(arena, comparison->series));
    const Band *band = &comparison->band;
    return golden && golden->count && band->count &&
           golden->points.x[golden->count - 1] > band->x[band->count - 1];
}

// What stands below the late mean: what it is, or the target's name where there are several.
static Str late_words(const CurvesView *view, const CurveComparison *comparison, bool percent,
                      Arena *arena)
{
    char whole[NUMBER_BYTES];
    Str last = figure_count(comparison->band.tail.count, arena);
    if (view->report->runs->count > 3)
        return curves_run_name(view, comparison->target, CURVES_NAME_ROOM, arena);
    if (!percent && ends_early(comparison, arena))
        return str_printf(arena, tr("mean of the " STR_FMT " up to %lld"), STR_ARG(last),
                          (long long)comparison->band.x[comparison->band.count - 1]);
    if (!percent)
        return str_printf(arena, tr("mean of the last " STR_FMT), STR_ARG(last));
    number_significant(100 * comparison->stats.mean_relative, 2, whole);
    return str_printf(arena, tr("whole-run mean %s %%"), whole);
}

// The ends of a difference: their late means.
static void add_difference_ends(ChartPanel *panel, const CurvesView *view,
                                const CurveComparison *leading, double factor, Arena *arena)
{
    const CurveFindings *report = view->report;
    GreyEnds grey = {.values = {INFINITY, -INFINITY}};
    bool percent = factor > 0;
    for (size_t i = 0; i < report->count; i++) {
        const CurveComparison *comparison = &report->items[i];
        const Band *band = &comparison->band;
        if (!str_equal(comparison->series, leading->series) || band->count == 0)
            continue;
        double late = percent ? factor * band->late_relative : band->late_mean;
        if (curves_is_grey(view, comparison->target)) {
            add_grey_end(&grey, (Point){0, late});
            continue;
        }
        RunLook look = curves_run_look(view, comparison->target);
        chart_add_end(panel, (ChartEnd){.name = late_value(late, percent, arena),
                                        .value = late_words(view, comparison, percent, arena),
                                        .named_below = true,
                                        .at = late,
                                        .role = look.role});
    }
    label_grey_lates(panel, &grey, percent, arena);
}

static Str difference_note(const CurveComparison *comparison, Arena *arena)
{
    const Band *band = &comparison->band;
    Str window = figure_count(drawn_window(band->count), arena);
    if (!comparison->has_band)
        return str_printf(
            arena, tr("raw faint, centred mean of " STR_FMT " over it; band = the tolerance"),
            STR_ARG(window));
    return str_printf(arena,
                      tr("golden = mean of %zu runs; centred mean of " STR_FMT
                         "; band = 3 sigma of the "
                         "golden runs"),
                      band->runs, STR_ARG(window));
}

// The band around zero.
static void begin_difference(const CurveComparison *comparison, Arena *arena, ChartPanel *out)
{
    const Band *band = &comparison->band;
    double *low = ARENA_ARRAY(arena, double, band->count + 1);
    double *high = band->limit;
    *out = (ChartPanel){.height = 150};
    if (comparison->has_band)
        high = ARENA_ARRAY(arena, double, band->count + 1);
    for (size_t i = 0; i < band->count; i++) {
        high[i] = comparison->has_band ? 3 * band->sigma[i] : high[i];
        low[i] = -high[i];
    }
    out->band = noise_band(comparison, low, high, arena);
    chart_add_level(out, (ChartLevel){0, true});
}

static void end_difference(const CurvesView *view, const CurveComparison *comparison, Arena *arena,
                           ChartPanel *out)
{
    const Band *band = &comparison->band;
    const double *low = out->band.low, *high = out->band.high;
    add_difference_lines(out, comparison, view, band->difference, band->smoothed, true, arena);
    const double *values[] = {band->difference, band->smoothed, low, high};
    difference_range(out, values, 4, band->count, 0);
}

void curves_target_panel(const CurvesView *view, const CurveComparison *comparison, Arena *arena,
                         ChartPanel *out)
{
    begin_difference(comparison, lines_arena(view, arena), out);
    end_difference(view, comparison, arena, out);
}

void curves_difference_panel(const CurvesView *view, const CurveComparison *comparison,
                             Arena *arena, ChartPanel *out)
{
    const CurveFindings *report = view->report;
    begin_difference(comparison, lines_arena(view, arena), out);
    for (size_t i = 0; i < report->count; i++) {
        const CurveComparison *other = &report->items[i];
        if (other != comparison && str_equal(other->series, comparison->series))
            add_difference_lines(out, other, view, other->band.difference, other->band.smoothed,
                                 false, arena);
    }
    size_t others = out->line_count;
    end_difference(view, comparison, arena, out);
    widen_to_lines(out, others);
    out->heading = str_printf(arena, tr(STR_FMT ", target − golden"),
                              STR_ARG(curves_heading(comparison->series)));
    out->note = difference_note(comparison, arena);
    add_difference_ends(out, view, comparison, 0, arena);
    Str patch = comparison->has_band ? str_of(tr("noise, ±3 sigma")) : str_of(tr("tolerance"));
    chart_add_end(
        out,
        (ChartEnd){.name = patch, .at = 0.6 * out->low, .role = ROLE_NOISEBAND, .patch = true});
}

static double per_cent(double difference, double golden, double least)
{
    return 100 * difference / fmax(fabs(golden), least);
}

// The difference in per cent of golden, step by step and smoothed.
static void relative_error(const Band *band, Arena *arena, double **raw, double **line)
{
    Arena *scratch = arena_new();
    double *centre = ARENA_ARRAY(scratch, double, band->count + 1);
    *raw = ARENA_ARRAY(arena, double, band->count + 1);
    *line = ARENA_ARRAY(arena, double, band->count + 1);
    centred_mean(band->centre, band->count, drawn_window(band->count), centre);
    double least = difference_least_scale(band->centre, band->count);
    for (size_t i = 0; i < band->count; i++) {
        (*raw)[i] = per_cent(band->difference[i], band->centre[i], least);
        (*line)[i] = per_cent(band->smoothed[i], centre[i], least);
    }
    arena_release(scratch);
}

void curves_relative_panel(const CurvesView *view, const CurveComparison *comparison, Arena *arena,
                           ChartPanel *out)
{
    const CurveFindings *report = view->report;
    double *raw, *line;
    *out = (ChartPanel){.heading = str_of(tr("Relative error, %")), .height = 110};
    bool loss = comparison->judged;
    double limit = 100 * (loss ? comparison->limits->mean_relative
                               : series_class_share(series_class(comparison->series)));
    out->note = str_printf(arena,
                           loss ? tr("of the loss, same centred mean; dashed: ±%g %%")
                                : tr("of golden, same centred mean; dashed: ±%g %%"),
                           limit);
    chart_add_level(out, (ChartLevel){limit, false});
    chart_add_level(out, (ChartLevel){-limit, false});
    chart_add_level(out, (ChartLevel){0, true});
    for (size_t i = 0; i < report->count; i++) {
        const CurveComparison *other = &report->items[i];
        if (other == comparison || !str_equal(other->series, comparison->series))
            continue;
        relative_error(&other->band, lines_arena(view, arena), &raw, &line);
        add_difference_lines(out, other, view, raw, line, false, arena);
    }
    size_t others = out->line_count;
    relative_error(&comparison->band, lines_arena(view, arena), &raw, &line);
    add_difference_lines(out, comparison, view, raw, line, true, arena);
    const double *values[] = {raw, line};
    difference_range(out, values, 2, comparison->band.count, limit);
    widen_to_lines(out, others);
    add_difference_ends(out, view, comparison, 100, arena);
}
