// SPDX-License-Identifier: Apache-2.0
// What is seen in one run without a golden one.
#include "verdict/course_verdict.h"

#include <math.h>

#include "base/sort.h"
#include "base/words.h"
#include "verdict/figure_text.h"

// Points of which the search for spikes, which needs 33 to begin with, has judged two thirds.
enum { SEARCHED = 100 };

// The first event of the kind; NULL without one.
static const Event *first_event(const Run *run, EventKind kind)
{
    for (size_t i = 0; i < run->events.count; i++)
        if (run->events.items[i].kind == kind)
            return &run->events.items[i];
    return NULL;
}

// A norm without a number is what a skipped step is skipped for.
static bool is_skipped(const Run *run, int64_t step)
{
    const Event *events = run->events.items;
    size_t at;
    FIND_FIRST(at, run->events.count, events[at].step < step);
    for (; at < run->events.count && events[at].step == step; at++)
        if (events[at].kind == EVENT_SKIP || events[at].kind == EVENT_OVERFLOW)
            return true;
    return false;
}

typedef struct Found {
    bool any, of_norm;
    int64_t step;
    double value;
} Found;

static void find_broken(const Run *run, const char *name, Found *found)
{
    const Series *series = run_series(run, name);
    bool of_norm = str_equal(str_of(name), STR("grad_norm"));
    const double *value = series ? series->points.value : NULL;
    for (size_t i = 0, count = series ? series->count : 0; i < count; i++) {
        if (isfinite(value[i]) || point_is_absent(value[i]))
            continue;
        Point point = point_at(series->points, i);
        if (found->any && found->step <= point.x)
            return;
        if (of_norm && is_skipped(run, point.x))
            continue;
        *found = (Found){true, of_norm, point.x, point.value};
        return;
    }
}

static void name_step(const char *word, int64_t step, Arena *arena, Verdict *out)
{
    out->style = STYLE_WARNING;
    out->word = str_of(tr(word));
    out->joint = str_of(tr("at"));
    out->place = str_printf(arena, tr("step " STR_FMT), STR_ARG(figure_step(step, arena)));
}

// "SPIKES 3, first at step 120"
static void name_count(const char *word, size_t count, int64_t step, Arena *arena, Verdict *out)
{
    Str first = figure_step(step, arena);
    out->style = STYLE_PLAIN;
    out->word = str_of(tr(word));
    out->joint = STR(" ");
    out->place =
        str_printf(arena, tr_count(count, "%zu, at step " STR_FMT, "%zu, first at step " STR_FMT),
                   count, STR_ARG(first));
}

static bool name_spikes(const CurveFindings *report, Arena *arena, Verdict *out)
{
    size_t count = 0;
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < report->spikes_count; i++)
        for (size_t k = 0; k < report->spikes[i].spikes.count; k++, count++)
            if (report->spikes[i].spikes.items[k].peak < first)
                first = report->spikes[i].spikes.items[k].peak;
    if (count == 0)
        return false;
    name_count(TR("SPIKES"), count, first, arena, out);
    out->style = STYLE_WARNING;
    return true;
}

static bool is_calm(const Series *loss)
{
    return loss && loss->count >= SEARCHED &&
           loss->points.value[loss->count - 1] <= loss->points.value[0];
}

bool course_verdict(const CurveFindings *report, Arena *arena, Verdict *out)
{
    const Run *run = &report->runs->items[0];
    Found found = {0};
    find_broken(run, "loss", &found);
    find_broken(run, "grad_norm", &found);
    const Event *event = first_event(run, EVENT_NAN);
    if (event && (!found.any || event->step < found.step))
        found = (Found){true, false, event->step, (double)NAN};
    if (found.any) {
        name_step(isnan(found.value) ? TR("NaN") : TR("Inf"), found.step, arena, out);
        if (found.of_norm)
            out->place =
                str_printf(arena, tr(STR_FMT " of the gradient norm"), STR_ARG(out->place));
        return true;
    }
    event = first_event(run, EVENT_ABORT);
    if (event) {
        name_step(TR("STOPPED"), event->step, arena, out);
        return true;
    }
    if (name_spikes(report, arena, out))
        return true;
    event = first_event(run, EVENT_SKIP);
    if (event) {
        name_count(TR("SKIPS"), run_event_count(run, EVENT_SKIP), event->step, arena, out);
        return true;
    }
    if (!is_calm(run_series(run, "loss")))
        return false;
    out->style = STYLE_PLAIN;
    out->word = str_of(tr("QUIET"));
    out->joint = STR(" ");
    out->place = run->name;
    return true;
}
