// SPDX-License-Identifier: Apache-2.0
// What is seen in runs without a golden one.
#include "verdict/course_verdict.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/words.h"
#include "read/log/health_file.h"
#include "trend/curves/difference.h"
#include "trend/curves/series_class.h"
#include "trend/curves/smooth.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

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
    bool any;
    Str of;  // the series where it is not the loss
    int64_t step;
    double value;
} Found;

static void find_broken(const Run *run, const Series *series, Found *found)
{
    bool of_norm = series_class(series->name) == SERIES_NORM;
    const double *value = series->points.value;
    for (size_t i = 0; i < series->count; i++) {
        if (isfinite(value[i]) || point_is_absent(value[i]))
            continue;
        Point point = point_at(series->points, i);
        if (found->any && found->step <= point.x)
            return;
        if (of_norm && is_skipped(run, point.x))
            continue;
        bool loss = str_equal(series->name, STR("loss"));
        *found = (Found){true, loss ? STR("") : series->name, point.x, point.value};
        return;
    }
}

// The loss first: of series that break at one step it speaks.
static Found first_broken(const Run *run)
{
    Found found = {0};
    const Series *loss = run_series(run, "loss");
    if (loss)
        find_broken(run, loss, &found);
    for (size_t i = 0; i < run->series_count; i++)
        if (series_class(run->series[i].name) != SERIES_OTHER)
            find_broken(run, &run->series[i], &found);
    const Event *event = first_event(run, EVENT_NAN);
    if (event && (!found.any || event->step < found.step))
        found = (Found){true, STR(""), event->step, (double)NAN};
    return found;
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

// What a run does to the agreement of its own parts, as of rollout and trainer, should stay as it
// was: the last fifth against the first, where it grew by so much and its scatter does not explain
// it.
#define DRIFT_FACTOR_OF_RUN 2
#define SURE_ERRORS         5
enum { DRIFT_STEPS = 20 };

static double drift_of(const Series *series, double *first, double *last)
{
    size_t count = series->count, end = count / 5;
    if (count < DRIFT_STEPS || series_class(series->name) != SERIES_ENGINE)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(series->points.value[i]))
            return 0;
    Tail whole, early, late;
    const double *values = series->points.value;
    const Wander wander = wander_of(values, count, 1, 0);
    difference_line(values, 0, count, &wander, &whole);
    difference_line(values, 0, end, &wander, &early);
    difference_line(values, count - end, count, &wander, &late);
    *first = early.mean;
    *last = late.mean;
    double error = SURE_ERRORS * sqrt(2) * wander_error(&wander, end);
    bool grows = late.mean - early.mean > error && whole.mean > early.mean;
    return grows && early.mean > 0 ? late.mean / early.mean : 0;
}

static bool name_drift(const Run *run, Arena *arena, Verdict *out)
{
    const Series *worst = NULL;
    double most = DRIFT_FACTOR_OF_RUN, from = 0, to = 0;
    for (size_t i = 0; i < run->series_count; i++) {
        double first = 0, last = 0, grown = drift_of(&run->series[i], &first, &last);
        if (grown < most)
            continue;
        most = grown;
        worst = &run->series[i];
        from = first;
        to = last;
    }
    if (!worst)
        return false;
    const Series *rate = run_series(run, "lr");
    bool still = rate && rate->count;
    for (size_t i = 0; still && i < rate->count; i++)
        still = rate->points.value[i] == 0;
    out->style = STYLE_WARNING;
    out->word = str_of(tr("DRIFTS"));
    out->joint = STR(" ");
    out->place =
        str_printf(arena, tr(STR_FMT " grows to ×" STR_FMT " (" STR_FMT " to " STR_FMT ")%s"),
                   STR_ARG(worst->name), STR_ARG(figure_number(most, 2, arena)),
                   STR_ARG(figure_number(from, 2, arena)), STR_ARG(figure_number(to, 2, arena)),
                   still ? tr(" at learning rate 0") : "");
    return true;
}

// A loss whose end is a quarter above its lowest level, and more than it scatters by.
#define RISE_SHARE    0.25
#define RISE_SCATTERS 5
enum { RISE_WINDOW = 21, RISE_STEPS = 60 };

// "RISES to 1,721 at step 400, from 1.95 at step 241". False where it does not.
static bool name_rise(const Series *loss, Arena *arena, Verdict *out)
{
    size_t count = loss ? loss->count : 0, low = 0, lowest = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(loss->points.value[i]))
            return false;
        lowest = loss->points.value[i] < loss->points.value[lowest] ? i : lowest;
    }
    if (count < RISE_STEPS)
        return false;
    double *level = ARENA_ARRAY(arena, double, count);
    const Wander wander = wander_of(loss->points.value, count, 3, 0);
    running_median(loss->points.value, count, RISE_WINDOW, level);
    for (size_t i = 0; i < count; i++)
        low = level[i] < level[low] ? i : low;
    double end = level[count - 1], rise = end - level[low];
    if (!(level[low] > 0) || !(rise > RISE_SHARE * level[low]) ||
        !(rise > RISE_SCATTERS * wander_error(&wander, RISE_WINDOW)))
        return false;
    out->style = STYLE_WARNING;
    out->word = str_of(tr("RISES"));
    out->joint = STR(" ");
    out->place = str_printf(arena, tr("from " STR_FMT " at step " STR_FMT),
                            STR_ARG(figure_number(loss->points.value[lowest], 3, arena)),
                            STR_ARG(figure_step(loss->points.x[lowest], arena)));
    return true;
}

static bool is_calm(const Series *loss)
{
    return loss && loss->count >= SEARCHED &&
           loss->points.value[loss->count - 1] <= loss->points.value[0];
}

// The same norm after a recovery is that of the data or the model; another one was a fault.
#define SAME_NORM 0.01

// "step 1,370: the norm was 88.25, 2.312 after the recovery: a fault of that one run".
static void tell_recovery(StrBuf *text, int64_t step, double before, double after, Arena *arena)
{
    Str at = figure_step(step, arena), one = figure_number(before, 4, arena);
    Str two = figure_number(after, 4, arena);
    bool same = fabs(after - before) <= SAME_NORM * fabs(before);
    if (point_is_absent(after))
        strbuf_printf(text,
                      tr("step " STR_FMT ": the norm was " STR_FMT ", no recovery is recorded"),
                      STR_ARG(at), STR_ARG(one));
    else if (same)
        strbuf_printf(text,
                      tr("step " STR_FMT ": the norm was " STR_FMT ", " STR_FMT
                         " after the recovery: the data or the model"),
                      STR_ARG(at), STR_ARG(one), STR_ARG(two));
    else
        strbuf_printf(text,
                      tr("step " STR_FMT ": the norm was " STR_FMT ", " STR_FMT
                         " after the recovery: a fault of that one run"),
                      STR_ARG(at), STR_ARG(one), STR_ARG(two));
}

static bool name_recoveries(const Run *run, Arena *arena, Verdict *out)
{
    enum { SHOWN = 4 };
    const Series *before = run_series(run, ABNORMAL_NORM_FIRST);
    const Series *after = run_series(run, ABNORMAL_NORM_AFTER);
    if (strcmp(run->format, ABNORMAL_NORM_FORMAT) != 0 || !before)
        return false;
    StrBuf text = strbuf_new(arena);
    for (size_t i = 0; i < before->count && i < SHOWN; i++) {
        Point point = point_at(before->points, i);
        double later = after ? series_at(after, point.x) : point_absent();
        strbuf_printf(&text, "%s", i ? "; " : "");
        tell_recovery(&text, point.x, point.value, later, arena);
    }
    if (before->count > SHOWN)
        strbuf_printf(&text, tr("; and %zu more"), before->count - SHOWN);
    out->style = STYLE_WARNING;
    out->word = str_of(tr("STOPPED"));
    out->joint = STR(" ");
    out->place = str_printf(
        arena,
        tr_count(before->count, "%zu time for an abnormal norm", "%zu times for an abnormal norm"),
        before->count);
    out->reason = strbuf_str(&text);
    return true;
}

// The gravest of what was found in one run. False, and nothing written, where nothing can be said:
// no loss, one of under 100 points, or one that ends above its beginning.
static bool name_course(const CurveFindings *report, Arena *arena, Verdict *out)
{
    const Run *run = &report->runs->items[0];
    if (name_recoveries(run, arena, out))
        return true;
    Found found = first_broken(run);
    const Event *event = NULL;
    if (found.any) {
        name_step(isnan(found.value) ? TR("NaN") : TR("Inf"), found.step, arena, out);
        if (str_equal(found.of, STR("grad_norm")))
            out->place =
                str_printf(arena, tr(STR_FMT " of the gradient norm"), STR_ARG(out->place));
        else if (found.of.size)
            out->place = str_printf(arena, tr(STR_FMT " of " STR_FMT), STR_ARG(out->place),
                                    STR_ARG(found.of));
        return true;
    }
    event = first_event(run, EVENT_ABORT);
    if (event) {
        name_step(TR("STOPPED"), event->step, arena, out);
        return true;
    }
    if (name_rise(run_series(run, "loss"), arena, out) || name_drift(run, arena, out) ||
        name_spikes(report, arena, out))
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

static const Run *first_with_loss(const Runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        const Series *loss = run_series(&runs->items[i], "loss");
        if (loss && loss->count)
            return &runs->items[i];
    }
    return NULL;
}

// "the run stopped at step 262"
static Str stop_text(const Run *run, Arena *arena)
{
    const Event *abort = first_event(run, EVENT_ABORT);
    return abort ? str_printf(arena, tr("; the run stopped itself at step " STR_FMT),
                              STR_ARG(figure_step(abort->step, arena)))
                 : STR("");
}

// "; NaN or Inf at 2 steps, the first is 150"
static Str gaps_text(const Series *loss, size_t end, Arena *arena)
{
    size_t count = 0, first = 0;
    for (size_t i = end; i-- > 0;)
        if (!isfinite(loss->points.value[i])) {
            first = i;
            count++;
        }
    if (count == 0)
        return STR("");
    return str_printf(arena,
                      tr_count(count, "; NaN or Inf at %zu step: " STR_FMT,
                               "; NaN or Inf at %zu steps, the first is " STR_FMT),
                      count, STR_ARG(figure_step(loss->points.x[first], arena)));
}

// "; NaN from step 410 to the end", and what was none before.
static Str nan_text(const Series *loss, Arena *arena)
{
    size_t from = loss->count;
    while (from > 0 && isnan(loss->points.value[from - 1]))
        from--;
    Str gaps = gaps_text(loss, from, arena);
    if (from == loss->count)
        return gaps;
    Str tail = str_printf(arena, tr("; NaN from step " STR_FMT " to the end"),
                          STR_ARG(figure_step(loss->points.x[from], arena)));
    return str_concat(arena, gaps, tail);
}

Str series_names_text(const Run *run, Arena *arena)
{
    enum { NAMES = 4 };
    StrBuf text = strbuf_new(arena);
    if (!run)
        return STR("");
    for (size_t i = 0; i < run->series_count && i < NAMES; i++)
        strbuf_printf(&text, "%s" STR_FMT, i ? ", " : "", STR_ARG(run->series[i].name));
    if (run->series_count > NAMES)
        strbuf_printf(&text, tr(" and %zu more"), run->series_count - NAMES);
    return strbuf_str(&text);
}

// "loss 10.7 to 2.34 over 500 points", of the first run that has one.
static Str course_text(const CurveFindings *report, Arena *arena)
{
    const Run *run = first_with_loss(report->runs);
    if (!run && report->runs->count)
        return str_printf(arena, tr("no series is called loss; there are " STR_FMT ": --loss NAME"),
                          STR_ARG(series_names_text(&report->runs->items[0], arena)));
    if (!run)
        return str_of(tr("no series is called loss"));
    const Series *loss = run_series(run, "loss");
    Str first = figure_number(loss->points.value[0], 3, arena);
    Str last = figure_number(loss->points.value[loss->count - 1], 3, arena);
    Str points = figure_count(loss->count, arena);
    Str stop = str_concat(arena, nan_text(loss, arena), stop_text(run, arena));
    return str_printf(arena,
                      tr_count(loss->count,
                               "loss " STR_FMT " to " STR_FMT " over " STR_FMT " point" STR_FMT,
                               "loss " STR_FMT " to " STR_FMT " over " STR_FMT " points" STR_FMT),
                      STR_ARG(first), STR_ARG(last), STR_ARG(points), STR_ARG(stop));
}

// How many runs are no number at their end, and the first of these.
typedef struct BrokenRuns {
    size_t count;
    const Run *first;
    int64_t from;
} BrokenRuns;

// Whether the run is one of them.
static bool add_broken(BrokenRuns *broken, const Run *run, const Series *loss, size_t finite)
{
    if (finite == loss->count || point_is_absent(loss->points.value[loss->count - 1]))
        return false;
    if (broken->count++)
        return true;
    broken->first = run;
    broken->from = loss->points.x[finite];
    return true;
}

// "; no number at the end of 1 run: run4, from step 201 on"
static Str broken_text(const BrokenRuns *broken, Arena *arena)
{
    if (broken->count == 0)
        return STR("");
    return str_printf(
        arena,
        tr_count(broken->count,
                 "; no number at the end of %zu run: " STR_FMT ", from step " STR_FMT " on",
                 "; no number at the end of %zu runs, the first is " STR_FMT ", from step " STR_FMT
                 " on"),
        broken->count, STR_ARG(broken->first->name), STR_ARG(figure_step(broken->from, arena)));
}

// "the loss ends between 1.98 and 3.5, highest in run7": of several runs. Where a run had its last
// number before it broke is no end.
static Str courses_text(const CurveFindings *report, Arena *arena)
{
    const Run *highest = NULL;
    double low = INFINITY, high = -INFINITY;
    BrokenRuns broken = {0};
    for (size_t i = 0; i < report->runs->count; i++) {
        const Run *run = &report->runs->items[i];
        const Series *loss = run_series(run, "loss");
        size_t finite = loss ? loss->count : 0;
        while (finite > 0 && !isfinite(loss->points.value[finite - 1]))
            finite--;
        bool broke = loss && loss->count && add_broken(&broken, run, loss, finite);
        if (broke || finite == 0)
            continue;
        double last = loss->points.value[finite - 1];
        low = last < low ? last : low;
        highest = last > high ? run : highest;
        high = last > high ? last : high;
    }
    Str broken_words = broken_text(&broken, arena);
    if (!highest)
        return str_concat(arena, course_text(report, arena), broken_words);
    Str least = figure_number(low, 3, arena), most = figure_number(high, 3, arena);
    return str_printf(
        arena, tr("the loss ends between " STR_FMT " and " STR_FMT ", highest in " STR_FMT STR_FMT),
        STR_ARG(least), STR_ARG(most), STR_ARG(highest->name), STR_ARG(broken_words));
}

// Of skips and aborts only what was seen, or what the records would have counted.
static Str marks_text(const CurveFindings *report, Arena *arena)
{
    size_t skips = 0, overflows = 0, aborts = 0, spikes = 0;
    bool told = report->runs->count > 0;
    for (size_t i = 0; i < report->runs->count; i++) {
        const Run *run = &report->runs->items[i];
        skips += run_event_count(run, EVENT_SKIP);
        overflows += run_event_count(run, EVENT_OVERFLOW);
        aborts += run_event_count(run, EVENT_ABORT);
        told = told && run->tells_skips;
    }
    for (size_t i = 0; i < report->spikes_count; i++)
        spikes += report->spikes[i].spikes.count;
    StrBuf text = strbuf_new(arena);
    if (skips || (told && !overflows)) {
        strbuf_printf(&text, tr("skips %zu"), skips);
        strbuf_add(&text, STR(" · "));
    } else if (overflows) {
        strbuf_printf(&text, tr("overflows %zu"), overflows);
        strbuf_add(&text, STR(" · "));
    }
    strbuf_printf(&text, tr("spikes %zu"), spikes);
    if (aborts || told) {
        strbuf_add(&text, STR(" · "));
        strbuf_printf(&text, tr("aborts %zu"), aborts);
    }
    return strbuf_str(&text);
}

void course_verdict(const CurveFindings *report, Arena *arena, Verdict *out)
{
    size_t count = report->runs->count;
    out->word = str_of(tr("SHOWN"));
    out->style = STYLE_PLAIN;
    out->joint = STR(" ");
    out->place =
        count == 1 ? report->runs->items[0].name : str_printf(arena, tr("%zu runs"), count);
    out->reason = (count == 1 ? course_text : courses_text)(report, arena);
    out->context = marks_text(report, arena);
    Str name = out->place;
    if (count == 1 && name_course(report, arena, out) && !str_equal(name, out->place)) {
        Str joint = str_trim(out->joint);
        out->reason =
            str_printf(arena, tr(STR_FMT ": " STR_FMT), STR_ARG(name), STR_ARG(out->reason));
        name = str_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(joint), joint.size ? " " : "",
                          STR_ARG(out->place));
    }
    Str rest = str_printf(arena, tr(STR_FMT ": " STR_FMT " · " STR_FMT), STR_ARG(name),
                          STR_ARG(out->reason), STR_ARG(out->context));
    out->sentence = verdict_sentence(out, rest, arena);
}
