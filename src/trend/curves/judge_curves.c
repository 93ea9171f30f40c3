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
    static const char *const skipped[] = {"epoch",      "consumed_samples", "consumed_tokens",
                                          "batch_size", "step_time_ms",     "throughput"};
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (str_equal(name, str_of(skipped[i])))
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

// Standard errors beyond which a mean or a slope is no work of scatter, as for the band (3 sigma):
// one of 370 is by chance. Fewer call scatter a stable offset, more an offset only "outside".
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
    if (band_still_moves(band))
        return FINDING_DIVERGING;
    bool sure =
        fabs(tail->mean) > SURE_ERRORS * tail->standard_error && fabs(tail->mean) > resolution;
    return sure ? FINDING_OFFSET : FINDING_OUTSIDE;
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

// Without noise runs only the tolerance can speak, and it never says "noise".
static Finding finding_of_tolerance(const CurveComparison *comparison)
{
    const Band *band = &comparison->band;
    const Tail *tail = &band->tail;
    if (comparison->stats.max_abs <= comparison->resolution)
        return FINDING_WITHIN;
    // The mean of the end tells more than the means over windows in it.
    bool late = tail->count >= END_STEPS && tail->sure && fabs(tail->mean) > band->late_tolerance;
    if (band_lasting(band) || late)
        return finding_of_tail(band, comparison->resolution);
    if (comparison->scale.around_zero)
        return comparison->scale.scatter_ratio > OTHER_SCATTER ? FINDING_OUTSIDE
                                                               : FINDING_CANNOT_TELL;
    if (comparison->stats.mean_relative > comparison->limits->mean_relative)
        return FINDING_OUTSIDE;
    return FINDING_CANNOT_TELL;
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
// difference, and so many units of the printed digits, is told. Chosen: scatter does not reach
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

static void judge_by_tolerance(CurveComparison *comparison, const Aligned *aligned, Arena *arena)
{
    comparison->has_band = false;
    band_of_tolerance(aligned, comparison->limits->mean_relative, comparison->scale.absolute, arena,
                      &comparison->band);
    comparison->finding = finding_of_tolerance(comparison);
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
    judge_by_tolerance(&other, &rest, arena);
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
        judge_by_tolerance(comparison, &aligned, arena);
    }
    comparison->beyond = is_beyond(comparison->finding);
}

// Those of the target's values to golden's that are numbers.
static size_t ratios_of(const Aligned *pair, size_t from, size_t end, double *out)
{
    size_t count = 0;
    for (size_t i = from; i < end; i++) {
        double ratio = pair->values[1][i] / pair->values[0][i];
        if (isfinite(ratio))
            out[count++] = ratio;
    }
    return count;
}

// The median ratio of the first and of the last 20 %.
static void measure_ends(CurveComparison *comparison, double *room)
{
    const Aligned *pair = &comparison->pair;
    size_t end = pair->count / 5 > END_STEPS ? pair->count / 5 : END_STEPS;
    if (pair->count < 2 * end)
        return;
    size_t early = ratios_of(pair, 0, end, room);
    comparison->ratio_early = median_of(room, early);
    comparison->late_steps = ratios_of(pair, pair->count - end, pair->count, room);
    comparison->ratio_late = median_of(room, comparison->late_steps);
    comparison->late_steps = early ? comparison->late_steps : 0;
}

// Norms scatter: the median ratio and its range say more than a mean.
static void judge_norm(CurveComparison *comparison)
{
    const Aligned *pair = &comparison->pair;
    Arena *scratch = arena_new();
    double *ratios = ARENA_ARRAY(scratch, double, pair->count + 1);
    measure_ends(comparison, ratios);
    size_t count = ratios_of(pair, 0, pair->count, ratios);
    comparison->ratio_median = median_of(ratios, count);
    comparison->ratio_low = quantile_of(ratios, count, 0.05);
    comparison->ratio_high = quantile_of(ratios, count, 0.95);
    arena_release(scratch);
    bool near = comparison->stats.mean_relative <= comparison->limits->norm_mean_relative;
    bool equal = comparison->stats.points && comparison->stats.max_abs <= comparison->resolution;
    comparison->finding = equal ? FINDING_WITHIN : near ? FINDING_CANNOT_TELL : FINDING_BORDERLINE;
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

// Seeds of one recipe scatter by less; what grew to the larger factor within a run is no other way
// of printing, such as the norm after the clipping.
static const double norm_factor = 1.5, norm_factor_moved = 2;

static bool is_factor(double ratio, double factor)
{
    return ratio >= factor || ratio <= 1 / factor;
}

// A norm may be printed before or after the clipping: what counts is how it moved within the run.
static bool moved_within(const CurveComparison *comparison)
{
    double early = comparison->ratio_early, late = comparison->ratio_late;
    return late > 1 ? late >= norm_factor_moved * fmax(early, 1)
                    : late <= fmin(early, 1) / norm_factor_moved;
}

bool curves_norm_off(const CurveComparison *comparison, bool *moved)
{
    double late = comparison->ratio_late;
    if (!str_equal(comparison->series, STR("grad_norm")) || comparison->late_steps == 0)
        return false;
    *moved = moved_within(comparison);
    return is_factor(late, norm_factor);
}

// So many times the scatter around the course of a difference is plain however few steps tell how
// slowly it wanders.
#define PLAIN_SCATTERS 4

// The end of a difference: the last 20 %, and of few values the last 8; *level: golden there. What
// wanders slowly is told by more steps than those: the end has at least their autocorrelation.
static void end_of(const Aligned *all, Arena *arena, Tail *out, double *level)
{
    enum { WANDER_STEPS = 2000 };
    const double *golden = all->values[0], *target = all->values[all->series_count - 1];
    size_t few = all->count < END_STEPS ? all->count : END_STEPS;
    size_t end = all->count / 5 > few ? all->count / 5 : few;
    size_t count = end > WANDER_STEPS ? end : all->count < WANDER_STEPS ? all->count : WANDER_STEPS;
    size_t from = all->count - count;
    double *difference = ARENA_ARRAY(arena, double, count + 1);
    *level = 0;
    for (size_t i = 0; i < count; i++)
        difference[i] = target[from + i] - golden[from + i];
    for (size_t i = all->count - end; i < all->count; i++)
        *level += fabs(golden[i]) / (double)end;
    double rho = neighbour_autocorrelation(difference, count, arena) - 3 / sqrt((double)count + 1);
    Tail whole;
    difference_line(difference, 0, count, 0, &whole);
    difference_line(difference + (count - end), 0, end, rho, out);
    out->sure = out->sure || fabs(out->mean) > PLAIN_SCATTERS * whole.scatter;
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

// What seeds do to the end of a series is told by so few runs that so many times it is needed.
#define NOISE_TIMES 3
enum { OTHERS_LEAST = 4 };

// The band of a series that is beyond, for the sentence and its marks.
static void keep_band(CurveComparison *comparison, double share, double least, const Tail *end,
                      Arena *arena)
{
    Aligned finite;
    Band *band = &comparison->band;
    aligned_keep_finite(&comparison->pair, arena, &finite);
    band_of_tolerance(&finite, share, least, arena, band);
    band->tail = *end;
    band->tail.from = band->count - end->count;
    band->late_mean = end->mean;
    band->late_relative = comparison->scale.level > 0 ? end->mean / comparison->scale.level : 0;
    comparison->finding = finding_of_tail(band, comparison->resolution);
}

// A series next to the loss: beyond where its end differs from golden's by more than a share of the
// level, or, around 0, by more than golden scatters, and by more than scatter and noise explain.
static void judge_other(CurveComparison *comparison, const Runs *runs, Arena *arena)
{
    Aligned all;
    Tail end;
    double level, share = series_class_share(series_class(comparison->series));
    bool chosen =
        runs->wish && runs->wish->loss.size && str_starts(comparison->series, STR("loss."));
    bool norm = series_class(comparison->series) == SERIES_NORM;
    if (share == 0 || chosen || str_equal(comparison->series, STR("lr")) ||
        (norm && !(comparison->late_steps && moved_within(comparison))))
        return;
    Arena *scratch = arena_new();
    noise_runs_choose(runs, comparison->golden_series, comparison->target_series,
                      comparison->series, arena, &comparison->noise);
    noise_runs_align(&comparison->noise, comparison->golden_series, comparison->target_series,
                     scratch, &all);
    if (all.count >= OTHERS_LEAST) {
        const SeriesScale *scale = &comparison->scale;
        end_of(&all, scratch, &end, &level);
        double least = scale->around_zero ? scale->scatter : share * scale->level;
        double limit = fmax(least, scale->around_zero ? 0 : share * level);
        limit = fmax(limit, NOISE_TIMES * noise_at_end(&all, &end));
        comparison->beyond = end.sure && fabs(end.mean) > fmax(limit, comparison->resolution);
        if (comparison->beyond) {
            comparison->gravity = limit > 0 ? fabs(end.mean) / limit : INFINITY;
            keep_band(comparison, scale->around_zero ? 0 : share, least, &end, arena);
        }
    }
    arena_release(scratch);
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
        judge_norm(comparison);
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

// How far the golden set-up is from itself: the loss of each noise run against the golden run.
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
            out->norm_target = run;
        }
    }
}
