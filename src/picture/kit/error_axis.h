// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_ERROR_AXIS_H
#define VERNIER_PICTURE_KIT_ERROR_AXIS_H

#include "compare/judge/comparison.h"
#include "scene/scene.h"

// What a picture shows as the error of one side of an op, and where: a shared log axis with a rim
// below it for "equal" and rims above it for what no number can tell.

typedef enum ErrorForm {
    ERROR_ABSENT,     // nothing to compare: "—"
    ERROR_SAME,       // bit for bit: "="
    ERROR_ZERO,       // norms equal: "0"
    ERROR_NUMBER,     // on the log axis
    ERROR_DIFFERS,    // an argument, a dtype, a shape, a checksum
    ERROR_NONFINITE,  // NaN or Inf on one side, or NaN on both
} ErrorForm;

typedef struct ErrorMark {
    ErrorForm kind;
    double value;  // ERROR_NUMBER
    double floor;  // of an output: up to which it passes; 0: not known
    Str text;      // "2.91e-05", "=", "NaN", "argument", translated
} ErrorMark;

// The worst of an op's inputs (arguments and parameters included) or outputs (gradients included):
// where it is beyond tolerance the relative difference of the statistic that decided, else that of
// the norm.
ErrorMark error_of_op(const Comparison *comparison, uint32_t op, OpSide side, Arena *arena);

// The same without the text of numbers, of which many are compared and few are shown; error_said
// adds it.
ErrorMark error_unsaid(const Comparison *comparison, uint32_t op, OpSide side);
ErrorMark error_said(ErrorMark mark, Arena *arena);

// The worse of two marks: higher kind, then larger value.
ErrorMark error_worse(ErrorMark a, ErrorMark b);

// Positions along one coordinate; it may run in either direction.
typedef struct ErrorAxis {
    double zero;                // rim of "=" and "0"
    double low, high;           // of 10^low_exponent and 10^high_exponent
    double differs, nonfinite;  // rims above the axis; equal to `high` where unused
    int low_exponent, high_exponent;
    int step;  // decades between ticks
    bool has_numbers, has_differs, has_nonfinite;
} ErrorAxis;

// Counts a mark into the range that the axis must show; start from a zeroed axis.
typedef struct ErrorRange {
    double least, most;              // of positive numbers; 0: none
    double least_floor, most_floor;  // of those that are known; 0: none
    bool differs, nonfinite;
} ErrorRange;
void error_range_add(ErrorRange *range, ErrorMark mark);

// An axis from `zero` to `end`: rim, then decades, then the rims above. It starts below the floors
// and the numbers, at most AXIS_DECADES below the largest of these.
enum { AXIS_DECADES = 12 };
ErrorAxis error_axis(const Comparison *comparison, const ErrorRange *range, double zero,
                     double end);
double error_axis_at(const ErrorAxis *axis, ErrorMark mark);
double error_axis_number(const ErrorAxis *axis, double value);  // clamped to the axis
bool error_axis_below(const ErrorAxis *axis, ErrorMark mark);   // a number before its start

// Whether a floor decides here at all: not under the rules of msprobe, not for checksums.
bool error_floor_counts(const Comparison *comparison);

// "fp32 floor 9.5e-07", "noise floor of each op, 4e-04 … 0.24": what the band after the axis is.
Str error_floor_word(const Comparison *comparison, const ErrorRange *range, Arena *arena);

#endif
