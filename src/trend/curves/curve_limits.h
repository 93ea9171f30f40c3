// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_CURVE_LIMITS_H
#define VERNIER_TREND_CURVES_CURVE_LIMITS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// The limits by which curves are judged (docs/spec/curves.md §5.0); all are printed with the
// report. Relative ones are shares: 0.01 is 1 %.
typedef struct CurveLimits {
    double mean_relative;  // of the loss: 1 %
    double absolute;       // of the loss; NaN: by its scale (series_scale.h)
    double step_one, step_one_relative;
    double lr0_loss, lr0_norm;
    double late_problem, late_accepted;  // 0.1 and 0.05, for CRITERION_CONVERGED
    double norm_mean_relative;
    double local_look;  // of a local norm: worth a look
    bool exact;         // any difference is beyond
    unsigned digits;    // of a value that count there, from the first that is not 0; 0: all printed
} CurveLimits;
extern const CurveLimits curve_limits;

// "ABSOLUTE=0.05,MEAN=2": changes limits by the names and in the units of `vernier help rules`.
// ERR_USAGE for an unknown name, and for what is no number or negative.
bool curve_limits_read(Str list, Arena *arena, CurveLimits *out, Error *err);

#endif
