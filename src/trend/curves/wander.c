// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/wander.h"

#include <math.h>

#include "base/arena.h"
#include "base/sort.h"
#include "trend/curves/smooth.h"

// Of an AR(1) process of variance 1 and autocorrelation `rho` less a mean over a window: its
// variance and its covariance with its neighbour.
static void beside_mean(double rho, size_t window, double out[2])
{
    double power = 1, mean[2] = {0}, both[2] = {0}, n = (double)window;
    for (size_t k = 0; k <= window; k++, power *= rho) {
        double twice = k ? 2 : 1, weight = fmax(n - (double)k, 0);
        mean[0] += k <= window / 2 ? twice * power / n : 0;
        both[0] += twice * weight * power / n / n;
        // A neighbour's window is one place further: k places from one side are k + 1 or k - 1.
        mean[1] += (k <= window / 2 + 1 ? power : 0) / n + (k && k < window / 2 ? power : 0) / n;
        both[1] += (fmax(n - fabs((double)k - 1), 0) + (k ? fmax(n - (double)k - 1, 0) : 0)) *
                   power / n / n;
    }
    out[0] = 1 - 2 * mean[0] + both[0];
    out[1] = rho - 2 * mean[1] + both[1];
}

enum { WANDER_WINDOW = 51, WANDER_LEAST = 5, WANDER_AROUND = 7 };

// Scales beyond which a value is a spike and counts as that, and standard errors of an
// autocorrelation (1 / sqrt(n)) that are added to it: by draws of 8 to 400 values, of
// autocorrelations to 0.9, with which 1 % of means are falsely sure (tests/cases/curve_series.py).
#define WANDER_CLIP   5
#define WANDER_ERRORS 1.5

// An AR(1) process of autocorrelation 0.97 scatters by 7 times what white noise of the same second
// differences would: what is smoother is a course.
#define ROUGHNESS_MOST 10

// Cuts what stands out of the few values around it; `away` has room for as many.
static void cut_spikes(const double *values, size_t count, double *away, double *out)
{
    running_median(values, count, WANDER_AROUND, out);
    for (size_t i = 0; i < count; i++)
        away[i] = fabs(values[i] - out[i]);
    double most = WANDER_CLIP * MAD_TO_SIGMA * median_of(away, count);
    for (size_t i = 0; i < count; i++)
        out[i] = most > 0 ? fmin(fmax(values[i], out[i] - most), out[i] + most) : values[i];
}

// Takes their least-squares polynomial from the values: a loss that falls bends, and what a mean
// over a window leaves of a bend would count as scatter. By polynomials that are orthogonal over
// the places (Forsythe's recurrence). Of a bend each further one takes most of what is left, of
// scatter that wanders none does: they go on to BEND_DEGREES while one of two takes half of it.
#define BEND_SHARE 0.5
enum { BEND_DEGREES = 12 };

static void take_course(double *values, size_t count, int most)
{
    Arena *arena = arena_new();
    double *before = ARENA_ARRAY(arena, double, count + 1);
    double *now = ARENA_ARRAY(arena, double, count + 1);
    double middle = ((double)count - 1) / 2, last = 0;
    int in_vain = 0, end = most > 1 && count > 2 * BEND_DEGREES ? BEND_DEGREES : most;
    for (size_t i = 0; i < count; i++) {
        before[i] = 0;
        now[i] = 1;
    }
    for (int degree = 0; degree <= end && (size_t)degree < count && in_vain < 2; degree++) {
        double of = 0, place = 0, size = 0, squares = 0;
        for (size_t i = 0; i < count; i++) {
            size += now[i] * now[i];
            of += now[i] * values[i];
            squares += values[i] * values[i];
            place += ((double)i - middle) * now[i] * now[i];
        }
        if (!(size > 0))
            break;
        double keep = last > 0 ? size / last : 0;
        bool takes = degree <= most || of * of / size >= BEND_SHARE * squares;
        in_vain = takes ? 0 : in_vain + 1;
        for (size_t i = 0; i < count; i++) {
            double x = ((double)i - middle - place / size) / fmax(middle, 1);
            double next = x * now[i] - keep * before[i];
            values[i] -= takes ? of / size * now[i] : 0;
            before[i] = now[i];
            now[i] = next;
        }
        last = size;
    }
    arena_release(arena);
}

enum { BLOCKS = 16, BLOCK_LEAST = 16, BLOCK_MOST = 1024 };

// Squares, and products of neighbours, of the blocks that do not stand out: a step or a steep
// course is in a few of them. Returns how many values these have.
static size_t sum_blocks(const double *rest, size_t count, double *squares, double *products)
{
    enum { STANDS_OUT = 4 };
    double own[BLOCKS][2] = {0}, sorted[BLOCKS];
    size_t blocks = count / BLOCK_LEAST, used = 0;
    blocks = blocks > BLOCKS ? BLOCKS : blocks ? blocks : 1;
    for (size_t b = 0; b < blocks; b++) {
        for (size_t i = b * count / blocks; i < (b + 1) * count / blocks; i++) {
            own[b][0] += rest[i] * rest[i];
            own[b][1] += i ? rest[i] * rest[i - 1] : 0;
        }
        sorted[b] = own[b][0];
    }
    double usual = median_of(sorted, blocks);
    for (size_t b = 0; b < blocks; b++)
        if (own[b][0] <= STANDS_OUT * usual) {
            *squares += own[b][0];
            *products += own[b][1];
            used += (b + 1) * count / blocks - b * count / blocks;
        }
    return used;
}

// What is left without the course of a piece, and the sizes of its second differences, two fewer.
static void beside_course(const double *values, size_t count, int degree, size_t window,
                          double *rest, double *bends)
{
    cut_spikes(values, count, bends, rest);
    take_course(rest, count, degree);
    centred_mean(rest, count, window, bends);
    for (size_t i = 0; i < count; i++)
        rest[i] -= bends[i];
    for (size_t i = 2; i < count; i++)
        bends[i - 2] = fabs(values[i] - 2 * values[i - 1] + values[i - 2]);
}

Wander wander_of(const double *values, size_t count, int degree, double rho)
{
    // Of many values a piece for each block is enough.
    size_t pieces = count > BLOCKS * BLOCK_MOST ? BLOCKS : 1,
           size = pieces > 1 ? BLOCK_MOST : count;
    size_t window = size / 2 | 1, bend_count = 0;
    window = window > WANDER_WINDOW ? WANDER_WINDOW : window < WANDER_LEAST ? WANDER_LEAST : window;
    Arena *arena = arena_new();
    double *rest = ARENA_ARRAY(arena, double, pieces *size + 1);
    double *bends = ARENA_ARRAY(arena, double, pieces *size + 1);
    Wander out = {.count = count};
    double squares = 0, products = 0, around[2], low = 0, high = RHO_MOST;
    for (size_t p = 0; p<pieces; p++, bend_count += size> 2 ? size - 2 : 0)
        beside_course(values + p * (count / pieces), size, degree, window, rest + p * size,
                      bends + bend_count);
    double rough = bend_count ? MAD_TO_SIGMA / sqrt(6) * median_of(bends, bend_count) : INFINITY;
    size_t used = sum_blocks(rest, pieces * size, &squares, &products);
    for (int i = 0; i < 30 && squares > 0; i++) {
        double middle = (low + high) / 2;
        beside_mean(middle, window, around);
        bool above = around[1] / around[0] > products / squares;
        low = above ? low : middle;
        high = above ? middle : high;
    }
    beside_mean(fmax(low, rho), window, around);
    // A bend takes degrees of freedom beyond the line's two.
    double whole = (double)(pieces * size), bends_taken = 2 * (degree - 1);
    squares *= whole > bends_taken ? whole / (whole - bends_taken) : 1;
    out.scatter = used ? sqrt(squares / (double)used / around[0]) : 0;
    out.scatter = fmin(out.scatter, ROUGHNESS_MOST * rough);
    out.rho = fmin(low + (count ? WANDER_ERRORS / sqrt((double)count) : 0), RHO_MOST);
    arena_release(arena);
    return out;
}

double wander_error(const Wander *of, size_t count)
{
    double worth = (double)count * (1 - of->rho) / (1 + of->rho);
    return of->scatter / sqrt(fmax(worth, 1));
}

double student_limit(size_t freedom, bool rarely)
{
    static const double seldom[] = {63.66, 9.925, 5.841, 4.604, 4.032, 3.707,
                                    3.499, 3.355, 3.250, 3.169, 3.1};
    static const double at_times[] = {12.71, 4.303, 3.182, 2.776, 2.571, 2.447,
                                      2.365, 2.306, 2.262, 2.228, 2.2};
    size_t count = sizeof seldom / sizeof *seldom;
    size_t at = freedom < count ? freedom - 1 : count - 1;
    return freedom == 0 ? INFINITY : rarely ? seldom[at] : at_times[at];
}

#define PLAIN_SCATTERS 4  // however few values tell how they wander, a mean beyond so many is plain

// Student's t at 1 % of a mean that scatters by `error`.
static double most_of(const Wander *of, double error)
{
    double worth = (double)of->count * (1 - of->rho) / (1 + of->rho);
    double most = student_limit(worth > 3 ? (size_t)(worth - 2) : 1, true) * error;
    return fmin(most, PLAIN_SCATTERS * of->scatter);
}

bool wander_sure(const Wander *of, double mean, size_t count)
{
    return fabs(mean) > most_of(of, wander_error(of, count));
}

double wander_most(const Wander *of)
{
    return of->scatter + most_of(of, wander_error(of, of->count));
}
