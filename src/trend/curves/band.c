// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/band.h"

#include <math.h>

#include "base/array.h"
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

static void find_excursions(Band *band, Arena *arena)
{
    bool before = false;
    for (size_t i = 0; i < band->count; i++) {
        bool outside = is_outside(band, i);
        if (outside && !before)
            *ARRAY_PUSH(arena, &band->excursions) = (Excursion){i, i};
        if (outside)
            band->excursions.items[band->excursions.count - 1].to = i + 1;
        else
            band->last_inside_step = band->x[i];
        before = outside;
    }
}

static void measure_tail(Band *band)
{
    double centre = 0;
    difference_tail(band->difference, band->count, &band->tail);
    for (size_t i = band->tail.from; i < band->count; i++)
        centre += band->centre[i] / (double)band->tail.count;
    band->late_mean = band->tail.mean;
    band->late_relative = centre != 0 ? band->tail.mean / centre : 0;
    band->late_slope_times_window = band->tail.slope * (double)band->tail.count;
}

static void measure_shares(Band *band, const double *target)
{
    size_t inside_sigma = 0, inside_range = 0;
    double squares = 0, expected = 0;
    for (size_t i = 0; i < band->count; i++) {
        inside_sigma += fabs(band->difference[i]) <= 3 * band->sigma[i];
        inside_range += band->low[i] <= target[i] && target[i] <= band->high[i];
        squares += band->difference[i] * band->difference[i];
        expected += band->sigma[i] * band->sigma[i];
    }
    double n = (double)band->count;
    band->inside_3_sigma_share = (double)inside_sigma / n;
    band->inside_min_max_share = (double)inside_range / n;
    band->expected_min_max_share = ((double)band->runs - 1) / ((double)band->runs + 1);
    double mean = 0;
    for (size_t i = 0; i < band->count; i++)
        mean += band->difference[i] / n;
    double scatter = squares - n * mean * mean;
    band->scatter_ratio = expected > 0 && scatter > 0 ? sqrt(scatter / expected) : 0;
    band->rms_ratio = expected > 0 ? sqrt(squares / expected) : squares > 0 ? INFINITY : 0;
}

// Student's t that 1 % of draws exceed on either side.
static double student_limit(size_t freedom)
{
    static const double limits[] = {63.66, 9.925, 5.841, 4.604, 4.032,
                                    3.707, 3.499, 3.355, 3.250, 3.169};
    size_t count = sizeof limits / sizeof *limits;
    return freedom == 0 ? INFINITY : freedom <= count ? limits[freedom - 1] : 3.1;
}

// One recipe gives each seed an offset of its own: a run is apart where its offset is larger than
// the spread between runs tells, not than the scatter from step to step.
static void measure_offset(const Aligned *aligned, double share, double least, Band *band)
{
    double mean = 0, squares = 0, n = (double)band->runs;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < band->runs; r++) {
            double own = 0;
            for (size_t i = band->tail.from; i < band->count; i++)
                own += (aligned->values[r][i] - band->centre[i]) / (double)band->tail.count;
            mean += pass ? 0 : own / n;
            squares += pass ? (own - mean) * (own - mean) : 0;
        }
    double error = sqrt(squares / (n - 1) * (1 + 1 / n));
    bool beyond = fabs(band->late_mean) > least && fabs(band->late_relative) > share;
    band->apart_late = beyond || fabs(band->late_mean) > student_limit(band->runs - 1) * error;
}

void band_measure(const Aligned *aligned, double resolution, double share, double least,
                  Arena *arena, Band *out)
{
    allocate(aligned, arena, out);
    if (out->count == 0)
        return;
    const double *target = aligned->values[out->runs];
    double *variance = ARENA_ARRAY(arena, double, out->count);
    double *limit = ARENA_ARRAY(arena, double, out->count);
    measure_golden(aligned, out->runs, out, variance);
    centred_mean(variance, out->count, variance_window(out->count), arena, out->sigma);
    double widening = sqrt(1 + 1 / (double)out->runs);
    for (size_t i = 0; i < out->count; i++) {
        double s = sqrt(out->sigma[i]);
        out->sigma[i] = widening * (s < resolution ? resolution : s);
        out->difference[i] = target[i] - out->centre[i];
        limit[i] = 3 * out->sigma[i];
    }
    size_t window = difference_window(out->count);
    centred_mean(out->difference, out->count, window, arena, out->smoothed);
    centred_mean(limit, out->count, window, arena, out->limit);
    measure_shares(out, target);
    find_excursions(out, arena);
    measure_tail(out);
    measure_offset(aligned, share, least, out);
}

void band_of_tolerance(const Aligned *pair, double share, double least, Arena *arena, Band *out)
{
    allocate(pair, arena, out);
    if (out->count == 0)
        return;
    for (size_t i = 0; i < out->count; i++) {
        double golden = pair->values[0][i], tolerance = share * fabs(golden);
        out->low[i] = out->high[i] = out->centre[i] = golden;
        out->difference[i] = pair->values[1][i] - golden;
        out->limit[i] = tolerance > least ? tolerance : least;
    }
    centred_mean(out->difference, out->count, difference_window(out->count), arena, out->smoothed);
    find_excursions(out, arena);
    measure_tail(out);
}

const Excursion *band_lasting(const Band *band)
{
    if (band->excursions.count == 0)
        return NULL;
    const Excursion *last = &band->excursions.items[band->excursions.count - 1];
    size_t length = last->to - last->from;
    bool lasting = last->to == band->count && length > difference_window(band->count) &&
                   length > band->count / 20;
    return lasting ? last : NULL;
}

int64_t band_onset(const Band *band, const Excursion *excursion)
{
    size_t half = difference_window(band->count) / 2;
    return band->x[excursion->from > half ? excursion->from - half : 0];
}
