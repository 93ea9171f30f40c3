// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_BENCH_H
#define VERNIER_TESTS_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

// What the bench programs share. Each prints lines "name key=value …" that run.py reads: seconds of
// the work (`ours`) and of its yardstick (`limit`), medians over the rounds of one run.

enum { BENCH_ROUNDS_MAX = 99 };

// Time on the processor, which other programs do not lengthen.
static inline double bench_now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static inline int bench_by_size(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;
    return (one > two) - (one < two);
}

static inline double bench_median(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, bench_by_size);
    return seconds[count / 2];
}

// Runs the work and its yardstick by turns, so that a load from outside meets both.
static inline void bench_by_turns(double (*ours)(void *), double (*limit)(void *), void *with,
                                  int rounds, double medians[2])
{
    double seconds[2][BENCH_ROUNDS_MAX];
    rounds = rounds < 1 ? 1 : rounds > BENCH_ROUNDS_MAX ? BENCH_ROUNDS_MAX : rounds;
    for (int i = 0; i < rounds; i++) {
        seconds[0][i] = ours(with);
        seconds[1][i] = limit(with);
    }
    medians[0] = bench_median(seconds[0], rounds);
    medians[1] = bench_median(seconds[1], rounds);
}

static inline double bench_peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1000;
}

#endif
