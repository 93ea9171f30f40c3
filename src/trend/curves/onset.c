// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/onset.h"

#include <math.h>
#include <stdbool.h>

#include "base/sort.h"
#include "trend/curves/smooth.h"

// Weighted sums over the values before a place: of powers of the place, and of these times the
// value.
typedef struct Sums {
    double u[5], uy[3], yy;
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
    running_median(step, count, window, scale);
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
        double power = weight[i], u = (double)i / (double)count;
        sums[i + 1].yy = sums[i].yy + power * d[i] * d[i];
        for (int k = 0; k < 5; k++, power *= u) {
            sums[i + 1].u[k] = sums[i].u[k] + power;
            if (k < 3)
                sums[i + 1].uy[k] = sums[i].uy[k] + power * d[i];
        }
    }
    return sums;
}

static Sums between(const Sums *sums, size_t from, size_t to)
{
    Sums out = {.yy = sums[to].yy - sums[from].yy};
    for (int k = 0; k < 5; k++)
        out.u[k] = sums[to].u[k] - sums[from].u[k];
    for (int k = 0; k < 3; k++)
        out.uy[k] = sums[to].uy[k] - sums[from].uy[k];
    return out;
}

static double rest_of_level(Sums s)
{
    return s.u[0] > 0 ? s.yy - s.uy[0] * s.uy[0] / s.u[0] : 0;
}

static double rest_of_step(const Sums *sums, size_t low, size_t at, size_t high, size_t count)
{
    (void)count;
    return rest_of_level(between(sums, low, at)) + rest_of_level(between(sums, at, high));
}

// A level, and from `at` on a parabola that begins there: v and v^2, v being the place after `at`.
static double rest_of_rise(const Sums *sums, size_t low, size_t at, size_t high, size_t count)
{
    Sums all = between(sums, low, high), late = between(sums, at, high);
    double o = (double)at / (double)count, n = all.u[0], y = all.uy[0], v[5] = {0}, vy[3] = {0};
    static const double binomial[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
    for (int k = 1; k < 5; k++) {
        double power = 1;  // of -o
        for (int j = k; j >= 0; j--, power *= -o) {
            v[k] += binomial[k][j] * power * late.u[j];
            if (k < 3)
                vy[k] += binomial[k][j] * power * late.uy[j];
        }
    }
    double a = v[2] - v[1] * v[1] / n, b = v[3] - v[1] * v[2] / n, c = v[4] - v[2] * v[2] / n;
    double p = vy[1] - v[1] * y / n, q = vy[2] - v[2] * y / n, det = a * c - b * b;
    double told = det > 1e-9 * a * c ? (c * p * p - 2 * b * p * q + a * q * q) / det
                  : a > 0            ? p * p / a
                                     : 0;
    return rest_of_level(all) - told;
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

// Twice the logarithm of a likelihood that 95 % of draws lie within, and what a further free number
// of a model has to explain.
#define LIKELY 3.84

static Onset as_likely(RestAt *rest_at, Fit best, const Sums *sums, size_t low, size_t first,
                       size_t last, size_t high, size_t count)
{
    Onset out = {best.at, best.at, best.at};
    double unit = fmax(best.rest / (double)(high - low), 1) * LIKELY;
    for (size_t at = best.at; at-- > first;)
        if (rest_at(sums, low, at, high, count) <= best.rest + unit)
            out.low = at;
        else
            break;
    for (size_t at = best.at + 1; at <= last && at < high; at++)
        if (rest_at(sums, low, at, high, count) <= best.rest + unit)
            out.high = at;
        else
            break;
    return out;
}

// How far it is looked is that of docs/spec/curves.md §5.7.
Onset onset_find(const double *difference, size_t count, OnsetHint hint, Arena *arena)
{
    size_t window = hint.window, last = hint.from + window;
    size_t high = hint.from + 5 * window < count ? hint.from + 5 * window : count;
    if (hint.from == 0 || count < 4)
        return (Onset){0};
    double *weight = scatter_weights(difference, count, window, arena);
    Sums *sums = sums_before(difference, weight, count, arena);
    // A slow rise begins long before it is seen: further back, until it begins within.
    for (size_t span = 10 * window;; span *= 2) {
        size_t low = back(hint.from, span, hint.quiet), first = back(hint.from, 2 * window, low);
        Fit step = best_fit(rest_of_step, sums, low, first, last, high, count);
        Fit rise = best_fit(rest_of_rise, sums, low, low, last, high, count);
        bool steps = step.rest <= rise.rest + LIKELY;
        if (low != hint.quiet && !steps && rise.at <= low + window)
            continue;
        Fit best = steps ? step : rise;
        if (rest_of_level(between(sums, low, high)) - best.rest > LEAST_GAIN)
            return as_likely(steps ? rest_of_step : rest_of_rise, best, sums, low,
                             steps ? first : low, last, high, count);
        size_t at = low == 0 ? 0 : hint.from;
        return (Onset){at, at, at};
    }
}
