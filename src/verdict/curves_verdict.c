// SPDX-License-Identifier: Apache-2.0
// The sentence that curves come to.
#include "verdict/curves_verdict.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "verdict/course_verdict.h"
#include "verdict/figure_text.h"
#include "verdict/norms_verdict.h"
#include "verdict/sentence.h"

static Str two_digits(double value, Arena *arena)
{
    char text[NUMBER_BYTES];
    number_significant(value, 2, text);
    return str_printf(arena, "%s", text);
}

static Str signed_two(double value, Arena *arena)
{
    Str text = two_digits(value, arena);
    return value > 0 ? str_printf(arena, "+" STR_FMT, STR_ARG(text)) : text;
}

// "5.2 %"; what is ten times as large and more is a factor: "×370".
static Str percent(double share, Arena *arena)
{
    if (isfinite(share) && fabs(share) >= 10)
        return str_printf(arena, "×" STR_FMT, STR_ARG(figure_number(1 + fabs(share), 3, arena)));
    Str text = two_digits(100 * share, arena);
    return str_printf(arena, STR_FMT " %%", STR_ARG(text));
}

// "loss", "gradient norm": what a sentence calls the series.
static Str series_word(Str name)
{
    static const char *const words[][2] = {
        {"loss", TR("the loss")},
        {"grad_norm", TR("the gradient norm")},
        {"lr", TR("the learning rate")},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_equal(name, str_of(words[i][0])))
            return str_of(tr(words[i][1]));
    return name;
}

// The loss under the name that the log has for it, where that is not plain.
static Str judged_word(const CurveComparison *comparison, Arena *arena)
{
    Str word = series_word(comparison->series), name = comparison->golden->loss_name;
    bool known = !str_equal(comparison->series, STR("loss"));
    known =
        known || STR_ANY(name, str_equal_nocase, "", "loss", "lm loss", "train_loss", "train/loss");
    return known ? word : str_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(word), STR_ARG(name));
}

static const char *noise_word(const CurveComparison *comparison)
{
    bool known = comparison->has_band || comparison->noise.used;
    return known || str_equal(comparison->series, STR("lr")) ? "" : tr("; noise not measured");
}

// Where one side is no number, or the target leaves: for good, else for the first time. False, with
// the step that differs most, where no single step leaves.
static bool leaving_step(const CurveComparison *comparison, int64_t *step)
{
    double most;
    *step = comparison->stats.max_at;
    if (comparison->stats.one_sided)
        *step = comparison->stats.one_sided_at;
    else if (band_lasting(&comparison->band) && comparison->finding == FINDING_DIVERGING)
        *step = band_onset(&comparison->band);
    else
        return band_crossing(&comparison->band, step) || curves_rate_off(comparison, step, &most) ||
               band_first_beyond(&comparison->band, step);
    return true;
}

static Str late_text(const CurveComparison *comparison, Arena *arena)
{
    Str mean = signed_two(comparison->band.late_mean, arena);
    if (comparison->scale.around_zero)
        return mean;
    Str relative = percent(fabs(comparison->band.late_relative), arena);
    return str_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(mean), STR_ARG(relative));
}

static const char *side_word(const CurveComparison *comparison)
{
    return comparison->band.late_mean < 0 ? tr("below") : tr("above");
}

static Str reason_diverging(const CurveComparison *comparison, Str series, Arena *arena)
{
    Str late = late_text(comparison, arena);
    return str_printf(
        arena,
        tr(STR_FMT " is " STR_FMT " %s golden over the last " STR_FMT " common steps and "
                   "still moves away%s"),
        STR_ARG(series), STR_ARG(late), side_word(comparison),
        STR_ARG(figure_count(comparison->band.tail.count, arena)), noise_word(comparison));
}

static Str reason_offset(const CurveComparison *comparison, Str series, Arena *arena)
{
    Str late = late_text(comparison, arena);
    return str_printf(arena, tr(STR_FMT " stays " STR_FMT " %s golden, a stable offset%s"),
                      STR_ARG(series), STR_ARG(late), side_word(comparison),
                      noise_word(comparison));
}

// "the learning rate differs by up to 10 %, first at step 300"; empty: it does not.
static Str rate_words(const CurveComparison *rate, Arena *arena)
{
    int64_t step;
    double most;
    if (!curves_rate_off(rate, &step, &most))
        return STR("");
    Str at = figure_step(step, arena), share = percent(most, arena);
    return isinf(most) ? str_printf(arena,
                                    tr("the learning rate of golden is 0, that of the target is "
                                       "not, first at step " STR_FMT),
                                    STR_ARG(at))
                       : str_printf(arena,
                                    tr("the learning rate differs by up to " STR_FMT
                                       ", first at step " STR_FMT),
                                    STR_ARG(share), STR_ARG(at));
}

static Str reason_outside(const CurveComparison *comparison, Str series, Arena *arena)
{
    if (comparison->stats.one_sided)
        return str_printf(arena,
                          tr_count(comparison->stats.one_sided,
                                   STR_FMT " is no number on one side only, at %zu step",
                                   STR_FMT " is no number on one side only, at %zu steps"),
                          STR_ARG(series), comparison->stats.one_sided);
    if (comparison->stats.points == 0)
        return str_printf(arena, tr(STR_FMT " is no number on both sides, at each of %zu steps"),
                          STR_ARG(series), comparison->stats.neither);
    Str rate = rate_words(comparison, arena);
    if (rate.size)
        return rate;
    Str mean = percent(comparison->stats.mean_relative, arena);
    Str most = two_digits(comparison->stats.max_abs, arena);
    Str at = figure_step(comparison->stats.max_at, arena);
    if (comparison->scale.around_zero)
        return str_printf(arena,
                          tr(STR_FMT " scatters around 0 by " STR_FMT ", the target by " STR_FMT
                                     "; they differ by at most " STR_FMT " at step " STR_FMT "%s"),
                          STR_ARG(series), STR_ARG(two_digits(comparison->scale.scatter, arena)),
                          STR_ARG(two_digits(comparison->scale.target_scatter, arena)),
                          STR_ARG(most), STR_ARG(at), noise_word(comparison));
    return str_printf(
        arena,
        tr(STR_FMT " differs by " STR_FMT " on average, at most " STR_FMT " at step " STR_FMT "%s"),
        STR_ARG(series), STR_ARG(mean), STR_ARG(most), STR_ARG(at), noise_word(comparison));
}

static Str reason_lr0(const CurveComparison *comparison, Str series, Arena *arena)
{
    bool loss = comparison->judged;
    double limit = loss ? comparison->limits->lr0_loss : comparison->limits->lr0_norm;
    Str mean = two_digits(comparison->stats.mae, arena), bound = two_digits(limit, arena);
    Str most = two_digits(comparison->stats.max_abs, arena);
    Str at = figure_step(comparison->stats.max_at, arena);
    return str_printf(arena,
                      tr("rate 0: " STR_FMT " differs by " STR_FMT " on average (limit " STR_FMT
                         "), at most " STR_FMT " at step " STR_FMT),
                      STR_ARG(series), STR_ARG(mean), STR_ARG(bound), STR_ARG(most), STR_ARG(at));
}

// "all printed digits", or as many as the user counts.
static Str digits_word(const CurveComparison *comparison, Arena *arena)
{
    unsigned digits = comparison->limits->digits;
    return digits ? str_printf(arena, tr("%u digits"), digits) : str_of(tr("all printed digits"));
}

static Str reason_within(const CurveComparison *comparison, Str series, Arena *arena)
{
    Str most = two_digits(comparison->stats.max_abs, arena);
    Str at = figure_step(comparison->stats.max_at, arena);
    if (comparison->limits->digits)
        return str_printf(arena, tr(STR_FMT " agrees in " STR_FMT ", at most " STR_FMT ""),
                          STR_ARG(series), STR_ARG(digits_word(comparison, arena)), STR_ARG(most));
    if (!comparison->has_band)
        return str_printf(arena, tr(STR_FMT " agrees within the printed digits, at most " STR_FMT),
                          STR_ARG(series), STR_ARG(most));
    Str share = percent(comparison->band.inside_3_sigma_share, arena);
    Str ratio = two_digits(comparison->band.rms_ratio, arena);
    if (comparison->stats.max_abs == 0)
        return str_printf(arena,
                          tr(STR_FMT " of the steps of " STR_FMT " are inside 3 sigma, rms " STR_FMT
                                     "x the noise; equal to golden's at all of them"),
                          STR_ARG(share), STR_ARG(series), STR_ARG(ratio));
    return str_printf(arena,
                      tr(STR_FMT " of the steps of " STR_FMT " are inside 3 sigma, rms " STR_FMT
                                 "x the noise; largest difference " STR_FMT " at step " STR_FMT),
                      STR_ARG(share), STR_ARG(series), STR_ARG(ratio), STR_ARG(most), STR_ARG(at));
}

typedef struct Wording {
    const char *word;
    CellStyle style;
    bool from_step;  // the place is where the target leaves
    Str (*reason)(const CurveComparison *comparison, Str series, Arena *arena);
} Wording;

static const Wording wordings[] = {
    [FINDING_WITHIN] = {TR("WITHIN NOISE"), STYLE_PASS, false, reason_within},
    [FINDING_BORDERLINE] = {TR("CANNOT TELL"), STYLE_WARNING, false, reason_outside},
    [FINDING_OUTSIDE] = {TR("OUTSIDE"), STYLE_ERROR, true, reason_outside},
    [FINDING_OFFSET] = {TR("OUTSIDE"), STYLE_ERROR, true, reason_offset},
    [FINDING_DIVERGING] = {TR("DIVERGES"), STYLE_ERROR, true, reason_diverging},
    [FINDING_CANNOT_TELL] = {TR("CANNOT TELL"), STYLE_PLAIN, false, reason_outside},
};

static const char *joint_word(const CurveComparison *comparison, bool leaves)
{
    if (comparison->finding == FINDING_DIVERGING)
        return tr("from step");
    if (!leaves)
        return comparison->has_band ? tr("noise, most at step") : tr("tolerance, most at step");
    return comparison->has_band ? tr("noise from step") : tr("tolerance from step");
}

// Of a reason that has given the mean and the largest difference: their sign.
static Str sign_text(const DifferenceStats *stats, Arena *arena)
{
    Str mean = signed_two(stats->signed_mean, arena), points = figure_count(stats->points, arena);
    return str_printf(arena,
                      tr_count(stats->points,
                               "mean difference " STR_FMT " over " STR_FMT
                               " step · above golden at %.0f %% of them",
                               "mean difference " STR_FMT " over " STR_FMT
                               " steps · above golden at %.0f %% of them"),
                      STR_ARG(mean), STR_ARG(points), 100 * stats->positive_share);
}

static Str context_text(const CurveComparison *comparison, bool said, Arena *arena)
{
    const DifferenceStats *stats = &comparison->stats;
    if (stats->points == 0)
        return str_of(tr("at no step are both sides numbers"));
    Str points = figure_count(stats->points, arena), most = two_digits(stats->max_abs, arena);
    if (stats->max_abs == 0)
        return str_printf(arena,
                          tr_count(stats->points,
                                   "equal at the " STR_FMT " step at which both are numbers",
                                   "equal at the " STR_FMT " steps at which both are numbers"),
                          STR_ARG(points));
    Str at = figure_step(stats->max_at, arena);
    if (!comparison->has_band && said)
        return sign_text(stats, arena);
    if (!comparison->has_band) {
        Str mean = percent(stats->mean_relative, arena);
        return str_printf(arena,
                          tr_count(stats->points,
                                   "mean relative difference " STR_FMT " over " STR_FMT
                                   " step · largest |difference| " STR_FMT " at step " STR_FMT,
                                   "mean relative difference " STR_FMT " over " STR_FMT
                                   " steps · largest |difference| " STR_FMT " at step " STR_FMT),
                          STR_ARG(mean), STR_ARG(points), STR_ARG(most), STR_ARG(at));
    }
    Str share = percent(comparison->band.inside_3_sigma_share, arena);
    return str_printf(arena,
                      tr(STR_FMT " of " STR_FMT " steps inside 3 sigma of %zu golden runs · "
                                 "largest |difference| " STR_FMT " at step " STR_FMT),
                      STR_ARG(share), STR_ARG(points), comparison->band.runs, STR_ARG(most),
                      STR_ARG(at));
}

static Str reason_converged(const CurveComparison *comparison, Str series, Arena *arena)
{
    const DifferenceStats *late = &comparison->phases[PHASE_COUNT - 1];
    Str mean = signed_two(late->signed_mean, arena), share = percent(late->mean_relative, arena);
    return str_printf(arena,
                      tr_count(late->points,
                               "over the last %zu common step " STR_FMT " differs by " STR_FMT
                               " (" STR_FMT ") on average, which is accepted%s",
                               "over the last %zu common steps " STR_FMT " differs by " STR_FMT
                               " (" STR_FMT ") on average, which is accepted%s"),
                      late->points, STR_ARG(series), STR_ARG(mean), STR_ARG(share),
                      noise_word(comparison));
}

// The steps at which the run with more of them has the series.
static size_t steps_told(const CurveComparison *comparison)
{
    size_t golden = comparison->golden_series->count, target = comparison->target_series->count;
    return golden > target ? golden : target;
}

// "is equal at every common step (400)", or (199 of 400) where that is not all.
static Str reason_same(const CurveComparison *comparison, Str series, Arena *arena)
{
    Str points = figure_count(comparison->stats.points, arena);
    Str told = figure_count(steps_told(comparison), arena);
    if (comparison->pair.count >= steps_told(comparison))
        return str_printf(arena, tr(STR_FMT " is equal at every common step (" STR_FMT ")"),
                          STR_ARG(series), STR_ARG(points));
    return str_printf(arena,
                      tr(STR_FMT " is equal at every common step (" STR_FMT " of " STR_FMT ")"),
                      STR_ARG(series), STR_ARG(points), STR_ARG(told));
}

// "; 199 of 400 steps compared" where that is not all.
static Str share_text(const CurveComparison *comparison, Arena *arena)
{
    Str common = figure_count(comparison->pair.count, arena);
    Str told = figure_count(steps_told(comparison), arena);
    if (comparison->pair.count >= steps_told(comparison))
        return STR("");
    return str_printf(arena, tr("; " STR_FMT " of " STR_FMT " steps compared"), STR_ARG(common),
                      STR_ARG(told));
}

// "; the difference begins at step 2,020 (1,900 to 2,100)": where it leaves is another step. A
// difference that comes back is named with its length.
static Str marks_of(const CurveComparison *comparison, Arena *arena)
{
    const Band *band = &comparison->band;
    int64_t leaves;
    if (comparison->stats.one_sided || !band_crossing(band, &leaves))
        return STR("");
    Str at = figure_step(leaves, arena), begins = figure_step(band_onset(band), arena);
    Str low = figure_step(band->x[band->onset_low], arena);
    Str high = figure_step(band->x[band->onset_high], arena);
    const char *limit = comparison->has_band ? tr("the noise") : tr("the tolerance");
    if (!band_lasting(band))
        return str_printf(arena,
                          tr("; it leaves %s at step " STR_FMT " and returns at step " STR_FMT
                             " (" STR_FMT " of the common steps)"),
                          limit, STR_ARG(at), STR_ARG(figure_step(band->x[band->bump.to], arena)),
                          STR_ARG(figure_count(band->bump.to - band->bump.from, arena)));
    if (!band_begins_before(band))
        return STR("");
    if (comparison->finding == FINDING_DIVERGING)
        return str_printf(arena, tr("; it leaves %s at step " STR_FMT), limit, STR_ARG(at));
    return str_printf(
        arena, tr("; the difference begins at step " STR_FMT " (" STR_FMT " to " STR_FMT ")"),
        STR_ARG(begins), STR_ARG(low), STR_ARG(high));
}

// "; equal in all printed digits up to step 412, the first that differs is 413".
static Str equal_until_text(const CurveComparison *comparison, Arena *arena)
{
    const Aligned *pair = &comparison->pair;
    size_t first = comparison->first_difference;
    if (first == 0 || first >= pair->count)
        return STR("");
    return str_printf(arena,
                      tr("; equal in " STR_FMT " up to step " STR_FMT
                         ", the first that differs is step " STR_FMT),
                      STR_ARG(digits_word(comparison, arena)),
                      STR_ARG(figure_step(pair->x[first - 1], arena)),
                      STR_ARG(figure_step(pair->x[first], arena)));
}

// "; at each step the target has golden's value of 1 step later": the same run, counted otherwise.
static Str shift_text(const CurveComparison *comparison, Arena *arena)
{
    int by = comparison->shifted;
    if (by == 0)
        return STR("");
    size_t steps = (size_t)(by < 0 ? -by : by);
    return by > 0
               ? str_printf(
                     arena,
                     tr_count(
                         steps,
                         "; at each step the target has golden's value of %zu common step later",
                         "; at each step the target has golden's value of %zu common steps later"),
                     steps)
               : str_printf(
                     arena,
                     tr_count(
                         steps,
                         "; at each step the target has golden's value of %zu common step before",
                         "; at each step the target has golden's value of %zu common steps before"),
                     steps);
}

// Whether golden has no spike within a few steps of the target's.
static bool is_alone(const Spike *spike, const Spikes *golden)
{
    enum { NEAR = 5 };
    for (size_t i = 0; golden && i < golden->count; i++)
        if (golden->items[i].start <= spike->end + NEAR &&
            golden->items[i].end >= spike->start - NEAR)
            return false;
    return true;
}

// "; the loss spikes at step 36 of the target alone, to 512".
static Str spikes_of_target(const CurveFindings *report, const CurveComparison *comparison,
                            Arena *arena)
{
    const Spikes *own = curves_spikes(report, comparison->target, comparison->target_series);
    const Spikes *golden = curves_spikes(report, comparison->golden, comparison->golden_series);
    const Spike *first = NULL;
    size_t count = 0;
    for (size_t i = 0; own && i < own->count; i++) {
        bool alone = is_alone(&own->items[i], golden);
        first = alone && !first ? &own->items[i] : first;
        count += alone;
    }
    if (!first)
        return STR("");
    return str_printf(
        arena,
        tr_count(count,
                 "; " STR_FMT " spikes %zu time in the target alone, at step " STR_FMT
                 " to " STR_FMT,
                 "; " STR_FMT " spikes %zu times in the target alone, first at step " STR_FMT
                 " to " STR_FMT),
        STR_ARG(series_word(comparison->series)), count, STR_ARG(figure_step(first->peak, arena)),
        STR_ARG(figure_number(first->value, 3, arena)));
}

// Seeds spike at steps of their own: noise runs tell whether the target has more of them.
static Str spikes_text(const CurveFindings *report, const CurveComparison *deciding, Arena *arena)
{
    Str out = STR("");
    bool seeds = deciding->has_band && !deciding->beyond;
    for (size_t i = 0; i < report->count && !seeds; i++)
        if (report->items[i].target == deciding->target)
            out = str_concat(arena, out, spikes_of_target(report, &report->items[i], arena));
    return out;
}

// "; golden's own scatter of 0.08 explains it, --noise RUN would tell".
static Str scatter_text(const CurveComparison *comparison, Arena *arena)
{
    // Single steps that stand out are not explained by what the others do.
    enum { STANDS_OUT = 8 };
    if (comparison->finding != FINDING_CANNOT_TELL || comparison->shifted ||
        !(comparison->own_scatter > 0) ||
        comparison->stats.max_abs > STANDS_OUT * sqrt(2) * comparison->own_scatter)
        return STR("");
    return str_printf(arena,
                      tr("; golden's own scatter of " STR_FMT
                         " explains it; another run of golden with --noise would decide"),
                      STR_ARG(two_digits(comparison->own_scatter, arena)));
}

// --exact: the first step that differs, and what is equal before.
static void differ_exactly(const CurveComparison *comparison, Str series, Arena *arena,
                           Verdict *out)
{
    const Aligned *pair = &comparison->pair;
    size_t at = comparison->first_difference;
    double difference = pair->values[1][at] - pair->values[0][at];
    Str by = signed_two(difference, arena), until = equal_until_text(comparison, arena);
    out->word = str_of(tr("DIFFERS"));
    out->style = STYLE_ERROR;
    out->joint = str_of(tr("from step"));
    out->place = figure_step(pair->x[at], arena);
    out->reason = str_printf(arena, tr(STR_FMT " differs by " STR_FMT " there" STR_FMT),
                             STR_ARG(series), STR_ARG(by), STR_ARG(until));
}

// What agrees by a tolerance and not by noise has words of its own.
static void agree(const CurveFindings *report, const CurveComparison *comparison, Str series,
                  Arena *arena, Verdict *out)
{
    bool digits = comparison->finding == FINDING_WITHIN && !comparison->has_band &&
                  comparison->stats.points > 0;
    bool converged = report->criterion == CRITERION_CONVERGED &&
                     comparison->finding != FINDING_WITHIN && !comparison->lr0;
    if (comparison->beyond || !(comparison->lr0 || digits || converged))
        return;
    bool same = comparison->stats.max_abs == 0 && comparison->stats.points > 0;
    out->word = str_of(same ? tr("SAME") : tr("AGREES"));
    out->style = same ? STYLE_SAME : STYLE_PASS;
    if (same)
        out->reason = reason_same(comparison, series, arena);
    else if (converged)
        out->reason = reason_converged(comparison, series, arena);
}

// The loss need not show another rate, yet the runs are not of one recipe.
static Str rate_text(const CurveFindings *report, const CurveComparison *deciding, Arena *arena)
{
    for (size_t i = 0; i < report->count; i++) {
        const CurveComparison *rate = &report->items[i];
        Str words = rate == deciding || rate->target != deciding->target ? STR("")
                                                                         : rate_words(rate, arena);
        if (words.size)
            return str_concat(arena, str_printf(arena, tr("; " STR_FMT), STR_ARG(words)),
                              shift_text(rate, arena));
    }
    return STR("");
}

// Steps at which both runs have the series, as they were recorded: an alignment may leave some out.
typedef struct Differing {
    size_t common, count;
    int64_t first;
} Differing;

static Differing differing_steps(const Series *golden, const Series *target)
{
    Differing out = {0};
    for (size_t g = 0, t = 0; g < golden->count && t < target->count;) {
        int64_t at = golden->points.x[g], other = target->points.x[t];
        double one = golden->points.value[g], two = target->points.value[t];
        g += at <= other;
        t += other <= at;
        if (at != other)
            continue;
        out.common++;
        if (one == two || (isnan(one) && isnan(two)))
            continue;
        out.first = out.count++ ? out.first : at;
    }
    return out;
}

// "; the gradient norm differs at 3 of 400 steps, first at step 35": one series is the same, which
// does not describe the others.
static Str others_text(const CurveFindings *report, const CurveComparison *deciding, Arena *arena)
{
    for (size_t i = 0; i < report->count; i++) {
        const CurveComparison *at = &report->items[i];
        Differing steps = {0};
        if (at != deciding && at->target == deciding->target && !at->beyond)
            steps = differing_steps(at->golden_series, at->target_series);
        if (steps.count)
            return str_printf(arena,
                              tr("; " STR_FMT " differs at " STR_FMT " of " STR_FMT
                                 " steps, first at step " STR_FMT),
                              STR_ARG(series_word(at->series)),
                              STR_ARG(figure_count(steps.count, arena)),
                              STR_ARG(figure_count(steps.common, arena)),
                              STR_ARG(figure_step(steps.first, arena)));
    }
    return STR("");
}

static const CurveComparison *judged_loss_beside(const CurveFindings *report,
                                                 const CurveComparison *deciding)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->items[i].judged && report->items[i].target == deciding->target)
            return &report->items[i];
    return NULL;
}

// "; the loss differs by 0.3 % on average": of a verdict that is that of another series.
static Str loss_text(const CurveFindings *report, const CurveComparison *deciding, Arena *arena)
{
    const CurveComparison *loss = judged_loss_beside(report, deciding);
    if (deciding->judged || !loss || loss->beyond || loss->stats.points == 0)
        return STR("");
    Str most = two_digits(loss->stats.max_abs, arena);
    if (loss->stats.max_abs == 0)
        return str_of(tr("; the loss is equal"));
    if (loss->scale.around_zero)
        return str_printf(
            arena, tr("; the loss differs by at most " STR_FMT ", golden's scatters by " STR_FMT),
            STR_ARG(most), STR_ARG(two_digits(loss->scale.scatter, arena)));
    return str_printf(arena, tr("; the loss differs by " STR_FMT " on average"),
                      STR_ARG(percent(loss->stats.mean_relative, arena)));
}

// "; also beyond: actor/entropy, critic/score/mean and 2 more".
static Str also_text(const CurveFindings *report, const CurveComparison *deciding, Arena *arena)
{
    enum { NAMED = 3 };
    StrBuf names = strbuf_new(arena);
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++) {
        const CurveComparison *at = &report->items[i];
        bool rate = str_equal(at->series, STR("lr"));  // of which rate_text speaks
        if (at == deciding || rate || at->target != deciding->target || !at->beyond)
            continue;
        if (count++ < NAMED)
            strbuf_printf(&names, "%s" STR_FMT, count > 1 ? ", " : "",
                          STR_ARG(series_word(at->series)));
    }
    if (count > NAMED)
        strbuf_printf(&names, tr(" and %zu more"), count - NAMED);
    return count ? str_printf(arena, tr("; also beyond: " STR_FMT), STR_ARG(strbuf_str(&names)))
                 : STR("");
}

// " · 3 of 12 targets beyond tolerance": the sentence tells of one.
static Str beyond_text(const CurveFindings *report, const CurveComparison *comparison, Arena *arena)
{
    size_t all = 0, beyond = 0;
    for (size_t i = 0; i < report->count; i++) {
        bool same = str_equal(report->items[i].series, comparison->series);
        all += same;
        beyond += same && report->items[i].beyond;
    }
    return all < 2 ? STR("")
                   : str_printf(arena, tr(" · %zu of %zu targets beyond tolerance"), beyond, all);
}

void curves_verdict_of(const CurveFindings *report, const CurveComparison *comparison, Arena *arena,
                       Verdict *out)
{
    const Wording *wording = &wordings[comparison->finding];
    Str series = judged_word(comparison, arena);
    size_t targets = 0;
    for (size_t i = 0; i < report->runs->count; i++)
        targets += report->runs->items[i].role == ROLE_TARGET_RUN;
    if (targets > 1)
        series = str_printf(arena, tr(STR_FMT " of " STR_FMT), STR_ARG(series),
                            STR_ARG(comparison->target->name));
    out->word = str_of(tr(wording->word));
    out->style = wording->style;
    bool lr0 = comparison->lr0 && comparison->stats.one_sided == 0;
    if (wording->from_step && !lr0) {
        int64_t step;
        out->joint = str_of(joint_word(comparison, leaving_step(comparison, &step)));
        out->place = figure_step(step, arena);
    }
    out->reason =
        lr0 ? reason_lr0(comparison, series, arena) : wording->reason(comparison, series, arena);
    agree(report, comparison, series, arena, out);
    bool said = wording->reason == reason_outside && !lr0 && comparison->stats.one_sided == 0 &&
                !str_equal(comparison->series, STR("lr")) && out->style != STYLE_SAME;
    if (comparison->exact_off) {
        differ_exactly(comparison, series, arena, out);
    } else if (out->style != STYLE_SAME) {
        out->reason = str_concat(arena, out->reason, marks_of(comparison, arena));
        out->reason = str_concat(arena, out->reason, scatter_text(comparison, arena));
        out->reason = str_concat(arena, out->reason, shift_text(comparison, arena));
        out->reason = str_concat(arena, out->reason, spikes_text(report, comparison, arena));
        out->reason = str_concat(arena, out->reason, equal_until_text(comparison, arena));
        out->reason = str_concat(arena, out->reason, share_text(comparison, arena));
    }
    out->reason = str_concat(arena, out->reason, loss_text(report, comparison, arena));
    out->reason = str_concat(arena, out->reason, also_text(report, comparison, arena));
    out->reason = str_concat(arena, out->reason, rate_text(report, comparison, arena));
    if (out->style == STYLE_SAME)
        out->reason = str_concat(arena, out->reason, others_text(report, comparison, arena));
    out->context = str_concat(arena, context_text(comparison, said, arena),
                              beyond_text(report, comparison, arena));
    Str rest = out->place.size
                   ? str_printf(arena, tr(STR_FMT " " STR_FMT ": " STR_FMT), STR_ARG(out->joint),
                                STR_ARG(out->place), STR_ARG(out->reason))
                   : out->reason;
    out->sentence = verdict_sentence(out, rest, arena);
}

const char *curves_event_word(EventKind kind)
{
    static const char *const words[EVENT_KIND_COUNT] = {
        [EVENT_SKIP] = TR("skipped"),
        [EVENT_OVERFLOW] = TR("overflow"),
        [EVENT_NAN] = TR("NaN"),
        [EVENT_ABORT] = TR("abort"),
        [EVENT_CHECKPOINT] = TR("checkpoint"),
        [EVENT_CHECKPOINT_UNHEALTHY] = TR("unhealthy checkpoint"),
        [EVENT_RESTART] = TR("restart"),
        [EVENT_EVAL] = TR("evaluation"),
        [EVENT_ALARM] = TR("alarm"),
        [EVENT_ERROR] = TR("ranks disagree"),
    };
    return tr(words[kind]);
}

static bool has_target(const CurveFindings *report)
{
    for (size_t i = 0; i < report->runs->count; i++)
        if (report->runs->items[i].role == ROLE_TARGET_RUN)
            return true;
    return false;
}

static const Run *run_of_role(const Runs *runs, RunRole role)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->items[i].role == role && runs->items[i].series_count)
            return &runs->items[i];
    return NULL;
}

// What the two have, or the steps at which they have the same.
static Str why_not_compared(const Runs *runs, Arena *arena)
{
    const Run *golden = run_of_role(runs, ROLE_GOLDEN_RUN);
    const Run *target = run_of_role(runs, ROLE_TARGET_RUN);
    if (!golden || !target)
        return str_of(tr("the runs have no series with common steps"));
    for (size_t i = 0; i < golden->series_count; i++) {
        const Series *one = &golden->series[i];
        const Series *other = run_series(target, str_cstr(arena, one->name));
        if (!other || !one->count || !other->count)
            continue;
        return str_printf(
            arena,
            tr("the runs have no series with common steps: " STR_FMT " of golden is at " STR_FMT
               " to " STR_FMT ", of the target at " STR_FMT " to " STR_FMT),
            STR_ARG(series_word(one->name)), STR_ARG(figure_step(one->points.x[0], arena)),
            STR_ARG(figure_step(one->points.x[one->count - 1], arena)),
            STR_ARG(figure_step(other->points.x[0], arena)),
            STR_ARG(figure_step(other->points.x[other->count - 1], arena)));
    }
    return str_printf(arena,
                      tr("the runs have no series with common steps: golden has " STR_FMT
                         ", the target " STR_FMT),
                      STR_ARG(series_names_text(golden, arena)),
                      STR_ARG(series_names_text(target, arena)));
}

void curves_verdict(const CurveFindings *report, bool partial, Arena *arena, Verdict *out)
{
    *out = (Verdict){.partial = partial};
    const CurveComparison *deciding = curves_deciding(report);
    bool norms =
        report->has_norms && (!deciding || (curves_norms_off(report) && !deciding->beyond));
    if (norms) {
        norms_verdict(&report->norms, partial, arena, out);
    } else if (deciding) {
        curves_verdict_of(report, deciding, arena, out);
    } else if (has_target(report)) {
        out->word = str_of(tr("NOT COMPARED"));
        out->style = STYLE_NO_DATA;
        out->reason = why_not_compared(report->runs, arena);
        out->sentence = verdict_sentence(out, out->reason, arena);
    } else {
        course_verdict(report, arena, out);
    }
}
