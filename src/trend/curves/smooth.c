// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/smooth.h"
#include "base/sort.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void centred_mean(const double *values, size_t count, size_t window, double *out)
{
    size_t half = window / 2, bad = 0;
    Arena *arena = arena_new();
    double *sums = ARENA_ARRAY(arena, double, count + 1);
    for (size_t i = 0; i < count; i++) {
        bool good = isfinite(values[i]);
        sums[i + 1] = sums[i] + (good ? values[i] : 0);
        bad += !good;
    }
    uint32_t *gaps = bad ? ARENA_ARRAY(arena, uint32_t, count + 1) : NULL;
    for (size_t i = 0; i < count && bad; i++)
        gaps[i + 1] = gaps[i] + (isfinite(values[i]) ? 0 : 1);
    for (size_t i = 0; i < count; i++) {
        size_t from = i > half ? i - half : 0;
        size_t to = i + half + 1 < count ? i + half + 1 : count;
        size_t n = to - from - (bad ? gaps[to] - gaps[from] : 0);
        out[i] = n ? (sums[to] - sums[from]) / (double)n : NAN;
    }
    arena_release(arena);
}

// The values of a window in their order.
typedef struct Window {
    double *sorted;
    size_t count;
} Window;

// NaN, as where an infinite value is taken from another, stands last: what is dropped is found.
static bool comes_before(double a, double b)
{
    return a < b || (isnan(b) && !isnan(a));
}

static size_t place_in(const Window *window, double value)
{
    size_t at;
    FIND_FIRST(at, window->count, comes_before(window->sorted[at], value));
    return at;
}

static void window_add(Window *window, double value)
{
    size_t at = place_in(window, value);
    memmove(window->sorted + at + 1, window->sorted + at,
            (window->count - at) * sizeof *window->sorted);
    window->sorted[at] = value;
    window->count++;
}

static void window_drop(Window *window, double value)
{
    size_t at = place_in(window, value);
    window->count--;
    memmove(window->sorted + at, window->sorted + at + 1,
            (window->count - at) * sizeof *window->sorted);
}

static double window_median(const Window *window)
{
    size_t half = window->count / 2;
    double upper = window->sorted[half];
    return window->count % 2 ? upper : 0.5 * (window->sorted[half - 1] + upper);
}

enum { MEDIAN_BINS = 10000 };

void running_median(const double *values, size_t count, size_t window, double *out)
{
    size_t size = count / (MEDIAN_BINS + 1) + 1, bins = (count + size - 1) / size;
    size_t half = window / size / 2;
    Arena *arena = arena_new();
    double *bin = ARENA_ARRAY(arena, double, bins + 1);
    double *part = ARENA_ARRAY(arena, double, size);
    Window around = {ARENA_ARRAY(arena, double, 2 * half + 2), 0};
    for (size_t b = 0; b < bins; b++) {
        size_t n = (b + 1) * size < count ? size : count - b * size;
        memcpy(part, values + b * size, n * sizeof *part);
        bin[b] = median_of(part, n);
    }
    for (size_t b = 0; b < half && b < bins; b++)
        window_add(&around, bin[b]);
    for (size_t b = 0; b < bins; b++) {
        if (b + half < bins)
            window_add(&around, bin[b + half]);
        if (b > half)
            window_drop(&around, bin[b - half - 1]);
        for (size_t i = b * size; i < (b + 1) * size && i < count; i++)
            out[i] = window_median(&around);
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
