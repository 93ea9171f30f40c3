// SPDX-License-Identifier: Apache-2.0
// What the parts of the picture of curves ask: which series are shown, where they begin and end,
// which comparison they tell of, and how a run looks.
#include "picture/curves/curves_view.h"

#include <math.h>

#include "base/words.h"
#include "picture/kit/axis.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "trend/curves/smooth.h"
#include "verdict/curves_verdict.h"

bool curves_shown(const CurvesView *view, Str series)
{
    Str rest = view->series, name;
    if (rest.size == 0)
        return true;
    while (str_split(&rest, ',', &name))
        if (str_equal(str_trim(name), series))
            return true;
    return false;
}

Str curves_x_label(const CurvesView *view, int64_t x, Arena *arena)
{
    return view->over_time ? axis_time_label(x, arena) : axis_step_label(x, arena);
}

void curves_extent(const CurvesView *view, int64_t *first, int64_t *last)
{
    bool any = false;
    *first = 0;
    *last = 0;
    for (size_t i = 0; i < view->report->runs->count; i++) {
        const Run *run = &view->report->runs->items[i];
        for (size_t k = 0; k < run->series_count; k++) {
            const Series *series = &run->series[k];
            if (series->count == 0 || !curves_shown(view, series->name))
                continue;
            int64_t low = series->points.x[0], high = series->points.x[series->count - 1];
            *first = !any || low < *first ? low : *first;
            *last = !any || high > *last ? high : *last;
            any = true;
        }
    }
}

const CurveComparison *curves_leading(const CurvesView *view)
{
    const CurveComparison *deciding = curves_deciding(view->report);
    bool shown = deciding && curves_shown(view, deciding->series);
    if (shown && (str_equal(deciding->series, STR("loss")) ||
                  (deciding->beyond && deciding->band.count > 1)))
        return deciding;
    for (size_t i = 0; i < view->report->count; i++)
        if (str_equal(view->report->items[i].series, STR("loss")))
            return &view->report->items[i];
    return NULL;
}

enum { PALETTE = 6, BESIDE_GOLDEN = 5 };

static size_t outlier_place(const CurvesView *view, const Run *run)
{
    size_t i = 0;
    while (i < view->outlier_count && view->outliers[i] != run)
        i++;
    return i;
}

bool curves_is_grey(const CurvesView *view, const Run *run)
{
    bool pale = run->role == ROLE_SINGLE || run->role == ROLE_TARGET_RUN;
    return pale && view->report->runs->count > CURVES_MANY &&
           outlier_place(view, run) == view->outlier_count;
}

RunLook curves_run_look(const CurvesView *view, const Run *run)
{
    static const RunLook others[PALETTE] = {
        {ROLE_TARGET, 1.3F, 0}, {ROLE_NOISE, 1.6F, 0}, {ROLE_GOLDEN, 1.6F, 0},
        {ROLE_ACCENT, 1.3F, 6}, {ROLE_NAN, 1.3F, 3},   {ROLE_WARNING_EDGE, 1.3F, 8},
    };
    // Black is golden's, and blue first that of its noise.
    static const RunLook targets[BESIDE_GOLDEN] = {{ROLE_TARGET, 1.3F, 0},
                                                   {ROLE_NAN, 1.3F, 3},
                                                   {ROLE_WARNING_EDGE, 1.3F, 8},
                                                   {ROLE_ACCENT, 1.3F, 6},
                                                   {ROLE_NOISE, 1.3F, 3}};
    size_t place = view->places[run - view->report->runs->items];
    size_t outlier = outlier_place(view, run);
    if (curves_is_grey(view, run))
        return (RunLook){ROLE_INK3, 1, 0};
    if (outlier < view->outlier_count)
        return run->role == ROLE_TARGET_RUN ? targets[outlier % BESIDE_GOLDEN] : others[outlier];
    switch (run->role) {
    case ROLE_GOLDEN_RUN:
        return (RunLook){ROLE_GOLDEN, 3, 0};
    case ROLE_NOISE_RUN:
        return (RunLook){ROLE_NOISE, 1.6F, (float)(place % 3) * 4};
    case ROLE_TARGET_RUN:
        return targets[place % BESIDE_GOLDEN];
    case ROLE_SINGLE:
        break;
    }
    return others[place % PALETTE];
}

// NaN without a finite value.
static double last_loss(const Run *run)
{
    const Series *loss = run_series(run, "loss");
    for (size_t i = loss ? loss->count : 0; i > 0; i--)
        if (isfinite(loss->points.value[i - 1]))
            return loss->points.value[i - 1];
    return (double)NAN;
}

static void add_outlier(CurvesView *view, const Run *run, double far, double *distances)
{
    size_t at = view->outlier_count;
    while (at > 0 && distances[at - 1] < far)
        at--;
    if (at == CURVES_OUTLIERS)
        return;
    view->outlier_count += view->outlier_count < CURVES_OUTLIERS;
    for (size_t k = view->outlier_count - 1; k > at; k--) {
        view->outliers[k] = view->outliers[k - 1];
        distances[k] = distances[k - 1];
    }
    view->outliers[at] = run;
    distances[at] = far;
}

// The run that the verdict names: the deciding target, of runs that are not judged the highest.
static const Run *named_run(const CurvesView *view)
{
    const CurveComparison *deciding = curves_deciding(view->report);
    const Runs *runs = view->report->runs;
    const Run *highest = NULL;
    for (size_t i = 0; i < runs->count; i++)
        if (!highest || last_loss(&runs->items[i]) > last_loss(highest) ||
            isnan(last_loss(highest)))
            highest = &runs->items[i];
    return deciding ? deciding->target : highest;
}

static void find_outliers(CurvesView *view, Arena *arena)
{
    const Runs *runs = view->report->runs;
    double *values = ARENA_ARRAY(arena, double, runs->count + 1);
    double distances[CURVES_OUTLIERS];
    size_t count = 0;
    view->outlier_count = 0;
    if (runs->count <= CURVES_MANY)
        return;
    for (size_t i = 0; i < runs->count; i++)
        if (isfinite(last_loss(&runs->items[i])))
            values[count++] = last_loss(&runs->items[i]);
    double median = quantile_of(values, count, 0.5);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - median);
    double deviation = quantile_of(values, count, 0.5);
    const Run *named = named_run(view);
    for (size_t i = 0; i < runs->count; i++) {
        double far = fabs(last_loss(&runs->items[i]) - median);
        far = &runs->items[i] == named ? INFINITY : far;
        if (!curves_is_grey(view, &runs->items[i]) || !(far > 5 * deviation))
            continue;
        add_outlier(view, &runs->items[i], far, distances);
    }
}

static bool is_separator(char c)
{
    return c == '_' || c == '-' || c == '.' || c == '/' || c == ' ';
}

static size_t shared(Str a, Str b, bool end)
{
    size_t count = 0;
    while (count < a.size && count < b.size &&
           (end ? a.data[a.size - 1 - count] == b.data[b.size - 1 - count]
                : a.data[count] == b.data[count]))
        count++;
    return count;
}

static void measure_names(CurvesView *view)
{
    const Runs *runs = view->report->runs;
    view->names = (CurvesNames){0};
    if (runs->count <= 2)
        return;
    Str first = runs->items[0].name;
    view->names = (CurvesNames){0, first.size, first.size};
    for (size_t i = 0; i < runs->count; i++) {
        Str name = runs->items[i].name;
        size_t front = shared(first, name, false), back = shared(first, name, true);
        view->names.widest = fmax(view->names.widest, text_width(name, SIZE_TEXT, 700));
        view->names.head = front < view->names.head ? front : view->names.head;
        view->names.tail = back < view->names.tail ? back : view->names.tail;
    }
}

static void find_places(CurvesView *view, Arena *arena)
{
    const Runs *runs = view->report->runs;
    size_t *places = ARENA_ARRAY(arena, size_t, runs->count + 1), of_role[ROLE_NOISE_RUN + 1] = {0};
    for (size_t i = 0; i < runs->count; i++)
        places[i] = of_role[runs->items[i].role]++;
    view->places = places;
}

void curves_look_at_runs(CurvesView *view, Arena *arena)
{
    find_places(view, arena);
    find_outliers(view, arena);
    measure_names(view);
}

Str curves_run_name(const CurvesView *view, const Run *run, double room, Arena *arena)
{
    size_t head = view->names.head, tail = view->names.tail;
    while (head > 0 && !is_separator(run->name.data[head - 1]))
        head--;
    while (tail > 0 && !is_separator(run->name.data[run->name.size - tail]))
        tail--;
    if (view->names.widest <= room || head + tail >= run->name.size)
        return run->name;
    return str_printf(arena, "%s" STR_FMT "%s", head ? "…" : "",
                      STR_ARG(str_slice(run->name, head, run->name.size - tail)), tail ? "…" : "");
}

bool curves_leaves(const CurveComparison *comparison, int64_t *step)
{
    if (comparison->stats.one_sided)
        *step = comparison->stats.one_sided_at;
    else
        return band_crossing(&comparison->band, step) ||
               (comparison->finding == FINDING_OUTSIDE &&
                band_first_beyond(&comparison->band, step));
    return true;
}

Str curves_heading(Str series)
{
    static const char *const names[][2] = {
        {"loss", TR("Loss")},
        {"grad_norm", TR("Gradient norm")},
        {"lr", TR("Learning rate")},
        {"loss_scale", TR("Loss scale")},
        {"throughput", TR("Throughput")},
        {"step_time_ms", TR("Time of a step, ms")},
        {"eval_loss", TR("Validation loss")},
        {"params_norm", TR("Norm of all weights")},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_equal(series, str_of(names[i][0])))
            return str_of(tr(names[i][1]));
    return series;
}
