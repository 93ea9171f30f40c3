// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/band.h"

#include <math.h>

#include "base/array.h"
#include "base/sort.h"
#include "trend/curves/onset.h"
#include "trend/curves/smooth.h"

// A difference that grows by less than this share of itself stays as it is (docs/spec/curves.md
// §5.7, chosen). Both are beyond tolerance: a wrong share only gives the one the other's name.
#define GROWTH_SHARE 0.5

// All windows are odd (docs/spec/curves.md §5.6, §5.7, chosen). Over 2 % of the steps, and so many
// that a mean scatters by less than a quarter of a step: a shorter window takes scatter for an
// excursion, a longer one hides an excursion that is short.
static size_t difference_window(size_t count)
{
    size_t window = count / 50 | 1;
    return window < 21 ? 21 : window;
}

// Over 5 % of the steps, and so many that two runs tell their scatter to a fifth: a shorter window
// tells it worse, a longer one blurs how it falls while the loss does.
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

static void allocate(const Aligned *aligned, bool noise, Arena *arena, Band *out)
{
    size_t n = aligned->count + 1;
    *out = (Band){.runs = aligned->series_count - 1, .x = aligned->x, .count = aligned->count};
    double **columns[] = {&out->difference, &out->smoothed, &out->limit, &out->sigma,
                          &out->low,        &out->high,     &out->centre};
    size_t count = sizeof columns / sizeof *columns;
    for (size_t i = 0; i < (noise ? count : count - 4); i++)
        *columns[i] = ARENA_ARRAY(arena, double, n);
}

static bool is_outside(const Band *band, size_t i)
{
    return fabs(band->smoothed[i]) > band->limit[i];
}

// Spikes that come and go are excursions too, so these are those of the plain mean.
static void find_excursions(Band *band, Arena *arena)
{
    Arena *scratch = arena_new();
    double *mean = ARENA_ARRAY(scratch, double, band->count);
    centred_mean(band->difference, band->count, difference_window(band->count), mean);
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
    arena_release(scratch);
}

// `steady` is the difference without spikes.
static void measure_tail(const double *steady, Band *band)
{
    double centre = 0;
    size_t from = band->count - difference_end(band->count);
    band->wander = wander_of(steady, band->count, 1, 0);
    difference_line(steady, from, band->count, &band->wander, &band->tail);
    for (size_t i = band->tail.from; i < band->count; i++)
        centre += band->centre[i] / (double)band->tail.count;
    double least = difference_least_scale(band->centre, band->count);
    centre = least > 0 ? fmax(fabs(centre), least) : centre;
    band->late_mean = band->tail.mean;
    band->late_relative = centre != 0 ? band->tail.mean / fabs(centre) : 0;
    band->late_slope_times_window = band->tail.slope * (double)band->tail.count;
}

// Root mean square of a difference against what the scatter lets expect; `scatter` is the same
// without the mean difference, and without the steps that are left out.
static double rms_against(const double *difference, const double *sigma, const bool *left_out,
                          size_t count, double *scatter)
{
    double squares = 0, expected = 0, sum = 0, rest = 0, quiet = 0, n = 0;
    for (size_t i = 0; i < count; i++) {
        squares += difference[i] * difference[i];
        expected += sigma[i] * sigma[i];
        if (left_out && left_out[i])
            continue;
        sum += difference[i];
        rest += difference[i] * difference[i];
        quiet += sigma[i] * sigma[i];
        n++;
    }
    rest -= n > 0 ? sum * sum / n : 0;
    *scatter = quiet > 0 && rest > 0 ? sqrt(rest / quiet) : 0;
    return expected > 0 ? sqrt(squares / expected) : squares > 0 ? INFINITY : 0;
}

// The chance that one run of `runs` + 1 in the same way has `own` and more of `all` events, each of
// which falls on any of them.
static double chance_of_events(size_t own, size_t all, size_t runs)
{
    double share = 1 / ((double)runs + 1), term = pow(1 - share, (double)all), less = 0;
    for (size_t k = 0; k < own; k++) {
        less += term;
        term *= (double)(all - k) / (double)(k + 1) * share / (1 - share);
    }
    return 1 - less;
}

// What is further from the median of all runs than so many times the scatter is part of a spike, at
// most so many steps apart one event.
#define EVENT_SIGMAS 5
enum { EVENT_STEPS = 5 };

// An event that lasts longer than the window is no spike. A spike rises and falls away.
static void mark_spike(size_t from, size_t to, size_t count, bool *spiked)
{
    if (to == from || to - from > difference_window(count))
        return;
    from = from > EVENT_STEPS ? from - EVENT_STEPS : 0;
    to = to + EVENT_STEPS < count ? to + EVENT_STEPS : count;
    for (size_t i = from; i < to; i++)
        spiked[i] = true;
}

// How many events a run has, by how far it is from the median of all runs at each step.
static size_t find_spikes(const double *values, const double *middle, const double *sigma,
                          size_t count, bool *spiked)
{
    size_t events = 0, from = 0, to = 0;
    for (size_t i = 0; i < count; i++) {
        if (fabs(values[i] - middle[i]) <= EVENT_SIGMAS * sigma[i])
            continue;
        if (events == 0 || i > to + EVENT_STEPS) {
            mark_spike(from, to, count, spiked);
            events++;
            from = i;
        }
        to = i + 1;
    }
    // What does not have come back when the run ends may stay.
    if (to + EVENT_STEPS < count)
        mark_spike(from, to, count, spiked);
    return events;
}

// Seeds of one recipe spike at steps of their own.
typedef struct Spiked {
    bool *at;   // by step: any run spikes there
    bool tell;  // the target spikes more often than golden runs that do would in 99 of 100 draws
} Spiked;

// All runs are counted in the same way, so that a seed of the recipe may be any of them.
static Spiked spikes_of_runs(const Aligned *aligned, const double *sigma, Arena *arena)
{
    size_t runs = aligned->series_count, own = 0, all = 0;
    double *middle = ARENA_ARRAY(arena, double, aligned->count + 1);
    double *step = ARENA_ARRAY(arena, double, runs);
    Spiked spikes = {.at = ARENA_ARRAY(arena, bool, aligned->count + 1)};
    for (size_t i = 0; i < aligned->count; i++) {
        for (size_t r = 0; r < runs; r++)
            step[r] = aligned->values[r][i];
        middle[i] = median_of(step, runs);
    }
    for (size_t r = 0; r < runs; r++) {
        own = find_spikes(aligned->values[r], middle, sigma, aligned->count, spikes.at);
        all += own;
    }
    spikes.tell = chance_of_events(own, all, runs - 1) < 0.01;
    return spikes;
}

// The values with what is usual around it in the place of a spike.
static double *level_spikes(const double *values, const Spiked *spikes, size_t count, Arena *arena)
{
    double *level = ARENA_ARRAY(arena, double, count + 1);
    running_median(values, count, 2 * difference_window(count) + 1, level);
    for (size_t i = 0; i < count; i++)
        level[i] = spikes->at[i] ? level[i] : values[i];
    return level;
}

// How many times the scatter that golden runs tell a further one may show: twice, and more where
// theirs wanders so slowly that few of the steps tell it, so that the logarithm of a ratio of two
// variances scatters (its normal approximation, beyond which 0.5 % lie).
static double scatter_limit(double *const *own, const Band *band)
{
    double above = 0, below = 0;
    for (size_t r = 0; r < band->runs; r++)
        for (size_t i = 0; i + 1 < band->count; i++) {
            above += own[r][i] * own[r][i + 1];
            below += own[r][i] * own[r][i];
        }
    double worth = effective_count(band->count, below > 0 ? above / below : 0);
    double freedom = 2 / worth + 2 / (worth * (double)(band->runs - 1));
    return fmax(2, exp(0.5 * 2.576 * sqrt(freedom)));
}

// The ratios are those with spikes or those without, whichever say more: a spike of golden must not
// hide what the other steps show. `steady` and `sigma` are the ones without.
static void measure_shares(const Aligned *aligned, const double *steady, const double *sigma,
                           const Spiked *spikes, Band *band)
{
    const double *target = aligned->values[band->runs];
    size_t inside_sigma = 0, inside_range = 0;
    for (size_t i = 0; i < band->count; i++) {
        inside_sigma += fabs(band->difference[i]) <= 3 * band->sigma[i];
        inside_range += band->low[i] <= target[i] && target[i] <= band->high[i];
    }
    double n = (double)band->count, scatter, quiet_scatter;
    band->inside_3_sigma_share = (double)inside_sigma / n;
    band->inside_min_max_share = (double)inside_range / n;
    band->expected_min_max_share = ((double)band->runs - 1) / ((double)band->runs + 1);
    double all = rms_against(band->difference, band->sigma, NULL, band->count, &scatter);
    double quiet = rms_against(steady, sigma, spikes->at, band->count, &quiet_scatter);
    band->rms_ratio = fmax(all, quiet);
    band->scatter_ratio = spikes->tell ? fmax(scatter, quiet_scatter) : quiet_scatter;
}

static double mean_over(const double *values, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += values[i];
    return sum / (double)(to - from);
}

// One recipe gives each seed an offset of its own: a run is apart where its offset is larger than
// the spread between runs tells, not than the scatter from step to step. `level` is the difference
// with spikes levelled.
static void measure_offset(double *const *own, const double *level, double share, double least,
                           Band *band)
{
    double mean = 0, squares = 0, n = (double)band->runs;
    size_t from = band->tail.from;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < band->runs; r++) {
            double late = mean_over(own[r], from, band->count);
            mean += pass ? 0 : late / n;
            squares += pass ? (late - mean) * (late - mean) : 0;
        }
    double error = sqrt(squares / (n - 1) * (1 + 1 / n)),
           late = mean_over(level, from, band->count);
    double size = fabs(late), centre = fabs(mean_over(band->centre, from, band->count));
    bool beyond = size > least && size > share * centre;
    // Seeds have their offset from the first step on; what came later is none of theirs.
    bool far = size > 2 * least && size > 2 * share * centre;
    // After the warm-up: over 10 to 30 % of the steps.
    double early = mean_over(level, band->count / 10, 3 * band->count / 10 + 1);
    bool came = beyond && fabs(late - early) > least;
    band->apart_late = far || came || size > student_limit(band->runs - 1, true) * error;
    band->apart_plainly = beyond && size > student_limit(band->runs - 1, false) * error;
}

// What each golden run is off the centre, without spikes.
static double **own_deviations(const Aligned *aligned, const Band *band, const double *limit,
                               const Spiked *spikes, Arena *arena)
{
    double **own = ARENA_ARRAY(arena, double *, band->runs);
    for (size_t r = 0; r < band->runs; r++) {
        own[r] = ARENA_ARRAY(arena, double, band->count + 1);
        for (size_t i = 0; i < band->count; i++)
            own[r][i] = aligned->values[r][i] - band->centre[i];
        clip_spikes(own[r], band->count, difference_window(band->count), limit, own[r]);
        own[r] = level_spikes(own[r], spikes, band->count, arena);
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
        centred_mean(own[r], band->count, difference_window(band->count), means);
        for (size_t i = 0; i < band->count; i++)
            share += sigma[i] > 0 ? means[i] * means[i] / (sigma[i] * sigma[i]) : 1;
    }
    share /= (double)(band->runs - 1) * (double)band->count;
    return share < 1 ? sqrt(share) : 1;
}

// A mean over the window scatters less than a step: where the target is plainly apart at the end,
// the smoothed difference is compared with that, but never against less than the tolerance.
static void tighten(double *const *own, const double *sigma, const double *tolerance, Arena *arena,
                    Band *band)
{
    double part = scatter_of_means(own, band, sigma, arena);
    for (size_t i = 0; i < band->count; i++)
        band->limit[i] = fmin(band->limit[i], fmax(tolerance[i], part * band->limit[i]));
}

// What may differ without noise runs: a share of golden, whose spikes count as little as others.
static void measure_tolerance(const Band *band, double share, double least, double *out)
{
    running_median(band->centre, band->count, difference_window(band->count), out);
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
    running_median(variance, n, window, usual);
    for (size_t i = 0; i < n; i++) {
        double most = usual[i] > 0 ? VARIANCE_MOST * usual[i] : INFINITY;
        cut[i] = variance[i] < most ? variance[i] : most;
    }
    centred_mean(cut, n, window, steady);
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

// The one excursion that comes back, outside for longer than the window. Of several that are nearly
// as long none is named: the difference goes to and fro.
static void find_bump(Band *band)
{
    size_t window = difference_window(band->count), from = 0, longest = 0, second = 0;
    for (size_t i = 0; i < band->count; i++) {
        bool outside = is_outside(band, i), before = i && is_outside(band, i - 1);
        from = outside && !before ? i : from;
        if (outside || !before)
            continue;
        second = i - from > longest ? longest : i - from > second ? i - from : second;
        if (i - from > longest) {
            longest = i - from;
            band->bump = (Excursion){from, i};
        }
    }
    if (longest <= window || 2 * second > longest)
        band->bump = (Excursion){0};
}

const Excursion *band_lasting(const Band *band)
{
    size_t length = band->last.to - band->last.from;
    bool lasting = length > difference_window(band->count) && length > band->count / 20;
    return lasting ? &band->last : NULL;
}

// What leaves: the excursion that lasts, else the bump; NULL: nothing does.
static const Excursion *leaving(const Band *band)
{
    const Excursion *lasting = band_lasting(band);
    return lasting ? lasting : band->bump.to ? &band->bump : NULL;
}

// A mean over a window comes back after its middle does: a step is where it is, seen from the end.
static void find_return(const double *steady, size_t middle, size_t window, Arena *arena,
                        Band *band)
{
    size_t n = band->count, left = n - middle;
    double *reversed = ARENA_ARRAY(arena, double, left + 1);
    for (size_t i = 0; i < left; i++)
        reversed[i] = steady[n - 1 - i];
    Onset onset = onset_find(reversed, left, (OnsetHint){0, n - band->bump.to, window}, arena);
    size_t to = onset.at ? n - onset.at : band->bump.to;
    band->bump.to = to > middle && to < band->bump.to ? to : band->bump.to;
}

// Where what leaves began: the excursion that lasts, else the longest that comes back.
static void find_onset(const double *steady, Arena *arena, Band *band)
{
    find_bump(band);
    const Excursion *lasting = band_lasting(band), *of = leaving(band);
    size_t window = difference_window(band->count), quiet = 0;
    if (!of)
        return;
    for (size_t i = of->from > window ? of->from - window : 0; i > 0 && quiet == 0; i--)
        quiet = is_outside(band, i - 1) ? i : 0;
    size_t middle = of->from + (of->to - of->from) / 2, high = lasting ? band->count : middle + 1;
    Onset onset = onset_find(steady, high, (OnsetHint){quiet, of->from, window}, arena);
    // A mean reaches over the steps before; where the runs are still equal, none has left.
    while (onset.at + 1 < band->count && band->difference[onset.at] == 0)
        onset.at++;
    band->onset = onset.at;
    if (!lasting && onset.at > band->bump.from && onset.at < middle)
        band->bump.from = onset.at;
    if (!lasting)
        find_return(steady, middle, window, arena, band);
    band->onset_low = onset.low < onset.at ? onset.low : onset.at;
    band->onset_high = onset.high > onset.at ? onset.high : onset.at;
}

// The first step that differs by more than so many times `most`.
static void find_first_beyond(Band *band, double times, const double *most)
{
    while (band->first_beyond < band->count &&
           !(fabs(band->difference[band->first_beyond]) > times * most[band->first_beyond]))
        band->first_beyond++;
}

// The difference without spikes, and smoothed by it.
static double *smooth_difference(Band *band, const double *limit, Arena *arena)
{
    double *steady = ARENA_ARRAY(arena, double, band->count + 1);
    size_t window = difference_window(band->count);
    clip_spikes(band->difference, band->count, window, limit, steady);
    centred_mean(steady, band->count, window, band->smoothed);
    return steady;
}

void band_measure(const Aligned *aligned, double resolution, double share, double least,
                  Arena *arena, Band *out)
{
    allocate(aligned, true, arena, out);
    if (out->count == 0)
        return;
    Arena *scratch = arena_new();
    const double *target = aligned->values[out->runs];
    double *variance = ARENA_ARRAY(scratch, double, out->count);
    double *sigma = ARENA_ARRAY(scratch, double, out->count);
    double *limit = ARENA_ARRAY(scratch, double, out->count);
    measure_golden(aligned, out->runs, out, variance);
    measure_sigma(variance, resolution, sigma, scratch, out);
    for (size_t i = 0; i < out->count; i++) {
        out->difference[i] = target[i] - out->centre[i];
        limit[i] = 3 * sigma[i];
    }
    // P(|z| > k) < exp(-k^2 / 2), for each of the steps.
    find_first_beyond(out, sqrt(2 * log(100 * (double)(out->count + 1))), out->sigma);
    centred_mean(limit, out->count, difference_window(out->count), out->limit);
    Spiked spikes = spikes_of_runs(aligned, sigma, scratch);
    double *steady = smooth_difference(out, limit, scratch);
    const double *level = level_spikes(steady, &spikes, out->count, scratch);
    double **own = own_deviations(aligned, out, limit, &spikes, scratch);
    measure_shares(aligned, steady, sigma, &spikes, out);
    out->scatter_limit = scatter_limit(own, out);
    measure_tail(steady, out);
    measure_offset(own, level, share, least, out);
    if (out->apart_plainly) {
        measure_tolerance(out, share, least, limit);
        tighten(own, sigma, limit, scratch, out);
    }
    find_excursions(out, arena);
    find_lasting(out);
    find_onset(steady, scratch, out);
    arena_release(scratch);
}

// A mean over the window that its own scatter explains is no excursion, however small the
// tolerance: SURE_ERRORS of it are. Neighbours that are equal scatter by less than the values do.
#define SURE_ERRORS 3

static void widen_by_scatter(Band *band)
{
    Arena *scratch = arena_new();
    size_t n = band->count, window = difference_window(n);
    double *step = ARENA_ARRAY(scratch, double, n + 1),
           *usual = ARENA_ARRAY(scratch, double, n + 1);
    for (size_t i = 0; i < n; i++)
        step[i] = fabs(band->difference[i] - band->difference[i ? i - 1 : 1 % n]);
    running_median(step, n, variance_window(n), usual);
    const Wander own = wander_of(band->difference, n, 1, 0);
    const Wander one = {.count = n, .rho = own.rho, .scatter = 1 / sqrt(1 - own.rho)};
    double share =
        SURE_ERRORS * MAD_TO_SIGMA / sqrt(2) * wander_error(&one, window < n ? window : n);
    for (size_t i = 0; i < n; i++)
        band->limit[i] = fmax(band->limit[i], share * usual[i]);
    arena_release(scratch);
}

void band_of_tolerance(const Aligned *pair, double share, double least, Arena *arena, Band *out)
{
    allocate(pair, false, arena, out);
    if (out->count == 0)
        return;
    Arena *scratch = arena_new();
    out->low = out->high = out->centre = pair->values[0];
    for (size_t i = 0; i < out->count; i++)
        out->difference[i] = pair->values[1][i] - pair->values[0][i];
    measure_tolerance(out, share, least, out->limit);
    find_first_beyond(out, 1, out->limit);
    out->late_tolerance = mean_over(out->limit, (size_t)((double)out->count * 0.8), out->count);
    widen_by_scatter(out);
    double *steady = smooth_difference(out, out->limit, scratch);
    find_excursions(out, arena);
    find_lasting(out);
    measure_tail(steady, out);
    size_t length = out->last.to - out->last.from;
    out->apart_late =
        length &&
        wander_sure(&out->wander, mean_over(steady, out->last.from, out->last.to), length);
    find_onset(steady, scratch, out);
    arena_release(scratch);
}

int64_t band_onset(const Band *band)
{
    return band->x[band->onset];
}

// A mean over a window leaves before its middle does: a step is where it is.
bool band_crossing(const Band *band, int64_t *step)
{
    const Excursion *of = leaving(band);
    if (of)
        *step = band->x[of->from > band->onset ? of->from : band->onset];
    return of != NULL;
}

bool band_begins_before(const Band *band)
{
    const Excursion *of = leaving(band);
    return of && band->onset_high + difference_window(band->count) / 2 < of->from;
}

// Whether the line of the whole excursion goes on in the tail: what settled has a flat one, by more
// than the error of its slope.
static bool goes_on(const Tail *line, const Tail *tail)
{
    double growth = line->slope * (double)line->count, side = line->slope < 0 ? -1 : 1;
    return line->slopes && line->slope * tail->mean > 0 &&
           2 * (side * tail->slope + tail->slope_error) >= fabs(line->slope) &&
           fabs(growth) >= GROWTH_SHARE * fabs(tail->mean);
}

// Whether the end grows in proportion to itself: of what explodes no straight line tells.
static bool grows_in_proportion(const Band *band)
{
    Tail line = {.slopes = false};
    size_t from = band->tail.from, n = band->count - from;
    Arena *scratch = arena_new();
    double *size = ARENA_ARRAY(scratch, double, n + 1);
    bool one_side = n > 0;
    for (size_t i = 0; i < n && one_side; i++) {
        one_side = band->difference[from + i] * band->tail.mean > 0;
        size[i] = one_side ? log(fabs(band->difference[from + i])) : 0;
    }
    if (one_side)
        difference_line(size, 0, n, &band->wander, &line);
    arena_release(scratch);
    return line.slopes && line.slope * (double)n >= log(1 + GROWTH_SHARE);
}

bool band_still_moves(const Band *band)
{
    const Excursion *lasting = band_lasting(band);
    const Tail *tail = &band->tail;
    size_t from = lasting ? lasting->from : tail->from;
    double middle = (double)tail->from + (double)tail->count / 2 - (double)from;
    double reach = fmax(middle, (double)tail->count);
    if (tail->slopes && tail->slope * tail->mean > 0 &&
        fabs(tail->slope) * reach >= GROWTH_SHARE * fabs(tail->mean))
        return true;
    // The mean over the window rises before a step does.
    from = lasting && band->onset_high > from ? band->onset_high : from;
    Tail line = {.slopes = false};
    if (from < tail->from)
        difference_line(band->difference, from, band->count, &band->wander, &line);
    return goes_on(&line, tail) || grows_in_proportion(band);
}

bool band_first_beyond(const Band *band, int64_t *step)
{
    if (band->first_beyond < band->count)
        *step = band->x[band->first_beyond];
    return band->first_beyond < band->count;
}
