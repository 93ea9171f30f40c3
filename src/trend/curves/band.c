// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/band.h"

#include <math.h>

#include "base/array.h"
#include "trend/curves/onset.h"
#include "trend/curves/smooth.h"

// All windows are odd.
static size_t difference_window(size_t count)
{
    size_t window = count / 50 | 1;
    return window < 21 ? 21 : window;
}

static size_t variance_window(size_t count)
{
    size_t window = count / 20 | 1;
    return window < 51 ? 51 : window;
}

static void measure_golden(const Aligned *aligned, size_t runs, Band *out, double *variance)
{
    for (size_t i = 0; i < out->count; i++) {
        double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
        for (size_t r = 0; r < runs; r++) {
            double value = aligned->values[r][i];
            low = value < low ? value : low;
            high = value > high ? value : high;
            sum += value;
        }
        double mean = sum / (double)runs;
        for (size_t r = 0; r < runs; r++)
            squares += (aligned->values[r][i] - mean) * (aligned->values[r][i] - mean);
        out->low[i] = low;
        out->high[i] = high;
        out->centre[i] = mean;
        variance[i] = runs > 1 ? squares / (double)(runs - 1) : 0;
    }
}

static void allocate(const Aligned *aligned, Arena *arena, Band *out)
{
    size_t n = aligned->count + 1;
    *out = (Band){.runs = aligned->series_count - 1, .x = aligned->x, .count = aligned->count};
    double **columns[] = {&out->low,        &out->high,     &out->centre, &out->sigma,
                          &out->difference, &out->smoothed, &out->limit};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        *columns[i] = ARENA_ARRAY(arena, double, n);
}

static bool is_outside(const Band *band, size_t i)
{
    return fabs(band->smoothed[i]) > band->limit[i];
}

// Spikes that come and go are excursions too, so these are those of the plain mean.
static void find_excursions(Band *band, Arena *arena)
{
    double *mean = ARENA_ARRAY(arena, double, band->count);
    centred_mean(band->difference, band->count, difference_window(band->count), arena, mean);
    bool before = false;
    for (size_t i = 0; i < band->count; i++) {
        bool outside = fabs(mean[i]) > band->limit[i];
        if (outside && !before)
            *ARRAY_PUSH(arena, &band->excursions) = (Excursion){i, i};
        if (outside)
            band->excursions.items[band->excursions.count - 1].to = i + 1;
        else
            band->last_inside_step = band->x[i];
        before = outside;
    }
}

// `steady` is the difference without spikes.
static void measure_tail(const double *steady, Band *band)
{
    double centre = 0;
    difference_tail(steady, band->count, &band->tail);
    for (size_t i = band->tail.from; i < band->count; i++)
        centre += band->centre[i] / (double)band->tail.count;
    band->late_mean = band->tail.mean;
    band->late_relative = centre != 0 ? band->tail.mean / centre : 0;
    band->late_slope_times_window = band->tail.slope * (double)band->tail.count;
}

// Root mean square of a difference against what the scatter lets expect; `scatter` is the same
// without the mean difference.
static double rms_against(const double *difference, const double *sigma, size_t count,
                          double *scatter)
{
    double squares = 0, expected = 0, mean = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        squares += difference[i] * difference[i];
        expected += sigma[i] * sigma[i];
        mean += difference[i] / n;
    }
    double rest = squares - n * mean * mean;
    *scatter = expected > 0 && rest > 0 ? sqrt(rest / expected) : 0;
    return expected > 0 ? sqrt(squares / expected) : squares > 0 ? INFINITY : 0;
}

// Spikes at most so many steps apart are one event.
enum { EVENT_STEPS = 5 };

// The chance that one run of `runs` + 1 alike has `own` and more of `all` events, each of which
// falls on any of them.
static double chance_of_events(size_t own, size_t all, size_t runs)
{
    double share = 1 / ((double)runs + 1), term = pow(1 - share, (double)all), less = 0;
    for (size_t k = 0; k < own; k++) {
        less += term;
        term *= (double)(all - k) / (double)(k + 1) * share / (1 - share);
    }
    return 1 - less;
}

// Seeds of one recipe spike at steps of their own: whether the target spikes more often than golden
// runs that do would in 99 of 100 draws.
static bool spikes_tell(const Band *band, const double *steady, const double *sigma)
{
    size_t own = 0, others = 0, own_end = 0, others_end = 0;
    for (size_t i = 0; i < band->count; i++) {
        if (band->sigma[i] > sigma[i]) {
            others += others_end == 0 || i > others_end + EVENT_STEPS;
            others_end = i + 1;
        } else if (steady[i] != band->difference[i]) {
            own += own_end == 0 || i > own_end + EVENT_STEPS;
            own_end = i + 1;
        }
    }
    return chance_of_events(own, own + others, band->runs) < 0.01;
}

// The ratios are those with spikes or those without, whichever say more: a spike of golden must not
// hide what the other steps show. `steady` and `sigma` are the ones without.
static void measure_shares(Band *band, const double *target, const double *steady,
                           const double *sigma)
{
    size_t inside_sigma = 0, inside_range = 0;
    for (size_t i = 0; i < band->count; i++) {
        inside_sigma += fabs(band->difference[i]) <= 3 * band->sigma[i];
        inside_range += band->low[i] <= target[i] && target[i] <= band->high[i];
    }
    double n = (double)band->count, scatter, quiet_scatter;
    band->inside_3_sigma_share = (double)inside_sigma / n;
    band->inside_min_max_share = (double)inside_range / n;
    band->expected_min_max_share = ((double)band->runs - 1) / ((double)band->runs + 1);
    double all = rms_against(band->difference, band->sigma, band->count, &scatter);
    double quiet = rms_against(steady, sigma, band->count, &quiet_scatter);
    band->rms_ratio = fmax(all, quiet);
    band->scatter_ratio =
        spikes_tell(band, steady, sigma) ? fmax(scatter, quiet_scatter) : quiet_scatter;
}

// Student's t that 1 % of draws exceed on either side, or 5 %.
static double student_limit(size_t freedom, bool rarely)
{
    static const double seldom[] = {63.66, 9.925, 5.841, 4.604, 4.032, 3.707,
                                    3.499, 3.355, 3.250, 3.169, 3.1};
    static const double at_times[] = {12.71, 4.303, 3.182, 2.776, 2.571, 2.447,
                                      2.365, 2.306, 2.262, 2.228, 2.2};
    size_t count = sizeof seldom / sizeof *seldom;
    size_t at = freedom < count ? freedom - 1 : count - 1;
    return freedom == 0 ? INFINITY : rarely ? seldom[at] : at_times[at];
}

// The difference after the warm-up: the mean over 10 to 30 % of the steps.
static double early_mean(const Band *band, const double *steady)
{
    size_t from = band->count / 10, to = 3 * band->count / 10 + 1;
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += steady[i];
    return sum / (double)(to - from);
}

// One recipe gives each seed an offset of its own: a run is apart where its offset is larger than
// the spread between runs tells, not than the scatter from step to step.
static void measure_offset(double *const *own, const double *steady, double share, double least,
                           Band *band)
{
    double mean = 0, squares = 0, n = (double)band->runs;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < band->runs; r++) {
            double late = 0;
            for (size_t i = band->tail.from; i < band->count; i++)
                late += own[r][i] / (double)band->tail.count;
            mean += pass ? 0 : late / n;
            squares += pass ? (late - mean) * (late - mean) : 0;
        }
    double error = sqrt(squares / (n - 1) * (1 + 1 / n)), size = fabs(band->late_mean);
    bool beyond = size > least && fabs(band->late_relative) > share;
    // Seeds have their offset from the first step on; what came later is none of theirs.
    bool far = size > 2 * least && fabs(band->late_relative) > 2 * share;
    bool came = beyond && fabs(band->late_mean - early_mean(band, steady)) > least;
    band->apart_late = far || came || size > student_limit(band->runs - 1, true) * error;
    band->apart_plainly = beyond && size > student_limit(band->runs - 1, false) * error;
}

// What each golden run is off the centre, without spikes.
static double **own_deviations(const Aligned *aligned, const Band *band, const double *limit,
                               Arena *arena)
{
    double **own = ARENA_ARRAY(arena, double *, band->runs);
    for (size_t r = 0; r < band->runs; r++) {
        own[r] = ARENA_ARRAY(arena, double, band->count + 1);
        for (size_t i = 0; i < band->count; i++)
            own[r][i] = aligned->values[r][i] - band->centre[i];
        clip_spikes(own[r], band->count, difference_window(band->count), limit, arena, own[r]);
    }
    return own;
}

// How much of the scatter of a step is left in a mean over the window: 1 where golden runs keep
// apart, 1 / sqrt(window) where each step scatters by itself.
static double scatter_of_means(double *const *own, const Band *band, const double *sigma,
                               Arena *arena)
{
    double *means = ARENA_ARRAY(arena, double, band->count + 1), share = 0;
    for (size_t r = 0; r < band->runs; r++) {
        centred_mean(own[r], band->count, difference_window(band->count), arena, means);
        for (size_t i = 0; i < band->count; i++)
            share += sigma[i] > 0 ? means[i] * means[i] / (sigma[i] * sigma[i]) : 1;
    }
    share /= (double)(band->runs - 1) * (double)band->count;
    return share < 1 ? sqrt(share) : 1;
}

// A mean over the window scatters less than a step: where the target is plainly apart at the end,
// the smoothed difference is held against that, but never against less than the tolerance.
static void tighten(double *const *own, const double *sigma, const double *tolerance, Arena *arena,
                    Band *band)
{
    double part = scatter_of_means(own, band, sigma, arena);
    for (size_t i = 0; i < band->count; i++)
        band->limit[i] = fmin(band->limit[i], fmax(tolerance[i], part * band->limit[i]));
}

// What may differ without noise runs: a share of golden, whose spikes count as little as others.
static void measure_tolerance(const Band *band, double share, double least, Arena *arena,
                              double *out)
{
    running_median(band->centre, band->count, difference_window(band->count), arena, out);
    for (size_t i = 0; i < band->count; i++)
        out[i] = fmax(share * fabs(out[i]), least);
}

// A spike of a golden run must not widen the band around it: what a step scatters by is cut at so
// many times the median around it (18 variances of normal noise of two runs). At its own step it
// stays, for there the golden runs are that far apart.
enum { VARIANCE_MOST = 40 };

// Fills `steady` with the widened scatter without spikes, band->sigma with that and spikes.
static void measure_sigma(double *variance, double resolution, double *steady, Arena *arena,
                          Band *band)
{
    size_t n = band->count, window = variance_window(n);
    double widening = sqrt(1 + 1 / (double)band->runs);
    double *cut = ARENA_ARRAY(arena, double, n + 1), *usual = ARENA_ARRAY(arena, double, n + 1);
    running_median(variance, n, window, arena, usual);
    for (size_t i = 0; i < n; i++) {
        double most = usual[i] > 0 ? VARIANCE_MOST * usual[i] : INFINITY;
        cut[i] = variance[i] < most ? variance[i] : most;
    }
    centred_mean(cut, n, window, arena, steady);
    for (size_t i = 0; i < n; i++) {
        steady[i] = widening * fmax(sqrt(steady[i]), resolution);
        band->sigma[i] = cut[i] < variance[i] ? widening * sqrt(variance[i]) : steady[i];
    }
}

// The excursion that touches the end. What scatters around the limit left once: an earlier
// excursion belongs to it where the difference between them stays on its side and above half of
// the limit.
static void find_lasting(Band *band)
{
    size_t n = band->count, from = n, first = n;
    while (from > 0 && is_outside(band, n - 1) &&
           band->smoothed[from - 1] * band->smoothed[n - 1] > 0 &&
           fabs(band->smoothed[from - 1]) > 0.5 * band->limit[from - 1]) {
        from--;
        first = is_outside(band, from) ? from : first;
    }
    band->last = (Excursion){first, n};
}

static void find_onset(const double *steady, Arena *arena, Band *band)
{
    const Excursion *lasting = band_lasting(band);
    size_t window = difference_window(band->count), quiet = 0;
    for (size_t i = 0; lasting && i + 1 < band->excursions.count; i++)
        if (band->excursions.items[i].to + window < lasting->from)
            quiet = band->excursions.items[i].to;
    if (lasting)
        band->onset =
            onset_find(steady, band->count, (OnsetHint){quiet, lasting->from, window}, arena);
    // A mean reaches over the steps before; where the runs are still equal, none has left.
    while (band->onset + 1 < band->count && band->difference[band->onset] == 0)
        band->onset++;
}

// The difference without spikes, and smoothed by it.
static double *smooth_difference(Band *band, const double *limit, Arena *arena)
{
    double *steady = ARENA_ARRAY(arena, double, band->count + 1);
    size_t window = difference_window(band->count);
    clip_spikes(band->difference, band->count, window, limit, arena, steady);
    centred_mean(steady, band->count, window, arena, band->smoothed);
    return steady;
}

void band_measure(const Aligned *aligned, double resolution, double share, double least,
                  Arena *arena, Band *out)
{
    allocate(aligned, arena, out);
    if (out->count == 0)
        return;
    const double *target = aligned->values[out->runs];
    double *variance = ARENA_ARRAY(arena, double, out->count);
    double *sigma = ARENA_ARRAY(arena, double, out->count);
    double *limit = ARENA_ARRAY(arena, double, out->count);
    measure_golden(aligned, out->runs, out, variance);
    measure_sigma(variance, resolution, sigma, arena, out);
    for (size_t i = 0; i < out->count; i++) {
        out->difference[i] = target[i] - out->centre[i];
        limit[i] = 3 * sigma[i];
    }
    centred_mean(limit, out->count, difference_window(out->count), arena, out->limit);
    double *steady = smooth_difference(out, limit, arena);
    double **own = own_deviations(aligned, out, limit, arena);
    measure_shares(out, target, steady, sigma);
    measure_tail(steady, out);
    measure_offset(own, steady, share, least, out);
    if (out->apart_plainly) {
        measure_tolerance(out, share, least, arena, limit);
        tighten(own, sigma, limit, arena, out);
    }
    find_excursions(out, arena);
    find_lasting(out);
    find_onset(steady, arena, out);
}

void band_of_tolerance(const Aligned *pair, double share, double least, Arena *arena, Band *out)
{
    allocate(pair, arena, out);
    if (out->count == 0)
        return;
    for (size_t i = 0; i < out->count; i++) {
        double golden = pair->values[0][i];
        out->low[i] = out->high[i] = out->centre[i] = golden;
        out->difference[i] = pair->values[1][i] - golden;
    }
    measure_tolerance(out, share, least, arena, out->limit);
    double *steady = smooth_difference(out, out->limit, arena);
    find_excursions(out, arena);
    find_lasting(out);
    measure_tail(steady, out);
    find_onset(steady, arena, out);
}

const Excursion *band_lasting(const Band *band)
{
    size_t length = band->last.to - band->last.from;
    bool lasting = length > difference_window(band->count) && length > band->count / 20;
    return lasting ? &band->last : NULL;
}

int64_t band_onset(const Band *band)
{
    return band->x[band->onset];
}

bool band_first_beyond(const Band *band, int64_t *step)
{
    // P(|z| > k) < exp(-k^2 / 2), for each of the steps.
    double k = sqrt(2 * log(100 * (double)(band->count + 1)));
    for (size_t i = 0; i < band->count; i++) {
        double most = band->runs > 1 ? k * band->sigma[i] : band->limit[i];
        if (fabs(band->difference[i]) > most) {
            *step = band->x[i];
            return true;
        }
    }
    return false;
}
