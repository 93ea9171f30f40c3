// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TENSOR_NOISE_FITNESS_H
#define VERNIER_COMPARE_TENSOR_NOISE_FITNESS_H

#include "compare/tensor/element_noise.h"

// Whether a noise run tells anything of golden's noise.

typedef enum NoiseFitness {
    NOISE_FITS,
    NOISE_IS_GOLDEN,  // repeats golden: nothing of another platform's rounding
    NOISE_IS_TARGET,  // a copy of the target: its defect would become noise
    NOISE_REPEATS     // equal to an earlier noise run: counts once
} NoiseFitness;

// `earlier` are the runs that fit before it.
NoiseFitness noise_fitness(const ElementNoiseRun *golden, const ElementNoiseRun *target,
                           const ElementNoiseRun *earlier, size_t earlier_count,
                           const ElementNoiseRun *run);

#endif
