// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/curve_coverage.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "model/run/judged_loss.h"
#include "read/dump/place_name.h"
#include "read/log/series_name.h"
#include "trend/curves/series_class.h"

// All numbers by which a part that is missing counts (chosen).
enum {
    HOLE_GAPS = 2,       // a distance of so many usual ones is a hole, not the rhythm of printing
    GAPS_BESIDE = 3,     // distances on each side that give the usual one: a rhythm may change
    RHYTHM_MOST = 32,    // distances that come again in rows of at most so many
    RHYTHM_TIMES = 4,    // and so many times
    FEW_POINTS = 12,     // so few points without a common distance are what is left of more
    LACKING_SHARE = 20,  // one of so many steps may be missing: a smooth loss shows it around them
    MISSING_SHARE = 4,   // more than one of so many is another rhythm of printing
    VALUES_ENOUGH = 2,   // values of golden that the target does not have: one may be its last word
    SURE_ERRORS = 3,     // standard errors beyond which a mean difference is no scatter
    EVENTS_LEAST = 3,    // events, and so many times those of golden, that are no chance
    EVENTS_TIMES = 2,
};

typedef struct Coverage {
    const CurveFindings *findings;
    const CurveComparison *deciding;
    const Run *golden;
    bool loss_chosen;
    Arena *arena;
    CoverageNotes *notes;
} Coverage;

static void add(const Coverage *about, CoverageNote note)
{
    *ARRAY_ADD(about->arena, about->notes->items, about->notes->count, about->notes->capacity) =
        note;
}

static CoverageGrade grade_of(bool partial)
{
    return partial ? COVERAGE_PARTIAL : COVERAGE_TOLD;
}

static bool has_loss(const Run *run)
{
    const Series *loss = run_series(run, "loss");
    return loss && loss->count;
}

// Rates and norms that agree say nothing about a loss that could not be compared.
static void find_losses_left_out(const Coverage *about)
{
    const CurveFindings *report = about->findings;
    for (size_t i = 0; about->golden && report->count && i < report->runs->count; i++) {
        const Run *run = &report->runs->items[i];
        bool any = has_loss(about->golden) || has_loss(run), compared = false;
        for (size_t k = 0; k < report->count; k++)
            compared = compared || (report->items[k].target == run &&
                                    str_equal(report->items[k].series, STR("loss")));
        if (run->role != ROLE_TARGET_RUN || !any || compared)
            continue;
        CoverageRule rule = !has_loss(run)             ? COVERAGE_TARGET_WITHOUT_LOSS
                            : !has_loss(about->golden) ? COVERAGE_GOLDEN_WITHOUT_LOSS
                                                       : COVERAGE_NO_COMMON_LOSS;
        add(about, (CoverageNote){rule, COVERAGE_PARTIAL, .file = run->files[0]});
    }
}

// A rate, a time or a norm that agrees does not say that the runs do.
static void find_nothing_judged(const Coverage *about)
{
    const CurveComparison *deciding = about->deciding;
    for (size_t i = 0; i < about->findings->count; i++)
        if (about->findings->items[i].judged)
            return;
    if (!deciding || about->findings->has_norms)
        return;
    bool other = series_facts(deciding->series).core || series_facts(deciding->series).speed;
    add(about, (CoverageNote){other ? COVERAGE_NO_LOSS : COVERAGE_NO_KNOWN_LOSS, COVERAGE_PARTIAL,
                              .file = deciding->target->files[0], .series = deciding->series});
}

// Beyond the tolerance, and the golden runs are too few or too far apart to call it more than
// noise: that is no agreement.
static void find_open_question(const Coverage *about, const CurveComparison *at)
{
    bool open = at->judged && at->has_band && at->finding == FINDING_BORDERLINE &&
                about->findings->criterion == CRITERION_LONG;
    if (open && fabs(at->band.late_mean) > at->scale.absolute &&
        fabs(at->band.late_relative) > at->limits->mean_relative)
        add(about, (CoverageNote){COVERAGE_NOISE_UNSURE, COVERAGE_PARTIAL,
                                  .file = at->target->files[0], .series = at->series});
}

// What is no number on both sides is a finding of its own, and nothing that agrees.
static void find_both_nan(const Coverage *about, const CurveComparison *at)
{
    bool norm = str_equal(at->series, STR("grad_norm")) && at->stats.points == 0;
    if (at->stats.neither && (at->judged || norm))
        add(about, (CoverageNote){COVERAGE_BOTH_NAN, COVERAGE_PARTIAL, .file = at->target->files[0],
                                  .series = at->series, .count = at->stats.neither,
                                  .step = at->stats.neither_at});
}

static void find_all_nan(const Coverage *about, const Run *run)
{
    static const char *const names[] = {"loss", "grad_norm"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const Series *series = run_series(run, names[k]);
        size_t bad = 0;
        while (series && bad < series->count && isnan(series->points.value[bad]))
            bad++;
        if (bad && bad == series->count)
            add(about, (CoverageNote){COVERAGE_ALL_NAN, .file = series->file,
                                      .series = str_of(names[k]), .count = bad});
    }
}

// The mean distance of the steps at which two runs were compared.
static int64_t usual_gap(const Aligned *pair)
{
    int64_t gap =
        pair->count > 1 ? (pair->x[pair->count - 1] - pair->x[0]) / (int64_t)(pair->count - 1) : 1;
    return gap > 0 ? gap : 1;
}

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
    size_t count;   // of the steps that are missing in all of them
    int64_t after;  // the step before the first
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
            holes.after = k ? in->points.x[k - 1] : 0;
        holes.count += missing;
    }
    return holes;
}

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
static void find_short(const Coverage *about, const CurveComparison *at)
{
    const Series *g = at->golden_series, *t = at->target_series;
    const Series *longer = g->points.x[g->count - 1] >= t->points.x[t->count - 1] ? g : t;
    const Series *shorter = longer == g ? t : g;
    size_t beyond = 0, common = at->pair.count, fewer = g->count < t->count ? g->count : t->count;
    int64_t last = at->pair.x[common - 1], longest = longer->points.x[longer->count - 1];
    while (beyond < longer->count && longer->points.x[longer->count - 1 - beyond] > last)
        beyond++;
    // In steps that both could have, where the longer run prints more often.
    size_t places = (size_t)((longest - last) / usual_gap(&at->pair));
    beyond = beyond < places ? beyond : places;
    size_t blank = blank_in_one(g, t);
    Holes of_target = holes_of(g, t), of_golden = holes_of(t, g);
    Holes holes = of_target.count >= of_golden.count ? of_target : of_golden;
    size_t lacking = of_target.count + of_golden.count + beyond;
    size_t most = lacking > blank ? lacking : blank;
    CoverageNote note = {COVERAGE_ENDS_EARLY,  COVERAGE_PARTIAL, .file = at->target->files[0],
                         .series = at->series, .count = common,  .of = common + most,
                         .step = last};
    if (lacks_many(most, at)) {
        bool hole = holes.count > beyond && lacking > blank;
        note.rule = hole ? COVERAGE_HOLES : COVERAGE_ENDS_EARLY;
        note.step = hole ? holes.after : last;
    } else if (2 * common < fewer) {
        note.rule = COVERAGE_OTHER_STEPS;
        note.of = fewer;
    } else if (beyond && shorter->points.x[shorter->count - 1] < longest) {
        note.rule = COVERAGE_ENDS_BEFORE;
        note.grade = COVERAGE_TOLD;
        note.step = shorter->points.x[shorter->count - 1];
        note.other = longest;
    } else {
        return;
    }
    add(about, note);
}

// Steps of one series that the other does not have: between the first and the last of both, and
// where its record is there without the value.
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
// are missing for another rhythm of printing.
static void find_steps_lacking(const Coverage *about, const CurveComparison *at)
{
    for (int side = 0; side < 2; side++) {
        const Series *of = side ? at->target_series : at->golden_series;
        const Series *in = side ? at->golden_series : at->target_series;
        int64_t first = 0;
        size_t lacking = steps_lacking(of, in, &first);
        bool few = at->judged && MISSING_SHARE * lacking <= at->pair.count + lacking;
        if (lacking && (few || str_equal(at->series, STR("grad_norm"))))
            add(about, (CoverageNote){COVERAGE_MISSING, .file = in->file, .series = at->series,
                                      .count = lacking, .step = first});
    }
}

// Values of a series that a run does not have where it trains: all, or those due after its last
// one.
static size_t values_lacking(const Coverage *about, const Series *of, const Run *run,
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

static bool noise_lacks(const Coverage *about, const Series *of)
{
    int64_t first;
    const Runs *runs = about->findings->runs;
    for (size_t i = 0; i < runs->count; i++)
        if (runs->items[i].role == ROLE_NOISE_RUN &&
            values_lacking(about, of, &runs->items[i], &first))
            return true;
    return false;
}

// Whether the run would have the series too, had it trained in the same way. A log of another form
// prints others, and a file of another kind may keep no evaluation, as a printed log next to the
// state of a run. A series of training counts where it would if it were there: without noise runs.
static bool would_have(const Coverage *about, const Run *lacks, const Run *run, const Series *of)
{
    const NameFacts facts = series_facts(of->name);
    bool training = facts.success || facts.second_loss;
    if (facts.evaluation || facts.metric || facts.eval_error)
        return run_series(lacks, str_cstr(about->arena, of->name)) ||
               str_equal(path_suffix(str_of(run->files[0])), path_suffix(str_of(lacks->files[0])));
    return training && strcmp(lacks->format, run->format) == 0 &&
           !(about->deciding && about->deciding->has_band);
}

// Whether it is a result of the training. The norm is only reported.
static bool is_asked(const Coverage *about, Str name, const Run *lacks)
{
    const NameFacts facts = series_facts(name);
    bool known = about->loss_chosen && str_starts(name, STR("loss."));
    bool judged = str_equal(name, STR("loss")) || judged_loss_is_of_rank(name);
    if (str_equal(name, STR("grad_norm"))) {
        const Series *in = run_series(lacks, "grad_norm");
        return !(in && in->count);  // find_steps_lacking reports a norm that both have
    }
    return facts.evaluation || facts.metric || facts.eval_error ||
           ((facts.success || facts.second_loss) && !known && !judged);
}

// A target that no longer evaluates, or prints no rewards, may hide what golden's would have shown.
static void find_beside_lacking(const Coverage *about, const Run *run, const Run *lacks)
{
    for (size_t i = 0; i < run->series_count; i++) {
        const Series *of = &run->series[i];
        int64_t first = 0;
        size_t lacking =
            is_asked(about, of->name, lacks) ? values_lacking(about, of, lacks, &first) : 0;
        bool partial = run->role == ROLE_GOLDEN_RUN && lacking >= VALUES_ENOUGH &&
                       would_have(about, lacks, run, of) && !noise_lacks(about, of);
        if (lacking)
            add(about, (CoverageNote){COVERAGE_MISSING, grade_of(partial), .file = lacks->files[0],
                                      .series = of->name, .count = lacking, .step = first});
    }
}

// What one run did before the other began was not compared. What it did there is in the weights
// that all later losses come from: it is reported and no more, while half of the steps are common.
static void find_late_start(const Coverage *about, const CurveComparison *at)
{
    const Series *g = at->golden_series, *t = at->target_series;
    const Series *early = g->points.x[0] <= t->points.x[0] ? g : t;
    const Series *late = early == g ? t : g;
    size_t before = 0;
    while (before < early->count && early->points.x[before] < late->points.x[0])
        before++;
    size_t places = (size_t)((late->points.x[0] - early->points.x[0]) / usual_gap(&at->pair));
    before = before < places ? before : places;
    if (lacks_many(before, at))
        add(about, (CoverageNote){COVERAGE_STARTS_LATE, grade_of(before > at->pair.count),
                                  .file = late->file, .series = at->series,
                                  .step = late->points.x[0], .other = early->points.x[0]});
}

// Whether a result next to the judged loss ends beyond the tolerance of that, and no scatter
// explains it.
static bool ends_apart(const CurveComparison *at)
{
    const DifferenceStats *late = &at->phases[PHASE_COUNT - 1];
    bool result = series_class(at->series) == SERIES_RESULT || series_facts(at->series).second_loss;
    bool sure = late->balance > SURE_ERRORS || (late->balance == 0 && late->signed_mean != 0);
    return !at->judged && result && late->points && sure &&
           fabs(late->signed_mean) > at->limits->mean_relative * at->scale.level;
}

// Training decides, but an evaluation, a reward or a second loss that ends beyond the tolerance is
// no agreement. What seeds of one recipe do to it is unknown where noise runs are given, and who
// says which loss is judged knows of the others: then it is only reported.
static void find_end_apart(const Coverage *about, const CurveComparison *at)
{
    const DifferenceStats *late = &at->phases[PHASE_COUNT - 1];
    bool known = about->loss_chosen && str_starts(at->series, STR("loss."));
    if (about->deciding->judged && !at->beyond && ends_apart(at))
        add(about, (CoverageNote){
                       COVERAGE_END_DIFFERS, grade_of(!about->deciding->has_band && !known),
                       .file = at->target->files[0], .series = at->series, .count = late->points,
                       .first = late->signed_mean, .second = late->mean_relative});
}

// Runs whose losses are equal at every step are taken for the same run: what else they record and
// do not share is said. So is a norm of another size, whatever the loss.
static void find_beside_differs(const Coverage *about, const CurveComparison *at)
{
    const DifferenceStats *stats = &at->stats;
    bool same = about->deciding->judged && about->deciding->stats.max_abs == 0;
    bool of_nothing = stats->mean_relative == 0 && stats->max_abs > 0;
    bool norm = series_class(at->series) == SERIES_NORM &&
                stats->mean_relative > series_class_share(SERIES_NORM) &&
                stats->mae < 2 * fabs(stats->signed_mean);
    bool differs = same && (of_nothing || stats->mean_relative > at->limits->norm_mean_relative);
    if (!at->judged && !at->beyond && !str_equal(at->series, STR("lr")) && !ends_apart(at) &&
        (differs || norm))
        add(about,
            (CoverageNote){COVERAGE_DIFFERS, .file = at->target->files[0], .series = at->series,
                           .step = stats->max_at, .first = stats->mae, .second = stats->max_abs});
}

// What the target's log itself says went wrong, where the losses between do not show it; of NaN and
// of runs that stop themselves one is enough where golden has none.
static void find_events(const Coverage *about, const Run *run)
{
    static const EventKind kinds[] = {EVENT_NAN, EVENT_ABORT, EVENT_OVERFLOW, EVENT_SKIP};
    const Runs *runs = about->findings->runs;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t count = run_event_count(run, kinds[k]), golden = 0;
        for (size_t i = 0; i < runs->count; i++) {
            size_t own = runs->items[i].role == ROLE_TARGET_RUN
                             ? 0
                             : run_event_count(&runs->items[i], kinds[k]);
            golden = own > golden ? own : golden;
        }
        bool grave = (kinds[k] == EVENT_NAN || kinds[k] == EVENT_ABORT) && golden == 0;
        if (count && (grave || (count >= EVENTS_LEAST && count > EVENTS_TIMES * golden)))
            add(about, (CoverageNote){COVERAGE_EVENT, grade_of(grave && kinds[k] == EVENT_NAN),
                                      .file = run->files[0], .event = kinds[k], .count = count,
                                      .of = golden});
    }
}

// What is left out is not what was asked for.
static void find_noise_left_out(const Coverage *about, const CurveComparison *loss)
{
    static const CoverageRule rules[] = {[NOISE_OTHER] = COVERAGE_NOISE_OTHER,
                                         [NOISE_NOT_FINITE] = COVERAGE_NOISE_NOT_FINITE,
                                         [NOISE_SHORTER] = COVERAGE_NOISE_SHORTER,
                                         [NOISE_FEW_STEPS] = COVERAGE_NOISE_FEW_STEPS};
    if (!str_equal(loss->series, STR("loss")) || loss->lr0)
        return;
    for (size_t i = 0; i < loss->noise.count; i++) {
        const NoiseRun *noise = &loss->noise.items[i];
        if (noise->fit != NOISE_USED)
            add(about, (CoverageNote){rules[noise->fit], COVERAGE_UNMET,
                                      .file = noise->run->files[0], .count = noise->steps,
                                      .of = loss->pair.count, .first = noise->offset});
    }
    if (loss->uncovered)
        add(about, (CoverageNote){COVERAGE_NOISE_UNCOVERED, .file = loss->target->files[0],
                                  .count = loss->uncovered});
}

// A loss of one rank that the other run has no partner for was not compared.
static void find_ranks_left_out(const Coverage *about, const Run *run)
{
    for (size_t i = 0; about->golden && run->role != ROLE_NOISE_RUN && i < run->series_count; i++) {
        const Series *series = &run->series[i];
        bool compared = !judged_loss_is_of_rank(series->name);
        for (size_t k = 0; k < about->findings->count; k++)
            compared = compared || about->findings->items[k].target_series == series ||
                       about->findings->items[k].golden_series == series;
        if (!compared)
            add(about, (CoverageNote){COVERAGE_ONE_RUN_ONLY, COVERAGE_PARTIAL, .file = series->file,
                                      .series = series->name});
    }
}

// Ranks that one run alone has a log of.
static void find_ranks_lacking(const Coverage *about, const Run *of, const Run *in)
{
    int64_t *alone = ARENA_ARRAY(about->arena, int64_t, of->rank_count + 1);
    size_t count = 0, k = 0;
    for (size_t i = 0; i < of->rank_count && in->rank_count && in->ranks[0] >= 0; i++) {
        while (k < in->rank_count && in->ranks[k] < of->ranks[i])
            k++;
        if (of->ranks[i] >= 0 && (k == in->rank_count || in->ranks[k] != of->ranks[i]))
            alone[count++] = of->ranks[i];
    }
    enum { SHOWN = 8 };
    if (count)
        add(about, (CoverageNote){COVERAGE_ONE_RUN_ONLY, .file = of->files[0],
                                  .series = str_printf(
                                      about->arena, "rank " STR_FMT,
                                      STR_ARG(rank_ranges(alone, count, SHOWN, about->arena)))});
}

static void find_of_comparison(const Coverage *about, const CurveComparison *at)
{
    find_open_question(about, at);
    find_both_nan(about, at);
    if (at->judged && at->pair.count) {
        find_short(about, at);
        find_late_start(about, at);
    }
    find_end_apart(about, at);
    find_beside_differs(about, at);
    find_steps_lacking(about, at);
    find_noise_left_out(about, at);
}

void curve_coverage_find(const CurveFindings *report, bool loss_chosen, Arena *arena,
                         CoverageNotes *out)
{
    *out = (CoverageNotes){0};
    Coverage about = {.findings = report,
                      .deciding = curves_deciding(report),
                      .loss_chosen = loss_chosen,
                      .arena = arena,
                      .notes = out};
    const Runs *runs = report->runs;
    for (size_t i = runs->count; i-- > 0;)
        about.golden = runs->items[i].role == ROLE_GOLDEN_RUN ? &runs->items[i] : about.golden;
    find_losses_left_out(&about);
    find_nothing_judged(&about);
    for (size_t i = 0; i < report->count; i++)
        find_of_comparison(&about, &report->items[i]);
    for (size_t i = 0; i < runs->count; i++) {
        const Run *run = &runs->items[i];
        find_all_nan(&about, run);
        if (about.deciding && run->role == ROLE_TARGET_RUN)
            find_events(&about, run);
        if (about.golden && run->role == ROLE_TARGET_RUN) {
            find_beside_lacking(&about, about.golden, run);
            find_beside_lacking(&about, run, about.golden);
            find_ranks_lacking(&about, about.golden, run);
            find_ranks_lacking(&about, run, about.golden);
        }
        find_ranks_left_out(&about, run);
    }
}
