// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/judge_curves.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "base/sort.h"
#include "base/words.h"
#include "model/run/judged_loss.h"
#include "read/log/series_name.h"
#include "trend/curves/series_class.h"
#include "trend/curves/smooth.h"

const char *finding_text(Finding finding)
{
    static const char *const texts[] = {
        [FINDING_WITHIN] = "within noise", [FINDING_BORDERLINE] = "borderline",
        [FINDING_OUTSIDE] = "outside",     [FINDING_OFFSET] = "stable offset",
        [FINDING_DIVERGING] = "diverging", [FINDING_CANNOT_TELL] = "cannot tell",
    };
    return texts[finding];
}

// Counters of progress and speed are drawn, not judged.
static bool is_compared(Str name)
{
    if (STR_IN(name, "epoch", "consumed_samples", "consumed_tokens", "batch_size", "step_time_ms",
               "throughput"))
        return false;
    return !series_facts(name).speed;
}

static bool is_loss(Str name)
{
    return str_equal(name, STR("loss")) || str_starts(name, STR("loss."));
}

static bool is_rate_zero(const Run *run)
{
    const Series *rate = run_series(run, "lr");
    for (size_t i = 0; rate && i < rate->count; i++)
        if (rate->points.value[i] != 0)
            return false;
    return rate && rate->count > 0;
}

// Standard errors by which what stays on a level is off 0, as for the band (3 sigma).
#define SURE_ERRORS 3

// How the root mean square stands to the noise, and how many steps lie within 3 sigma, for "within"
// and for "outside" (docs/spec/curves.md §5.6). A further run of the recipe has 1 and 99.7 %; seeds
// with offsets of their own have more, which is why "outside" asks for more than this alone. Wider
// ones call a defect noise; narrower ones make a seed BORDERLINE.
#define WITHIN_RATIO  1.5
#define OUTSIDE_RATIO 2
#define WITHIN_SHARE  0.95

enum { END_STEPS = 8 };  // the fewest whose median or mean is one

// Of a series that scatters around 0: so many times as wide as golden's, or as narrow.
#define OTHER_SCATTER 1.5

static Finding finding_of_tail(const Band *band, double resolution)
{
    const Tail *tail = &band->tail;
    // What comes nearer to golden by half of it within the end is on no level.
    bool nearer = tail->slopes && tail->slope * tail->mean < 0 &&
                  2 * fabs(tail->slope) * (double)tail->count > fabs(tail->mean);
    bool level = !nearer && fabs(tail->mean) > fmax(SURE_ERRORS * tail->standard_error, resolution);
    return band_still_moves(band) ? FINDING_DIVERGING : level ? FINDING_OFFSET : FINDING_OUTSIDE;
}

static Finding finding_of_band(const CurveComparison *comparison)
{
    const Band *band = &comparison->band;
    if (band_lasting(band) && band->apart_late)
        return finding_of_tail(band, comparison->resolution);
    if (band->rms_ratio > OUTSIDE_RATIO &&
        (band->apart_late || band->scatter_ratio > band->scatter_limit))
        return FINDING_OUTSIDE;
    bool within = band->inside_3_sigma_share >= WITHIN_SHARE && band->rms_ratio <= WITHIN_RATIO;
    return within ? FINDING_WITHIN : FINDING_BORDERLINE;
}

// Whether two runs that scatter independently, as they do, but the target by no more than golden
// could, differ as much on average: the mean of |normal| is sqrt(2 / pi).
static bool explained_by_scatter(CurveComparison *comparison)
{
    const Band *band = &comparison->band;
    const Wander golden = wander_of(band->centre, band->count, 3, 0);
    double rho = wander_of(band->difference, band->count, 1, 0).rho;
    // Runs of one recipe wander in the same way, and few steps of golden, bent as they are, tell
    // less of it.
    double own = wander_of(band->centre, band->count, 3, rho).scatter;
    double of_difference = wander_of(band->difference, band->count, 1, rho).scatter;
    double of_both = fmin(of_difference, hypot(1, OTHER_SCATTER) * own);
    double expected = 0.8 * fmax(of_both, sqrt(2) * golden.scatter);
    // Half of golden and more on one side at every step is no scatter, however few steps there are.
    double above = comparison->stats.positive_share;
    bool one_side = (above == 0 || above == 1) && comparison->stats.mean_relative > 0.5;
    bool explained = band->count >= END_STEPS && !one_side &&
                     comparison->stats.mae <=
                         fmax(OTHER_SCATTER * expected, 0.8 * sqrt(2) * wander_most(&golden));
    comparison->own_scatter = explained ? golden.scatter : 0;
    return explained;
}

// Without noise runs only the tolerance can speak, and it never says "noise". `share` of golden is
// what a series may differ by on average.
static Finding finding_of_tolerance(CurveComparison *comparison, double share)
{
    const Band *band = &comparison->band;
    const SeriesScale *scale = &comparison->scale;
    const Tail *tail = &band->tail;
    if (comparison->stats.max_abs <= comparison->resolution)
        return FINDING_WITHIN;
    // The mean of the end tells more than the means over windows in it.
    bool late = tail->count >= END_STEPS && tail->sure && fabs(tail->mean) > band->late_tolerance;
    if ((band_lasting(band) && band->apart_late) || late)
        return finding_of_tail(band, comparison->resolution);
    if (scale->around_zero)
        return scale->scatter_ratio > OTHER_SCATTER ? FINDING_OUTSIDE : FINDING_CANNOT_TELL;
    bool wide = comparison->stats.mean_relative > share && !explained_by_scatter(comparison);
    return wide ? FINDING_OUTSIDE : FINDING_CANNOT_TELL;
}

static void judge_converged(CurveComparison *comparison)
{
    double late = fabs(comparison->phases[2].signed_mean);
    if (!comparison->judged || comparison->stats.points == 0)
        return;
    comparison->beyond = late > comparison->limits->late_accepted &&
                         (late > comparison->limits->late_problem ||
                          comparison->phases[2].mean_relative > comparison->limits->mean_relative);
    if (!comparison->beyond && comparison->finding != FINDING_WITHIN)
        comparison->finding = FINDING_BORDERLINE;
}

// With rate 0 every step is the same computation: what lies so many robust scales off the usual
// difference, and so many units of the printed digits, is reported. Chosen: scatter does not reach
// there. It decides nothing (the mean does); a wrong one lists too many steps or too few.
enum { OUTLIER_SCALES = 8, OUTLIER_UNITS = 5 };

static void find_outliers(CurveComparison *comparison, Arena *arena)
{
    const Aligned *pair = &comparison->pair;
    double *d = ARENA_ARRAY(arena, double, pair->count + 1);
    double *sorted = ARENA_ARRAY(arena, double, pair->count + 1);
    for (size_t i = 0; i < pair->count; i++)
        sorted[i] = d[i] = pair->values[1][i] - pair->values[0][i];
    double middle = median_of(sorted, pair->count);
    for (size_t i = 0; i < pair->count; i++)
        sorted[i] = fabs(d[i] - middle);
    double limit = OUTLIER_SCALES * MAD_TO_SIGMA * median_of(sorted, pair->count);
    comparison->outliers = ARENA_ARRAY(arena, int64_t, pair->count + 1);
    for (size_t i = 0; i < pair->count; i++)
        if (fabs(d[i] - middle) > limit &&
            fabs(d[i] - middle) > OUTLIER_UNITS * comparison->resolution)
            comparison->outliers[comparison->outlier_count++] = pair->x[i];
}

static void judge_lr0(CurveComparison *comparison, Arena *arena)
{
    find_outliers(comparison, arena);
    bool loss = is_loss(comparison->series);
    bool norm = str_equal(comparison->series, STR("grad_norm"));
    double limit = loss   ? comparison->limits->lr0_loss
                   : norm ? comparison->limits->lr0_norm
                          : INFINITY;
    comparison->beyond = comparison->stats.mae > limit;
    comparison->finding = comparison->beyond ? FINDING_OUTSIDE : FINDING_CANNOT_TELL;
    if (comparison->stats.max_abs <= comparison->resolution)
        comparison->finding = FINDING_WITHIN;
}

static bool is_beyond(Finding finding)
{
    return finding == FINDING_OUTSIDE || finding == FINDING_OFFSET || finding == FINDING_DIVERGING;
}

static void judge_by_tolerance(CurveComparison *comparison, const Aligned *aligned, double share,
                               double least, Arena *arena)
{
    comparison->has_band = false;
    band_of_tolerance(aligned, share, least, arena, &comparison->band);
    comparison->finding = finding_of_tolerance(comparison, share);
}

// The loss by the tolerances that a user may set.
static void judge_loss_by_tolerance(CurveComparison *comparison, const Aligned *aligned,
                                    Arena *arena)
{
    judge_by_tolerance(comparison, aligned, comparison->limits->mean_relative,
                       comparison->scale.absolute, arena);
}

// Ends of seeds of one recipe differ by more than the tolerance of one seed: 0.03 at a loss of 2.
#define SEED_ALLOWANCE 1.5

// Steps that no noise run covers are judged by the tolerance: what they show counts where it is
// worse than what the covered ones show.
static void judge_uncovered(CurveComparison *comparison, const Aligned *covered, Arena *arena)
{
    Aligned finite, rest;
    CurveComparison other = *comparison;
    aligned_keep_finite(&comparison->pair, arena, &finite);
    noise_runs_uncovered(&finite, covered, arena, &rest);
    comparison->uncovered = rest.count;
    if (rest.count == 0 || is_beyond(comparison->finding))
        return;
    difference_stats(&rest, 0, rest.count, &other.stats);
    judge_loss_by_tolerance(&other, &rest, arena);
    if (!is_beyond(other.finding))
        return;
    comparison->finding = other.finding;
    comparison->band = other.band;
    comparison->has_band = false;
}

static void judge_loss(CurveComparison *comparison, const Runs *runs, Arena *arena)
{
    Aligned aligned;
    noise_runs_choose(runs, comparison->golden_series, comparison->target_series,
                      comparison->series, arena, &comparison->noise);
    noise_runs_align(&comparison->noise, comparison->golden_series, comparison->target_series,
                     arena, &aligned);
    comparison->has_band = comparison->noise.used > 0;
    if (aligned.count == 0) {
        comparison->finding = FINDING_CANNOT_TELL;
        return;
    }
    if (comparison->has_band) {
        double unit = series_resolution(comparison->golden_series, aligned.values[0][0]);
        band_measure(&aligned, unit, comparison->limits->mean_relative,
                     SEED_ALLOWANCE * comparison->scale.absolute, arena, &comparison->band);
        comparison->finding = finding_of_band(comparison);
        judge_uncovered(comparison, &aligned, arena);
    } else {
        judge_loss_by_tolerance(comparison, &aligned, arena);
    }
    comparison->beyond = is_beyond(comparison->finding);
}

// What two values may differ by where their digits are equal.
static double digit_unit(const CurveComparison *comparison, double golden, double target)
{
    double most = fmax(fabs(golden), fabs(target));
    if (comparison->limits->digits && most > 0)
        return 0.5 * pow(10, floor(log10(most)) + 1 - (double)comparison->limits->digits);
    return fmax(series_resolution(comparison->golden_series, golden),
                series_resolution(comparison->target_series, target));
}

// The first common step at which the two differ in a digit that both print; pair.count: none.
static size_t first_difference(const CurveComparison *comparison)
{
    const Aligned *pair = &comparison->pair;
    for (size_t i = 0; i < pair->count; i++) {
        double golden = pair->values[0][i], target = pair->values[1][i];
        bool equal = golden == target || (isnan(golden) && isnan(target));
        if (!equal && !(fabs(golden - target) <= 1.01 * digit_unit(comparison, golden, target)))
            return i;
    }
    return pair->count;
}

// A schedule is shifted by what a warm-up or a checkpoint is, values by how steps are counted.
enum { VALUES_SHIFT_MOST = 4, SCHEDULE_SHIFT_MOST = 1000 };

// Whether the target has the values of golden so many places later, in nine of ten digits that are
// printed: the same run, counted otherwise. 0: it has not.
static int shifted_by(const CurveComparison *comparison)
{
    enum { ASKED_LEAST = 8 };
    const Aligned *pair = &comparison->pair;
    if (pair->count < 10 * VALUES_SHIFT_MOST)
        return 0;
    size_t most =
        str_equal(comparison->series, STR("lr")) ? SCHEDULE_SHIFT_MOST : VALUES_SHIFT_MOST;
    for (int shift = 1; shift <= (int)most && pair->count >= 10 * (size_t)shift; shift++)
        for (int side = 0; side < 2; side++) {
            size_t equal = 0, asked = 0, distinct = 0;
            for (size_t i = 0; i + (size_t)shift < pair->count; i++, asked++) {
                double early = pair->values[side][i],
                       late = pair->values[1 - side][i + (size_t)shift];
                equal += fabs(early - late) <= 1.01 * digit_unit(comparison, early, late);
                distinct += early != pair->values[side][i + (size_t)shift];
                if (asked > ASKED_LEAST && (2 * equal < asked || 2 * distinct < asked))
                    break;
            }
            if (asked + (size_t)shift == pair->count && 10 * equal >= 9 * asked &&
                10 * distinct >= 9 * asked)
                return side ? shift : -shift;
        }
    return 0;
}

static void measure(CurveComparison *comparison)
{
    const Aligned *pair = &comparison->pair;
    size_t cuts[PHASE_COUNT + 1] = {0, pair->count / 10, (size_t)((double)pair->count * 0.8),
                                    pair->count};
    difference_stats(pair, 0, pair->count, &comparison->stats);
    for (int i = 0; i < PHASE_COUNT; i++)
        difference_stats(pair, cuts[i], cuts[i + 1], &comparison->phases[i]);
    double value = pair->count ? pair->values[0][0] : 1;
    comparison->resolution = series_resolution(comparison->golden_series, value) +
                             series_resolution(comparison->target_series, value);
    comparison->scale = series_scale(pair, comparison->limits->absolute);
    comparison->first_difference = first_difference(comparison);
    comparison->shifted = comparison->first_difference < pair->count ? shifted_by(comparison) : 0;
    comparison->step_one = pair->count > 0 ? pair->values[1][0] - pair->values[0][0] : NAN;
    comparison->step_two = pair->count > 1 ? pair->values[1][1] - pair->values[0][1] : NAN;
}

// A rate that is computed twice differs by rounding; a schedule of its own by more than this.
static const double rate_tolerance = 5e-3;

// Twice as large or as small at a tenth of the steps: no rounding, no shift of a schedule.
#define OTHER_RATE 2

static bool rate_of_another_recipe(const Aligned *pair)
{
    size_t off = 0;
    for (size_t i = 0; i < pair->count; i++) {
        double golden = pair->values[0][i], target = pair->values[1][i];
        off += fmax(golden, target) > OTHER_RATE * fmin(golden, target);
    }
    return pair->count && 10 * off >= pair->count;
}

static void compare_rates(CurveComparison *comparison, Arena *arena)
{
    ScheduleFit fit;
    schedule_align(comparison->golden, comparison->golden_series, comparison->target,
                   comparison->target_series, arena, &fit);
    const Series *both[] = {&fit.golden, &fit.target};
    // A shift that does not make them agree is none.
    if (!fit.by_updates && !(fit.worst_relative < rate_tolerance))
        fit.step_shift = 0;
    align_series(both, 2, false, fit.step_shift, arena, &comparison->pair);
    comparison->step_shift = fit.step_shift;
    comparison->by_updates = fit.by_updates;
    measure(comparison);
    // Where golden has no rate above 0, nothing can be a relative error.
    bool both_zero = isinf(fit.worst_relative) && comparison->stats.max_abs == 0;
    bool good = fit.worst_relative < rate_tolerance || both_zero;
    comparison->finding = good ? FINDING_WITHIN : FINDING_OUTSIDE;
    comparison->beyond = !good && rate_of_another_recipe(&comparison->pair);
}

bool curves_rate_off(const CurveComparison *comparison, int64_t *step, double *most)
{
    const Aligned *pair = &comparison->pair;
    bool off = false;
    *most = 0;
    if (!str_equal(comparison->series, STR("lr")) || comparison->finding != FINDING_OUTSIDE)
        return false;
    for (size_t i = 0; i < pair->count; i++) {
        double golden = pair->values[0][i], difference = fabs(pair->values[1][i] - golden);
        double error = difference > 0 ? difference / golden : 0;
        if (!(error >= rate_tolerance) || (isinf(error) && comparison->stats.mean_relative > 0))
            continue;
        *step = off ? *step : pair->x[i];
        *most = error > *most ? error : *most;
        off = true;
    }
    return off;
}

// The median ratio of the target's values to golden's in [from, end); NaN: none is a number.
static double ratio_over(const Aligned *pair, size_t from, size_t end)
{
    Arena *scratch = arena_new();
    double *ratios = ARENA_ARRAY(scratch, double, end - from + 1);
    size_t count = 0;
    for (size_t i = from; i < end; i++) {
        double ratio = pair->values[1][i] / pair->values[0][i];
        if (isfinite(ratio))
            ratios[count++] = ratio;
    }
    double middle = median_of(ratios, count);
    arena_release(scratch);
    return middle;
}

// A norm may be printed before or after the clipping: what counts is that it came to twice
// golden's, or to half, within the run.
#define NORM_MOVED 2

static bool moved_within(const Aligned *pair)
{
    size_t end = difference_end(pair->count);
    if (pair->count < 2 * end)
        return false;
    double early = ratio_over(pair, 0, end),
           late = ratio_over(pair, pair->count - end, pair->count);
    return late > 1 ? late >= NORM_MOVED * fmax(early, 1) : late <= fmin(early, 1) / NORM_MOVED;
}

// The end of a difference. How slowly it wanders is estimated from more steps than those.
static void end_of(const Aligned *all, Arena *arena, Tail *out)
{
    enum { WANDER_STEPS = 2000 };
    const double *golden = all->values[0], *target = all->values[all->series_count - 1];
    size_t end = difference_end(all->count);
    size_t count = end > WANDER_STEPS ? end : all->count < WANDER_STEPS ? all->count : WANDER_STEPS;
    double *difference = ARENA_ARRAY(arena, double, count + 1);
    for (size_t i = all->count - count, k = 0; k < count; i++, k++)
        difference[k] = target[i] - golden[i];
    const Wander wander = wander_of(difference, count, 1, 0);
    difference_line(difference, count - end, count, &wander, out);
}

// The largest mean difference to golden at the end of noise runs that have the series; 0: none has.
static double noise_at_end(const Aligned *all, const Tail *end)
{
    double most = 0;
    for (size_t r = 1; r + 1 < all->series_count; r++) {
        double mean = 0;
        for (size_t i = all->count - end->count; i < all->count; i++)
            mean += (all->values[r][i] - all->values[0][i]) / (double)end->count;
        most = fmax(most, fabs(mean));
    }
    return most;
}

// What seeds do to the end of a series is known by so few runs that so many times it is needed.
#define NOISE_TIMES 3
enum { OTHERS_LEAST = 4 };

// A series next to the loss: beyond where its end differs from golden's by more than a share of the
// level, or, around 0, by more than golden scatters, and by more than scatter and noise explain.
static void judge_other(CurveComparison *comparison, const Runs *runs, Arena *arena)
{
    Aligned all;
    Tail end;
    const SeriesClass class = series_class(comparison->series);
    double share = series_class_share(class);
    bool chosen =
        runs->wish && runs->wish->loss.size && str_starts(comparison->series, STR("loss."));
    if (share == 0 || chosen || str_equal(comparison->series, STR("lr")) ||
        (class == SERIES_NORM && !moved_within(&comparison->pair)))
        return;
    const SeriesScale *scale = &comparison->scale;
    double least = scale->around_zero ? scale->scatter : share * scale->level;
    Arena *scratch = arena_new();
    noise_runs_choose(runs, comparison->golden_series, comparison->target_series,
                      comparison->series, arena, &comparison->noise);
    noise_runs_align(&comparison->noise, comparison->golden_series, comparison->target_series,
                     scratch, &all);
    end_of(&all, scratch, &end);
    double limit = fmax(least, NOISE_TIMES * noise_at_end(&all, &end));
    if (all.count >= OTHERS_LEAST && end.sure &&
        fabs(end.mean) > fmax(limit, comparison->resolution)) {
        aligned_keep_finite(&comparison->pair, arena, &all);
        judge_by_tolerance(comparison, &all, scale->around_zero ? 0 : share, least, arena);
        comparison->beyond = is_beyond(comparison->finding);
        comparison->gravity = limit > 0 ? fabs(end.mean) / limit : INFINITY;
    }
    arena_release(scratch);
}

// What its mean difference says of a series whose end agrees.
static Finding finding_of_mean(const CurveComparison *comparison)
{
    const DifferenceStats *stats = &comparison->stats;
    if (stats->points && stats->max_abs <= comparison->resolution)
        return FINDING_WITHIN;
    // Two runs that scatter from step to step as golden does differ as much.
    bool scatter = stats->mae <= OTHER_SCATTER * 0.8 * sqrt(2) * comparison->scale.scatter &&
                   comparison->scale.scatter_ratio <= OTHER_SCATTER;
    return scatter || stats->mean_relative <= comparison->limits->norm_mean_relative
               ? FINDING_CANNOT_TELL
               : FINDING_BORDERLINE;
}

static void compare_values(const CurveFindings *report, CurveComparison *comparison, Arena *arena)
{
    const Series *both[] = {comparison->golden_series, comparison->target_series};
    bool loss = is_loss(comparison->series) || comparison->judged;
    align_series(both, 2, loss, 0, arena, &comparison->pair);
    measure(comparison);
    if (comparison->lr0)
        judge_lr0(comparison, arena);
    else if (comparison->judged)
        judge_loss(comparison, report->runs, arena);
    else
        comparison->finding = finding_of_mean(comparison);
    if (!comparison->judged)
        judge_other(comparison, report->runs, arena);
    if (!comparison->lr0 && report->criterion == CRITERION_CONVERGED)
        judge_converged(comparison);
}

static void compare_series(const CurveFindings *report, CurveComparison *comparison, Arena *arena)
{
    if (str_equal(comparison->series, STR("lr")))
        compare_rates(comparison, arena);
    else
        compare_values(report, comparison, arena);
    comparison->exact_off =
        comparison->limits->exact && comparison->first_difference < comparison->pair.count;
    if (comparison->limits->exact && !comparison->exact_off && comparison->stats.points)
        comparison->finding = FINDING_WITHIN;
    if (comparison->stats.one_sided || comparison->exact_off) {
        comparison->finding = FINDING_OUTSIDE;
        comparison->beyond = true;
    }
}

static void compare_one(CurveFindings *report, CurveComparison comparison, Str name, Arena *arena)
{
    const Series *own = comparison.golden_series, *other = comparison.target_series;
    if (!other || !is_compared(own->name) || own->count == 0 || other->count == 0)
        return;
    comparison.series = name;
    compare_series(report, &comparison, arena);
    if (comparison.pair.count)
        *ARRAY_PUSH(arena, report) = comparison;
}

static bool has_rank(const Run *run, int64_t rank)
{
    bool has = false;
    for (size_t i = 0; i < run->rank_count; i++)
        has = has || run->ranks[i] == rank;
    return has;
}

// A rank of the target whose loss differs from that of its others, where golden's ranks agree.
static void compare_ranks(CurveFindings *report, CurveComparison *comparison, const Names *golden,
                          Arena *arena)
{
    const Run *target = comparison->target;
    comparison->golden_series = run_series(comparison->golden, "loss");
    for (size_t i = 0; comparison->golden_series && i < target->series_count; i++) {
        const Series *series = &target->series[i];
        if (!judged_loss_is_of_rank(series->name) || names_find(golden, series->name) ||
            !has_rank(comparison->golden, series->rank))
            continue;
        comparison->target_series = series;
        comparison->judged = true;
        compare_one(report, *comparison, series->name, arena);
    }
}

static void compare_target(CurveFindings *report, const Run *golden, const Run *target,
                           Arena *arena)
{
    const Series *loss = run_series(golden, "loss");
    JudgedLoss judged = judged_loss_of(golden);
    Names *names = names_new(arena);
    const Series **others = ARENA_ARRAY(arena, const Series *, golden->series_count + 1);
    CurveComparison comparison = {.golden = golden, .target = target, .limits = report->limits};
    bool lr0 = report->criterion == CRITERION_LR0 || (is_rate_zero(golden) && is_rate_zero(target));
    for (size_t i = 0; i < golden->series_count; i++)
        names_add(names, golden->series[i].name);
    for (size_t i = target->series_count; i-- > 0;)
        others[names_find(names, target->series[i].name)] = &target->series[i];
    for (size_t i = loss ? 0 : 1; i <= golden->series_count; i++) {  // the loss first
        const Series *series = i ? &golden->series[i - 1] : loss;
        comparison.golden_series = series;
        comparison.target_series = others[names_find(names, series->name)];
        comparison.judged = judged_loss_has(judged, series->name);
        comparison.lr0 = lr0 && !str_equal(series->name, STR("lr"));
        if (!comparison.target_series && judged_loss_is_of_rank(series->name) &&
            has_rank(target, series->rank))
            comparison.target_series = run_series(target, "loss");
        if (i == 0 || series != loss)
            compare_one(report, comparison, series->name, arena);
    }
    compare_ranks(report, &comparison, names, arena);
}

// How far the golden configuration is from itself: the loss of each noise run against the golden
// run.
static void compare_noise(CurveFindings *report, const Run *golden, const Run *noise, Arena *arena)
{
    const Series *loss = run_series(golden, "loss"), *other = run_series(noise, "loss");
    if (!loss || !other)
        return;
    CurveComparison comparison = {.golden = golden,
                                  .target = noise,
                                  .limits = report->limits,
                                  .series = loss->name,
                                  .golden_series = loss,
                                  .target_series = other};
    const Series *both[] = {loss, other};
    align_series(both, 2, true, 0, arena, &comparison.pair);
    measure(&comparison);
    *ARRAY_ADD(arena, report->noise, report->noise_count, report->noise_capacity) = comparison;
}

static void search_spikes(CurveFindings *report, const Run *run, Arena *arena)
{
    for (size_t i = 0; i < run->series_count; i++) {
        const SpikeRule *rule = spike_rule_for(run->series[i].name);
        RunSpikes *found =
            ARRAY_ADD(arena, report->spikes, report->spikes_count, report->spikes_capacity);
        *found = (RunSpikes){.series = &run->series[i], .searched = rule != NULL};
        if (rule)
            spikes_find(found->series, rule, arena, &found->spikes);
    }
}

const Spikes *curves_spikes(const CurveFindings *report, const Run *run, const Series *series)
{
    size_t at = report->spikes_from[run - report->runs->items] + (size_t)(series - run->series);
    return report->spikes[at].searched ? &report->spikes[at].spikes : NULL;
}

void curves_judge(const Runs *runs, Criterion criterion, const CurveLimits *limits,
                  const NameMap *map, Arena *arena, CurveFindings *out)
{
    CurveLimits *own = ARENA_NEW(arena, CurveLimits);
    *own = limits ? *limits : curve_limits;
    *out = (CurveFindings){.runs = runs, .limits = own, .criterion = criterion};
    const Run *golden = NULL;
    out->spikes_from = ARENA_ARRAY(arena, size_t, runs->count + 1);
    for (size_t i = 0; i < runs->count; i++) {
        out->spikes_from[i] = out->spikes_count;
        search_spikes(out, &runs->items[i], arena);
        if (!golden && runs->items[i].role == ROLE_GOLDEN_RUN)
            golden = &runs->items[i];
    }
    for (size_t i = 0; golden && i < runs->count; i++) {
        const Run *run = &runs->items[i];
        if (run->role == ROLE_NOISE_RUN)
            compare_noise(out, golden, run, arena);
        if (run->role != ROLE_TARGET_RUN)
            continue;
        compare_target(out, golden, run, arena);
        if (!out->has_norms && localnorm_compare(golden, run, map, arena, &out->norms)) {
            localnorm_flag(&out->norms, own->local_look, arena);
            out->has_norms = true;
        }
    }
}
