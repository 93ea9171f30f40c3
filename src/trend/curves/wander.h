// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_WANDER_H
#define VERNIER_TREND_CURVES_WANDER_H

#include <stdbool.h>
#include <stddef.h>

// How values scatter around their course, whatever that is: as an AR(1) process around a mean over
// a window of it. Spikes are cut. `degree`: of the polynomial that goes first, 1 for a difference,
// 3 for a loss, which bends as it falls: what a mean over a window leaves of a bend would be
// scatter. `rho`: the least autocorrelation by which the scatter makes up for what the mean took.
typedef struct Wander {
    size_t count;    // of the values that tell it
    double rho;      // autocorrelation of neighbours from 0, at the upper end of its uncertainty
    double scatter;  // standard deviation of a value
} Wander;
Wander wander_of(const double *values, size_t count, int degree, double rho);

// Neighbours that are more similar are a course.
#define RHO_MOST 0.97

// The standard error of a mean over `count` neighbours.
double wander_error(const Wander *of, size_t count);

// Whether a mean over so many neighbours is not 0: Student's t at 1 % on both sides.
bool wander_sure(const Wander *of, double mean, size_t count);

// The scatter that such values may show, so many of them being known (Student's t at 1 %).
double wander_most(const Wander *of);

// Student's t that 1 % of draws exceed on either side, or 5 %; infinite without a degree of
// freedom.
double student_limit(size_t freedom, bool rarely);

#endif
