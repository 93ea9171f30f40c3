// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_NOISE_FIT_H
#define VERNIER_COMPARE_JUDGE_NOISE_FIT_H

#include "compare/judge/noise_rounding.h"
#include "read/dump/dump.h"

// Whether a run is one of golden's configuration, asked before it says what noise is.
typedef enum NoiseFit {
    NOISE_SUITABLE,
    NOISE_OTHER_MODEL,    // most of its shapes are others
    NOISE_OTHER_WEIGHTS,  // at step 0 most of its weights are others
    NOISE_NOT_FINITE,     // it holds NaN or Inf where golden holds numbers
    NOISE_TOO_FAR         // most of its norms are off by more than a floor of 1 comes from
} NoiseFit;

// `slot_of`: by slot of golden that of the run, or UINT32_MAX. `step`: of the dumps. `share`: of
// golden's tensors that the run has too, in any shape. Linear in slots.
NoiseFit noise_fit(const Dump *golden, const NoiseSlots *slots, int64_t step, const Dump *run,
                   const uint32_t *slot_of, float *share);

#endif
