// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/smooth.h"
#include "base/sort.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void centred_mean(const double *values, size_t count, size_t window, double *out)
{
    size_t half = window / 2, room = 1, read = 0, good = 0;
    double sum = 0;
    while (room < 2 * half + 2)
        room *= 2;
    // Sums and numbers of the finite values before a place, of as many places as a window has.
    Arena *arena = arena_new();
    double *sums = ARENA_ARRAY(arena, double, room);
    size_t *goods = ARENA_ARRAY(arena, size_t, room), mask = room - 1;
    for (size_t i = 0; i < count; i++) {
        size_t from = i > half ? i - half : 0;
        size_t to = i + half + 1 < count ? i + half + 1 : count;
        for (; read < to; sums[read & mask] = sum, goods[read & mask] = good) {
            bool finite = isfinite(values[read]);
            sum += finite ? values[read] : 0;
            good += finite;
            read++;
        }
        size_t n = good - goods[from & mask];
        out[i] = n ? (sum - sums[from & mask]) / (double)n : NAN;
    }
    arena_release(arena);
}

size_t sorted_place(const double *sorted, size_t count, double value)
{
    const double *base = sorted;
    bool last = isnan(value);
    for (size_t left = count; left > 0; left /= 2) {
        size_t half = left - left / 2;
        double other = base[half - 1];
        bool before = last ? !isnan(other) : other < value;
        base += before ? half : 0;
    }
    return (size_t)(base - sorted);
}

void sorted_replace(double *sorted, size_t count, size_t old, double value)
{
    size_t at = sorted_place(sorted, count, value);
    if (at > old) {
        memmove(sorted + old, sorted + old + 1, (at - 1 - old) * sizeof *sorted);
        at--;
    } else {
        memmove(sorted + at + 1, sorted + at, (old - at) * sizeof *sorted);
    }
    sorted[at] = value;
}

enum { MEDIAN_BINS = 10000 };

void running_median(const double *values, size_t count, size_t window, double *out)
{
    size_t size = count / (MEDIAN_BINS + 1) + 1, bins = (count + size - 1) / size;
    size_t half = window / size / 2;
    Arena *arena = arena_new();
    double *bin = ARENA_ARRAY(arena, double, bins + 1);
    double *part = ARENA_ARRAY(arena, double, size);
    double *around = ARENA_ARRAY(arena, double, 2 * half + 2);
    for (size_t b = 0; b < bins; b++) {
        size_t n = (b + 1) * size < count ? size : count - b * size;
        memcpy(part, values + b * size, n * sizeof *part);
        bin[b] = median_of(part, n);
    }
    size_t within = 0;
    for (; within < half && within < bins; within++)
        sorted_replace(around, within, within, bin[within]);
    for (size_t b = 0; b < bins; b++) {
        bool comes = b + half < bins;
        bool goes = b > half;
        size_t old = goes ? sorted_place(around, within, bin[b - half - 1]) : within;
        if (comes)
            sorted_replace(around, within, old, bin[b + half]);
        else if (goes)
            memmove(around + old, around + old + 1, (within - 1 - old) * sizeof *around);
        within = within + comes - goes;
        double median = sorted_median(around, within);
        for (size_t i = b * size; i < (b + 1) * size && i < count; i++)
            out[i] = median;
    }
    arena_release(arena);
}

// Robust scales beyond which a value is part of a spike, as of spike.c (docs/spec/curves.md §5.7).
enum { CLIP_SCALES = 6 };

void clip_spikes(const double *values, size_t count, size_t window, const double *least,
                 double *out)
{
    Arena *arena = arena_new();
    double *centre = ARENA_ARRAY(arena, double, count + 1);
    double *away = ARENA_ARRAY(arena, double, count + 1);
    running_median(values, count, window, centre);
    for (size_t i = 0; i < count; i++)
        away[i] = fabs(values[i] - centre[i]);
    running_median(away, count, window, away);
    for (size_t i = 0; i < count; i++) {
        double most = CLIP_SCALES * MAD_TO_SIGMA * away[i];
        most = most > least[i] ? most : least[i];
        out[i] = fmin(fmax(values[i], centre[i] - most), centre[i] + most);
    }
    arena_release(arena);
}

static bool is_constant(PointColumns points, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (points.value[i] != points.value[0])
            return false;
    return true;
}

void debiased_average(PointColumns points, size_t count, double weight)
{
    double last = 0, power = 1;
    if (weight <= 0 || is_constant(points, count))
        return;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(points.value[i]))
            continue;
        last = weight * last + (1 - weight) * points.value[i];
        power *= weight;
        points.value[i] = weight >= 1 ? last : last / (1 - power);
    }
}
