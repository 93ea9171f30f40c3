// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/onset.h"

#include <math.h>
#include <stdbool.h>

#include "base/sort.h"
#include "trend/curves/smooth.h"

// Sums over the values before a place: weights, weighted values, and both times the place.
typedef struct Sums {
    double w, y, yy, u, uu, uy;
} Sums;

typedef struct Fit {
    size_t at;
    double rest;  // weighted sum of squares that stays
} Fit;

// A change that explains less than this many units of the scatter's variance is none.
enum { LEAST_GAIN = 10 };

static double *scatter_weights(const double *d, size_t count, size_t window, Arena *arena)
{
    double *step = ARENA_ARRAY(arena, double, count + 1), *weight = step;
    double *scale = ARENA_ARRAY(arena, double, count + 1);
    // Where nothing scatters, a change is none of scatter: but some least scale is needed, a
    // thousandth of the largest scatter or what a float32 of that size rounds, so that no step
    // without scatter weighs more than all others.
    double least = 0;
    for (size_t i = 0; i < count; i++)
        step[i] = fabs(d[i] - d[i ? i - 1 : 1 % count]);
    running_median(step, count, window, arena, scale);
    for (size_t i = 0; i < count; i++)
        least = fmax(least, fmax(1e-3 * scale[i], 1e-6 * fabs(d[i])));
    for (size_t i = 0; i < count; i++) {
        // A deviation of a median; the root of 2 makes a value's of a difference's.
        double s = MAD_TO_SIGMA / sqrt(2) * fmax(scale[i], least);
        weight[i] = s > 0 ? 1 / (s * s) : 1;
    }
    return weight;
}

static Sums *sums_before(const double *d, const double *weight, size_t count, Arena *arena)
{
    Sums *sums = ARENA_ARRAY(arena, Sums, count + 1);
    for (size_t i = 0; i < count; i++) {
        double w = weight[i], u = (double)i / (double)count;
        Sums s = sums[i];
        sums[i + 1] = (Sums){s.w + w,     s.y + w * d[i],   s.yy + w * d[i] * d[i],
                             s.u + w * u, s.uu + w * u * u, s.uy + w * u * d[i]};
    }
    return sums;
}

static Sums between(const Sums *sums, size_t from, size_t to)
{
    Sums a = sums[from], b = sums[to];
    return (Sums){b.w - a.w, b.y - a.y, b.yy - a.yy, b.u - a.u, b.uu - a.uu, b.uy - a.uy};
}

static double rest_of_level(Sums s)
{
    return s.w > 0 ? s.yy - s.y * s.y / s.w : 0;
}

static double rest_of_step(const Sums *sums, size_t low, size_t at, size_t high, size_t count)
{
    (void)count;
    return rest_of_level(between(sums, low, at)) + rest_of_level(between(sums, at, high));
}

// A level, and from `at` on a straight line that begins there.
static double rest_of_rise(const Sums *sums, size_t low, size_t at, size_t high, size_t count)
{
    Sums all = between(sums, low, high), late = between(sums, at, high);
    double origin = (double)at / (double)count;
    double v = late.u - origin * late.w;
    double vv = late.uu - 2 * origin * late.u + origin * origin * late.w;
    double vy = late.uy - origin * late.y;
    double spread = vv - v * v / all.w, product = vy - v * all.y / all.w;
    return rest_of_level(all) - (spread > 0 ? product * product / spread : 0);
}

typedef double RestAt(const Sums *sums, size_t low, size_t at, size_t high, size_t count);

static Fit best_fit(RestAt *rest_at, const Sums *sums, size_t low, size_t first, size_t last,
                    size_t high, size_t count)
{
    Fit best = {first, INFINITY};
    for (size_t at = first; at <= last && at < high; at++) {
        double rest = rest_at(sums, low, at, high, count);
        if (rest < best.rest)
            best = (Fit){at, rest};
    }
    return best;
}

static size_t back(size_t from, size_t by, size_t least)
{
    return from > by && from - by > least ? from - by : least;
}

// How far it is looked is that of docs/spec/curves.md §5.7.
size_t onset_find(const double *difference, size_t count, OnsetHint hint, Arena *arena)
{
    size_t window = hint.window, last = hint.from + window;
    size_t high = hint.from + 5 * window < count ? hint.from + 5 * window : count;
    if (hint.from == 0 || count < 4)
        return 0;
    double *weight = scatter_weights(difference, count, window, arena);
    Sums *sums = sums_before(difference, weight, count, arena);
    Fit step, rise;
    // A slow rise begins long before it is seen: further back, until it begins within.
    for (size_t span = 10 * window;; span *= 2) {
        size_t low = back(hint.from, span, hint.quiet);
        step =
            best_fit(rest_of_step, sums, low, back(hint.from, 2 * window, low), last, high, count);
        rise = best_fit(rest_of_rise, sums, low, low, last, high, count);
        if (low == hint.quiet || step.rest <= rise.rest || rise.at > low + window) {
            Fit best = step.rest <= rise.rest ? step : rise;
            bool changes = rest_of_level(between(sums, low, high)) - best.rest > LEAST_GAIN;
            return changes ? best.at : low == 0 ? 0 : hint.from;
        }
    }
}
