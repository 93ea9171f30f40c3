// SPDX-License-Identifier: Apache-2.0
#include "verdict/curves_coverage.h"

#include <math.h>
#include <string.h>

#include "base/path.h"
#include "base/words.h"
#include "model/run/judged_loss.h"
#include "read/log/series_name.h"
#include "verdict/curves_verdict.h"

static void tell(const CurvesCoverage *about, bool partial, Where where, Str text)
{
    if (partial)
        notices_partial(about->notices, where, STR_FMT, STR_ARG(text));
    else
        notices_add(about->notices, NOTICE_WARNING, where, STR_FMT, STR_ARG(text));
}

static bool has_loss(const Run *run)
{
    const Series *loss = run_series(run, "loss");
    return loss && loss->count;
}

static bool loss_is_compared(const CurveFindings *report, const Run *target)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->items[i].target == target && str_equal(report->items[i].series, STR("loss")))
            return true;
    return false;
}

static const Run *golden_run(const CurvesCoverage *about)
{
    for (size_t i = 0; i < about->runs->count; i++)
        if (about->runs->items[i].role == ROLE_GOLDEN_RUN)
            return &about->runs->items[i];
    return NULL;
}

// Rates and norms that agree say nothing about a loss that could not be compared.
static void note_losses_left_out(const CurvesCoverage *about)
{
    const Run *golden = golden_run(about);
    for (size_t i = 0; golden && about->findings->count && i < about->runs->count; i++) {
        const Run *run = &about->runs->items[i];
        bool any = has_loss(golden) || has_loss(run);
        if (run->role != ROLE_TARGET_RUN || !any || loss_is_compared(about->findings, run))
            continue;
        notices_partial(about->notices, WHERE_FILE(run->files[0]), "%s",
                        !has_loss(run)      ? tr("golden has a loss, this run has none")
                        : !has_loss(golden) ? tr("golden has no loss to compare with")
                                            : tr("no step at which both have a loss"));
    }
}

// A rate, a time or a norm that agrees does not say that the runs do.
static void note_nothing_judged(const CurvesCoverage *about)
{
    const CurveComparison *deciding = curves_deciding(about->findings);
    for (size_t i = 0; i < about->findings->count; i++)
        if (about->findings->items[i].judged)
            return;
    if (!deciding || about->findings->has_norms)
        return;
    const char *name = str_cstr(about->arena, deciding->series);
    bool other = series_facts(deciding->series).core || series_facts(deciding->series).speed;
    Where where = WHERE_FILE(deciding->target->files[0]);
    if (other)
        notices_partial(about->notices, where,
                        tr("no loss is compared; the verdict is that of %s alone"), name);
    else
        notices_partial(about->notices, where,
                        tr("no loss is compared; the verdict is that of %s alone; if that is the "
                           "loss, --loss %s says so"),
                        name, name);
}

// Beyond the tolerance, and the golden runs are too few or too far apart to call it more than
// noise: that is no agreement.
static void note_open_question(const CurvesCoverage *about)
{
    for (size_t i = 0; i < about->findings->count; i++) {
        const CurveComparison *at = &about->findings->items[i];
        bool open = at->judged && at->has_band && at->finding == FINDING_BORDERLINE &&
                    about->findings->criterion == CRITERION_LONG;
        if (open && fabs(at->band.late_mean) > at->scale.absolute &&
            fabs(at->band.late_relative) > about->limits->mean_relative)
            notices_partial(about->notices, WHERE_FILE(at->target->files[0]),
                            tr("%s ends beyond the tolerance, and the noise runs do not tell "
                               "whether that is noise: give more of them"),
                            str_cstr(about->arena, at->series));
    }
}

// What is no number on both sides is a finding of its own, and nothing that agrees.
static void note_not_a_number(const CurvesCoverage *about)
{
    for (size_t i = 0; i < about->findings->count; i++) {
        const CurveComparison *at = &about->findings->items[i];
        bool norm = str_equal(at->series, STR("grad_norm")) && at->stats.points == 0;
        if (at->stats.neither && (at->judged || norm))
            notices_partial(about->notices, WHERE_FILE(at->target->files[0]),
                            tr_count(at->stats.neither,
                                     "%s is NaN on both sides at %zu step, step %lld: nothing is "
                                     "compared there",
                                     "%s is NaN on both sides at %zu steps, first at step %lld: "
                                     "nothing is compared there"),
                            str_cstr(about->arena, at->series), at->stats.neither,
                            (long long)at->stats.neither_at);
    }
    static const char *const names[] = {"loss", "grad_norm"};
    for (size_t i = 0; i < about->runs->count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const Series *series = run_series(&about->runs->items[i], names[k]);
            size_t bad = 0;
            while (series && bad < series->count && isnan(series->points.value[bad]))
                bad++;
            if (bad && bad == series->count)
                notices_add(about->notices, NOTICE_WARNING, WHERE_FILE(series->file),
                            tr("%s is NaN at each of its %zu steps"), names[k], bad);
        }
}

// The mean distance of the steps at which two runs were compared.
static int64_t usual_gap(const Aligned *pair)
{
    int64_t gap =
        pair->count > 1 ? (pair->x[pair->count - 1] - pair->x[0]) / (int64_t)(pair->count - 1) : 1;
    return gap > 0 ? gap : 1;
}

// A distance of so many usual ones in a run is a hole, not its rhythm of printing; what is usual
// is told by so many distances on each side, as a run may print more seldom from a step on.
enum { HOLE_GAPS = 2, GAPS_BESIDE = 3 };

// The median of the distances of the points first to last, 0 without one.
static int64_t median_gap(const PointColumns *points, size_t first, size_t last)
{
    int64_t gaps[GAPS_BESIDE] = {0};
    size_t count = 0;
    for (size_t i = first + 1; i <= last && count < GAPS_BESIDE; i++) {
        int64_t gap = points->x[i] - points->x[i - 1];
        size_t at = count++;
        for (; at > 0 && gaps[at - 1] > gap; at--)
            gaps[at] = gaps[at - 1];
        gaps[at] = gap;
    }
    return count ? gaps[(count - 1) / 2] : 0;
}

// How many steps are missing between the points k - 1 and k, 0 where that is the usual distance.
static size_t hole_before(const Series *in, size_t k)
{
    int64_t gap = in->points.x[k] - in->points.x[k - 1];
    int64_t left = median_gap(&in->points, k > GAPS_BESIDE ? k - 1 - GAPS_BESIDE : 0, k - 1);
    int64_t right = median_gap(&in->points, k, in->count - 1);
    int64_t wide = left > right ? left : right, narrow = left + right - wide;
    if (wide <= 0 || gap / HOLE_GAPS < wide)
        return 0;
    return (size_t)(gap / (narrow > 0 ? narrow : wide) - 1);
}

// Whether its distances come again and again in a row of a few, from its first point to its last:
// steps that are left out so are its rhythm of printing, too.
enum { RHYTHM_MOST = 32, RHYTHM_TIMES = 4 };

static bool has_rhythm(const Series *in)
{
    const int64_t *x = in->points.x;
    for (size_t period = 2; period <= RHYTHM_MOST && RHYTHM_TIMES * period < in->count; period++) {
        size_t k = period + 1;
        while (k < in->count && x[k] - x[k - 1] == x[k - period] - x[k - period - 1])
            k++;
        if (k == in->count)
            return true;
    }
    return false;
}

// A dozen points and less, whose distances are no multiples of the smallest, are what is left of
// more. The first and the last step are printed whatever the rhythm is.
enum { FEW_POINTS = 12 };

static bool is_remnant(const Series *in)
{
    const int64_t *x = in->points.x;
    size_t from = in->count && x[0] <= 1 ? 2 : 1;
    int64_t least = INT64_MAX;
    for (size_t k = from; k + 1 < in->count && in->count <= FEW_POINTS; k++)
        least = x[k] - x[k - 1] < least ? x[k] - x[k - 1] : least;
    for (size_t k = from; k + 1 < in->count && in->count <= FEW_POINTS; k++)
        if ((x[k] - x[k - 1]) % least != 0)
            return true;
    return false;
}

typedef struct Holes {
    size_t count;    // of the steps that are missing in all of them
    int64_t behind;  // the step before the first
} Holes;

// Steps of one series in holes of the other, and where its record is there without the value.
static Holes holes_of(const Series *of, const Series *in)
{
    Holes holes = {0};
    bool rhythm = has_rhythm(in), remnant = is_remnant(in);
    size_t i = 0, a = 0;
    for (size_t k = 0; k < in->count; k++) {
        size_t inside = 0, blank = 0;
        for (; i < of->count && of->points.x[i] < in->points.x[k]; i++) {
            int64_t x = of->points.x[i];
            while (a < in->absent_count && in->absent[a] < x)
                a++;
            inside += k == 0 || x > in->points.x[k - 1];
            blank += a < in->absent_count && in->absent[a] == x;
        }
        size_t places = k && inside && !rhythm ? hole_before(in, k) : 0;
        places = k && remnant ? inside : places;
        size_t missing = inside < places ? inside : places;
        missing = missing > blank ? missing : blank;
        if (missing && holes.count == 0)
            holes.behind = k ? in->points.x[k - 1] : 0;
        holes.count += missing;
    }
    return holes;
}

// One of so many steps may lack (chosen): a run that dies or is cut short lacks more, and what is
// in so few steps of a smooth loss is seen in its neighbours. With more of them a spike that only
// one side printed goes unsaid, with fewer each late start is PARTIAL.
enum { LACKING_SHARE = 20 };

static bool lacks_many(size_t lacking, const CurveComparison *at)
{
    return LACKING_SHARE * lacking > at->pair.count + lacking;
}

// Records without the value, of the run that has more of them where the other's are none: what
// neither run has at a step is not missing there.
static size_t blank_in_one(const Series *a, const Series *b)
{
    size_t both = 0, i = 0, k = 0;
    while (i < a->absent_count && k < b->absent_count) {
        bool same = a->absent[i] == b->absent[k], less = a->absent[i] < b->absent[k];
        both += same;
        i += same || less;
        k += same || !less;
    }
    return (a->absent_count > b->absent_count ? a->absent_count : b->absent_count) - both;
}

// A run that ends early, or has no loss for a part of its steps, was not compared whole.
static void note_short_comparison(const CurvesCoverage *about)
{
    for (size_t i = 0; i < about->findings->count; i++) {
        const CurveComparison *at = &about->findings->items[i];
        if (!at->judged || at->pair.count == 0)
            continue;
        const Series *g = at->golden_series, *t = at->target_series;
        const Series *longer = g->points.x[g->count - 1] >= t->points.x[t->count - 1] ? g : t;
        const Series *shorter = longer == g ? t : g;
        size_t beyond = 0;
        int64_t last = at->pair.x[at->pair.count - 1];
        while (beyond < longer->count && longer->points.x[longer->count - 1 - beyond] > last)
            beyond++;
        // In steps that both could have, where the longer run prints more often.
        size_t places =
            (size_t)((longer->points.x[longer->count - 1] - last) / usual_gap(&at->pair));
        beyond = beyond < places ? beyond : places;
        size_t blank = blank_in_one(g, t);
        size_t fewer = g->count < t->count ? g->count : t->count;
        Holes of_target = holes_of(g, t), of_golden = holes_of(t, g);
        Holes holes = of_target.count >= of_golden.count ? of_target : of_golden;
        size_t lacking = of_target.count + of_golden.count + beyond;
        size_t most = lacking > blank ? lacking : blank;
        bool partial = lacks_many(most, at);
        if (partial && holes.count > beyond && lacking > blank)
            notices_partial(about->notices, WHERE_FILE(at->target->files[0]),
                            tr("%s is compared at %zu of %zu steps: one run lacks the others, "
                               "first behind step %lld"),
                            str_cstr(about->arena, at->series), at->pair.count,
                            at->pair.count + most, (long long)holes.behind);
        else if (partial)
            notices_partial(about->notices, WHERE_FILE(at->target->files[0]),
                            tr("%s is compared at %zu of %zu steps, up to step %lld: one run ends "
                               "early or prints no value"),
                            str_cstr(about->arena, at->series), at->pair.count,
                            at->pair.count + most, (long long)at->pair.x[at->pair.count - 1]);
        else if (2 * at->pair.count < fewer)
            notices_partial(about->notices, WHERE_FILE(at->target->files[0]),
                            tr("%s is compared at %zu of %zu steps: the runs print it at others"),
                            str_cstr(about->arena, at->series), at->pair.count, fewer);
        else if (beyond &&
                 shorter->points.x[shorter->count - 1] < longer->points.x[longer->count - 1])
            notices_add(about->notices, NOTICE_WARNING, WHERE_FILE(at->target->files[0]),
                        tr("%s ends at step %lld in one run, at step %lld in the other"),
                        str_cstr(about->arena, at->series),
                        (long long)shorter->points.x[shorter->count - 1],
                        (long long)longer->points.x[longer->count - 1]);
    }
}

// Steps of one series that the other lacks: between the first and the last of both, and where its
// record is there without the value.
static size_t steps_lacking(const Series *of, const Series *in, int64_t *first)
{
    size_t count = 0, k = 0, a = 0;
    for (size_t i = 0; i < of->count; i++) {
        int64_t x = of->points.x[i];
        while (k < in->count && in->points.x[k] < x)
            k++;
        while (a < in->absent_count && in->absent[a] < x)
            a++;
        bool blank = a < in->absent_count && in->absent[a] == x;
        bool outside = k == 0 || k == in->count;
        if ((outside && !blank) || (k < in->count && in->points.x[k] == x))
            continue;
        *first = count == 0 ? x : *first;
        count++;
    }
    return count;
}

// A norm that one run prints at fewer steps is compared at those alone; so is a loss, where too few
// lack for another rhythm of printing.
static bool tells_lacking(const CurveComparison *at, size_t lacking)
{
    bool few = at->judged && 4 * lacking <= at->pair.count + lacking;
    return lacking && (few || str_equal(at->series, STR("grad_norm")));
}

static void note_steps_lacking(const CurvesCoverage *about)
{
    for (size_t i = 0; i < about->findings->count; i++) {
        const CurveComparison *at = &about->findings->items[i];
        for (int side = 0; side < 2; side++) {
            const Series *of = side ? at->target_series : at->golden_series;
            const Series *in = side ? at->golden_series : at->target_series;
            int64_t first;
            size_t lacking = steps_lacking(of, in, &first);
            if (tells_lacking(at, lacking))
                notices_add(about->notices, NOTICE_WARNING, WHERE_FILE(in->file),
                            tr_count(lacking, "%s is missing at %zu step, step %lld",
                                     "%s is missing at %zu steps, first at step %lld"),
                            str_cstr(about->arena, at->series), lacking, (long long)first);
        }
    }
}

// Values of a series that a run lacks where it trains: all, or those due after its last one.
static size_t values_lacking(const CurvesCoverage *about, const Series *of, const Run *run,
                             int64_t *first)
{
    const Series *loss = run_series(run, "loss");
    const Series *in = run_series(run, str_cstr(about->arena, of->name));
    size_t count = 0;
    if (!loss || loss->count == 0)
        return 0;
    int64_t from = loss->points.x[0], to = loss->points.x[loss->count - 1];
    if (in && in->count) {
        size_t last = in->count - 1;
        int64_t gap = median_gap(&in->points, last > GAPS_BESIDE ? last - GAPS_BESIDE : 0, last);
        from = in->points.x[last] + (gap > 0 ? gap : 1);
    }
    for (size_t i = 0; i < of->count; i++) {
        if (of->points.x[i] < from || of->points.x[i] > to)
            continue;
        *first = count == 0 ? of->points.x[i] : *first;
        count++;
    }
    return count;
}

static bool noise_lacks(const CurvesCoverage *about, const Series *of)
{
    int64_t first;
    for (size_t i = 0; i < about->runs->count; i++)
        if (about->runs->items[i].role == ROLE_NOISE_RUN &&
            values_lacking(about, of, &about->runs->items[i], &first))
            return true;
    return false;
}

// What ends_apart asks of series next to the loss, and the gradient norm, which is only told.
typedef enum BesideKind {
    BESIDE_NOTHING,
    BESIDE_NORM,
    BESIDE_TRAINING,
    BESIDE_EVALUATION
} BesideKind;

static BesideKind beside_kind(const CurvesCoverage *about, Str name)
{
    if (series_facts(name).evaluation || series_facts(name).metric || series_facts(name).eval_error)
        return BESIDE_EVALUATION;
    if (str_equal(name, STR("grad_norm")))
        return BESIDE_NORM;
    bool known = about->loss_chosen && str_starts(name, STR("loss."));
    bool judged = str_equal(name, STR("loss")) || judged_loss_is_of_rank(name);
    bool second = series_facts(name).success || series_facts(name).second_loss;
    return second && !known && !judged ? BESIDE_TRAINING : BESIDE_NOTHING;
}

// Whether the run would have the series too, had it trained alike. A log of another form prints
// others, and a file of another kind may keep no evaluation, as a printed log beside the state of a
// run. A series of training counts here where it would count if it were there: without noise runs.
static bool would_have(const CurvesCoverage *about, const Run *lacks, const Run *run,
                       const Series *of, BesideKind kind)
{
    const CurveComparison *deciding = curves_deciding(about->findings);
    if (kind == BESIDE_TRAINING)
        return strcmp(lacks->format, run->format) == 0 && !(deciding && deciding->has_band);
    return kind == BESIDE_EVALUATION &&
           (run_series(lacks, str_cstr(about->arena, of->name)) ||
            str_equal(path_suffix(str_of(run->files[0])), path_suffix(str_of(lacks->files[0]))));
}

// So many values of golden are a rhythm, one may be its last word.
enum { VALUES_ENOUGH = 2 };

static void note_beside_of(const CurvesCoverage *about, const Run *run, const Run *lacks)
{
    for (size_t i = 0; i < run->series_count; i++) {
        const Series *of = &run->series[i];
        int64_t first = 0;
        BesideKind kind = beside_kind(about, of->name);
        const Series *in = run_series(lacks, str_cstr(about->arena, of->name));
        // note_steps_lacking tells of a norm that both have.
        bool asked = kind != BESIDE_NOTHING && !(kind == BESIDE_NORM && in && in->count);
        size_t lacking = asked ? values_lacking(about, of, lacks, &first) : 0;
        if (lacking == 0)
            continue;
        bool partial = run->role == ROLE_GOLDEN_RUN && lacking >= VALUES_ENOUGH &&
                       would_have(about, lacks, run, of, kind) && !noise_lacks(about, of);
        tell(about, partial, WHERE_FILE(lacks->files[0]),
             str_printf(about->arena,
                        tr_count(lacking, "%s is missing at %zu step, step %lld",
                                 "%s is missing at %zu steps, first at step %lld"),
                        str_cstr(about->arena, of->name), lacking, (long long)first));
    }
}

// A target that no longer evaluates, or prints no rewards, may hide what golden's would have shown.
static void note_beside_lacking(const CurvesCoverage *about)
{
    const Run *golden = golden_run(about);
    for (size_t i = 0; golden && i < about->runs->count; i++) {
        const Run *target = &about->runs->items[i];
        if (target->role != ROLE_TARGET_RUN)
            continue;
        note_beside_of(about, golden, target);
        note_beside_of(about, target, golden);
    }
}

// What one run did before the other began was not compared. What it did there is in the weights
// that all later losses come from: it is told and no more, while half of the steps are common.
static void note_late_start(const CurvesCoverage *about)
{
    for (size_t i = 0; i < about->findings->count; i++) {
        const CurveComparison *at = &about->findings->items[i];
        if (!at->judged || at->pair.count == 0)
            continue;
        const Series *g = at->golden_series, *t = at->target_series;
        const Series *early = g->points.x[0] <= t->points.x[0] ? g : t;
        const Series *late = early == g ? t : g;
        size_t before = 0;
        while (before < early->count && early->points.x[before] < late->points.x[0])
            before++;
        size_t places = (size_t)((late->points.x[0] - early->points.x[0]) / usual_gap(&at->pair));
        before = before < places ? before : places;
        if (!lacks_many(before, at))
            continue;
        Str text = str_printf(about->arena,
                              tr("%s begins at step %lld, the other run's at step %lld: nothing is "
                                 "compared before"),
                              str_cstr(about->arena, at->series), (long long)late->points.x[0],
                              (long long)early->points.x[0]);
        tell(about, before > at->pair.count, WHERE_FILE(late->file), text);
    }
}

// Standard errors beyond which the mean difference of a success is no scatter, as for a loss.
#define SURE_ERRORS 3

// Rewards and accuracies of a batch scatter more than a loss does: their mean must lie apart, by
// more than this share of what golden has, if that is not 0.
static bool means_apart(const DifferenceStats *late, double share)
{
    bool sure = late->balance > SURE_ERRORS || (late->balance == 0 && late->signed_mean != 0);
    return sure && (late->mean_relative > share || late->mean_relative == 0);
}

// Whether what is next to the judged loss ends beyond the tolerance. The absolute part of it is
// for a loss in nats and tells nothing of an error in metres, nor of a router's loss of 0.01.
static bool ends_apart(const CurveComparison *at, const CurveLimits *limits)
{
    const DifferenceStats *late = &at->phases[PHASE_COUNT - 1];
    bool error = series_facts(at->series).eval_error;
    if (at->judged || late->points == 0)
        return false;
    if (series_facts(at->series).success && !series_facts(at->series).metric)
        return means_apart(late, limits->mean_relative);
    if (!(error || series_facts(at->series).metric || series_facts(at->series).second_loss))
        return false;
    if (!error && means_apart(late, limits->norm_mean_relative))
        return true;
    return late->mean_relative > limits->mean_relative &&
           fabs(late->signed_mean) > (error ? 0 : at->scale.absolute);
}

// Training decides, but an evaluation, a reward or a second loss that ends beyond the tolerance is
// no agreement. What seeds of one recipe do to it is unknown where noise runs are given, and who
// says which loss is judged knows of the others: then it is only told.
static void note_second_losses(const CurvesCoverage *about)
{
    const CurveComparison *deciding = curves_deciding(about->findings);
    bool of_loss = deciding && deciding->judged;
    for (size_t i = 0; of_loss && i < about->findings->count; i++) {
        const CurveComparison *at = &about->findings->items[i];
        const DifferenceStats *late = &at->phases[PHASE_COUNT - 1];
        if (at->beyond || !ends_apart(at, about->limits))
            continue;
        Str text = str_printf(
            about->arena,
            tr_count(late->points,
                     STR_FMT " differs by %.3g (%.3g %%) on average over the "
                             "last %zu common step; the verdict is that of the loss",
                     STR_FMT " differs by %.3g (%.3g %%) on average over the "
                             "last %zu common steps; the verdict is that of the "
                             "loss"),
            STR_ARG(at->series), late->signed_mean, 100 * late->mean_relative, late->points);
        bool known = about->loss_chosen && str_starts(at->series, STR("loss."));
        tell(about, !deciding->has_band && !known, WHERE_FILE(at->target->files[0]), text);
    }
}

// A norm that left golden's within the run, while the loss agrees, is no agreement: losses follow
// later, or a clipping hides it. Where noise runs are given it is only told.
static void note_norm_moved(const CurvesCoverage *about)
{
    const CurveComparison *deciding = curves_deciding(about->findings);
    for (size_t i = 0; deciding && i < about->findings->count; i++) {
        const CurveComparison *at = &about->findings->items[i];
        bool moved;
        if (at == deciding || at->beyond || !curves_norm_off(at, &moved) || !moved)
            continue;
        Str text = str_printf(about->arena,
                              tr("the gradient norm went from ×%.3g to ×%.3g golden's within the "
                                 "run; the verdict is that of the loss"),
                              at->ratio_early, at->ratio_late);
        tell(about, !deciding->has_band, WHERE_FILE(at->target->files[0]), text);
    }
}

static bool is_told_elsewhere(const CurveComparison *at, const CurveLimits *limits)
{
    bool moved;
    return at->judged || at->beyond || str_equal(at->series, STR("lr")) || ends_apart(at, limits) ||
           curves_norm_off(at, &moved);
}

// Runs whose losses are equal at every step are taken for the same run: what else they tell of
// themselves and do not share is said. Beside losses that scatter all of it does.
static void note_beside_same_losses(const CurvesCoverage *about)
{
    const CurveComparison *deciding = curves_deciding(about->findings);
    if (!deciding || !deciding->judged || deciding->stats.max_abs != 0)
        return;
    for (size_t i = 0; i < about->findings->count; i++) {
        const CurveComparison *at = &about->findings->items[i];
        bool of_nothing = at->stats.mean_relative == 0 && at->stats.max_abs > 0;
        if (is_told_elsewhere(at, about->limits) ||
            !(of_nothing || at->stats.mean_relative > about->limits->norm_mean_relative))
            continue;
        notices_add(about->notices, NOTICE_WARNING, WHERE_FILE(at->target->files[0]),
                    tr("%s differs by %.3g on average, at most by %.3g at step %lld; the verdict "
                       "is that of the loss"),
                    str_cstr(about->arena, at->series), at->stats.mae, at->stats.max_abs,
                    (long long)at->stats.max_at);
    }
}

// So many steps and so many times those of golden are no chance (chosen), as for spikes; of NaN and
// of runs that stop themselves one is enough where golden has none.
enum { EVENTS_LEAST = 3, EVENTS_TIMES = 2 };

static size_t events_of_golden(const CurvesCoverage *about, EventKind kind)
{
    size_t most = 0;
    for (size_t i = 0; i < about->runs->count; i++) {
        const Run *run = &about->runs->items[i];
        size_t count = run->role == ROLE_TARGET_RUN ? 0 : run_event_count(run, kind);
        most = count > most ? count : most;
    }
    return most;
}

// What the target's log itself says went wrong, where the losses between do not show it.
static void note_events(const CurvesCoverage *about)
{
    static const EventKind kinds[] = {EVENT_NAN, EVENT_ABORT, EVENT_OVERFLOW, EVENT_SKIP};
    const CurveComparison *deciding = curves_deciding(about->findings);
    for (size_t i = 0; deciding && i < about->runs->count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const Run *run = &about->runs->items[i];
            size_t count = run->role == ROLE_TARGET_RUN ? run_event_count(run, kinds[k]) : 0;
            size_t golden = count ? events_of_golden(about, kinds[k]) : 0;
            bool grave = (kinds[k] == EVENT_NAN || kinds[k] == EVENT_ABORT) && golden == 0;
            if (count == 0 || (!grave && (count < EVENTS_LEAST || count <= EVENTS_TIMES * golden)))
                continue;
            Str text = str_printf(about->arena,
                                  tr_count(count, "the log says %s at %zu step, golden's at %zu",
                                           "the log says %s at %zu steps, golden's at %zu"),
                                  curves_event_word(kinds[k]), count, golden);
            tell(about, grave && kinds[k] == EVENT_NAN, WHERE_FILE(run->files[0]), text);
        }
}

// Why a noise run judges nothing, and that of the text which needs figures.
static Str noise_left_out(const CurveComparison *loss, const NoiseRun *noise, Arena *arena)
{
    switch (noise->fit) {
    case NOISE_OTHER:
        return str_printf(arena,
                          tr("this noise run ends %.3g %% off golden: it is a run of another "
                             "configuration and left out"),
                          100 * noise->offset);
    case NOISE_NOT_FINITE:
        return str_of(tr("most losses of this noise run are NaN or Inf: it is left out"));
    case NOISE_SHORTER:
        return str_printf(arena,
                          tr("this noise run has %zu of the %zu steps that are compared, others "
                             "have more: it is left out"),
                          noise->steps, loss->pair.count);
    default:
        return str_printf(arena,
                          tr("this noise run has too few of the %zu steps at which golden and "
                             "the target have a loss: it is left out"),
                          loss->pair.count);
    }
}

// What is left out is not what was asked for.
static void note_noise_left_out(const CurvesCoverage *about)
{
    for (size_t k = 0; k < about->findings->count; k++) {
        const CurveComparison *loss = &about->findings->items[k];
        if (!str_equal(loss->series, STR("loss")) || loss->lr0)
            continue;
        for (size_t i = 0; i < loss->noise.count; i++) {
            const NoiseRun *noise = &loss->noise.items[i];
            if (noise->fit != NOISE_USED)
                notices_add(about->notices, NOTICE_UNMET, WHERE_FILE(noise->run->files[0]), "%s",
                            str_cstr(about->arena, noise_left_out(loss, noise, about->arena)));
        }
        if (loss->uncovered)
            notices_add(about->notices, NOTICE_WARNING, WHERE_FILE(loss->target->files[0]),
                        tr_count(loss->uncovered,
                                 "the noise runs do not have %zu of the steps that are compared: "
                                 "the tolerance judges it",
                                 "the noise runs do not have %zu of the steps that are compared: "
                                 "the tolerance judges these"),
                        loss->uncovered);
    }
}

// A loss of one rank that the other run has no partner for was not compared.
static void note_ranks_left_out(const CurvesCoverage *about)
{
    for (size_t r = 0; golden_run(about) && r < about->runs->count; r++) {
        const Run *run = &about->runs->items[r];
        for (size_t i = 0; run->role != ROLE_NOISE_RUN && i < run->series_count; i++) {
            const Series *series = &run->series[i];
            bool compared = !judged_loss_is_of_rank(series->name);
            for (size_t k = 0; k < about->findings->count; k++)
                compared = compared || about->findings->items[k].target_series == series ||
                           about->findings->items[k].golden_series == series;
            if (!compared)
                notices_partial(about->notices, WHERE_FILE(series->file),
                                tr("%s is in one run only and not compared"),
                                str_cstr(about->arena, series->name));
        }
    }
}

void curves_coverage_tell(const CurvesCoverage *about)
{
    note_losses_left_out(about);
    note_nothing_judged(about);
    note_open_question(about);
    note_not_a_number(about);
    note_short_comparison(about);
    note_second_losses(about);
    note_norm_moved(about);
    note_beside_same_losses(about);
    note_events(about);
    note_steps_lacking(about);
    note_beside_lacking(about);
    note_late_start(about);
    note_noise_left_out(about);
    note_ranks_left_out(about);
}
