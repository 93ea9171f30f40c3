// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/difference.h"

#include <math.h>

#include "trend/curves/smooth.h"

double effective_count(size_t count, double autocorrelation)
{
    double rho = isfinite(autocorrelation) ? autocorrelation : 0;
    // Neither divides by 0 nor makes more of a few samples than two thousand times as many.
    rho = rho > 0.999 ? 0.999 : rho < -0.999 ? -0.999 : rho;
    double worth = (double)count * (1 - rho) / (1 + rho);
    return worth < 2 ? 2 : worth;
}

static double lag_one(const double *values, size_t count, double mean)
{
    double above = 0, below = 0;
    for (size_t i = 0; i < count; i++) {
        below += (values[i] - mean) * (values[i] - mean);
        if (i > 0)
            above += (values[i] - mean) * (values[i - 1] - mean);
    }
    return below > 0 ? above / below : 0;
}

double difference_least_scale(const double *golden, size_t count)
{
    double sum = 0;
    size_t finite = 0, above = 0, below = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(golden[i]))
            continue;
        sum += fabs(golden[i]);
        finite++;
        above += golden[i] > 0;
        below += golden[i] < 0;
    }
    return above && below ? sum / (double)finite : 0;
}

static void sort_out(const Aligned *pair, size_t from, size_t to, double *difference,
                     DifferenceStats *out)
{
    double relative = 0, least = difference_least_scale(pair->values[0] + from, to - from);
    size_t relative_count = 0, positive = 0;
    for (size_t i = from; i < to; i++) {
        double golden = pair->values[0][i], target = pair->values[1][i];
        if (!isfinite(golden) || !isfinite(target)) {
            if (isfinite(golden) != isfinite(target) && out->one_sided++ == 0)
                out->one_sided_at = pair->x[i];
            if (!isfinite(golden) && !isfinite(target) && out->neither++ == 0)
                out->neither_at = pair->x[i];
            continue;
        }
        double d = target - golden;
        if (out->points == 0 || fabs(d) > out->max_abs) {
            out->max_abs = fabs(d);
            out->max_at = pair->x[i];
        }
        out->signed_mean += d;
        out->mae += fabs(d);
        out->mse += d * d;
        positive += d > 0;
        double scale = fmax(fabs(golden), least);
        if (scale > 0) {
            relative += fabs(d) / scale;
            relative_count++;
        }
        if (out->points > 0)
            out->sign_changes += (d > 0) != (difference[out->points - 1] > 0);
        difference[out->points++] = d;
    }
    out->mean_relative = relative_count ? relative / (double)relative_count : 0;
    out->positive_share = out->points ? (double)positive / (double)out->points : 0;
}

static void sum_up(double *difference, DifferenceStats *out)
{
    double n = (double)out->points;
    out->signed_mean /= n;
    out->mae /= n;
    out->mse /= n;
    out->autocorrelation = lag_one(difference, out->points, out->signed_mean);
    double variance = out->mse - out->signed_mean * out->signed_mean;
    double error =
        sqrt((variance > 0 ? variance : 0) / effective_count(out->points, out->autocorrelation));
    out->balance = error > 0 ? fabs(out->signed_mean) / error : 0;
    for (size_t i = 0; i < out->points; i++)
        difference[i] = fabs(difference[i]);
    out->median_abs = quantile_of(difference, out->points, 0.5);
    out->p95_abs = quantile_of(difference, out->points, 0.95);
    out->p99_abs = quantile_of(difference, out->points, 0.99);
}

void difference_stats(const Aligned *pair, size_t from, size_t to, DifferenceStats *out)
{
    *out = (DifferenceStats){0};
    Arena *scratch = arena_new();
    double *difference = ARENA_ARRAY(scratch, double, to > from ? to - from : 1);
    sort_out(pair, from, to, difference, out);
    if (out->points)
        sum_up(difference, out);
    arena_release(scratch);
}

static double beside_line(const double *tail, const Tail *line, size_t i)
{
    return tail[i] - line->mean - line->slope * ((double)i - ((double)line->count - 1) / 2);
}

enum { PLAIN_STEPS = 10, END_LEAST = 8 };

// What a line grows by over its values, in units of the scatter around it, in 1 % of random walks:
// these draw straighter lines than an AR(1) process of any autocorrelation. The ratio has a limit
// in the number of values (Durlauf and Phillips, Econometrica 56, 1988: of t / sqrt(n), which is
// the ratio over sqrt(12)); by 40,000 draws of 10 to 400 values it is 13.7 and 18 / n more.
static double plain_growth(double n)
{
    return 13.7 + 18 / n;
}

// `spread` is the sum of the squares of the places around their middle. The autocorrelation of few
// residuals of a line is estimated too low, by (2 + 4 rho) / n.
static void measure_slope(const double *values, double spread, double least, Tail *line)
{
    double squares = 0, products = 0, before = 0, n = (double)line->count;
    for (size_t i = 0; i < line->count; i++) {
        double rest = beside_line(values, line, i);
        squares += rest * rest;
        products += i ? rest * before : 0;
        before = rest;
    }
    double rho = squares > 0 ? products / squares : 0;
    line->scatter = sqrt(squares / n);
    rho = fmax(rho + (2 + 4 * rho) / n, fmax(least, 0));
    double worth = effective_count(line->count, rho);
    line->standard_error = line->scatter / sqrt(worth);
    size_t freedom = worth > 3 ? (size_t)(worth - 2) : worth > 2 ? 1 : 0;
    line->slopes = fabs(line->slope) * n > plain_growth(n) * line->scatter && n >= PLAIN_STEPS;
    if (!(spread > 0) || freedom == 0)
        return;
    line->slope_error = sqrt(squares / n * worth / (worth - 2) / spread * n / worth);
    line->slopes =
        line->slopes || fabs(line->slope) > student_limit(freedom, true) * line->slope_error;
}

size_t difference_end(size_t count)
{
    size_t few = count < END_LEAST ? count : END_LEAST, end = count - (size_t)((double)count * 0.8);
    return end > few ? end : few;
}

void difference_line(const double *difference, size_t from, size_t count, const Wander *wander,
                     Tail *out)
{
    *out = (Tail){.from = from, .count = count - from};
    const double *values = difference + from;
    if (out->count == 0)
        return;
    double n = (double)out->count, middle = (n - 1) / 2, above = 0, below = 0;
    for (size_t i = 0; i < out->count; i++)
        out->mean += values[i] / n;
    for (size_t i = 0; i < out->count; i++) {
        double place = (double)i - middle;
        above += place * (values[i] - out->mean);
        below += place * place;
    }
    out->slope = below > 0 ? above / below : 0;
    measure_slope(values, below, wander->rho, out);
    out->sure = wander_sure(wander, out->mean, out->count);
}
