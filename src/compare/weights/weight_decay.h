// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_WEIGHTS_WEIGHT_DECAY_H
#define VERNIER_COMPARE_WEIGHTS_WEIGHT_DECAY_H

#include "compare/weights/weight_compare.h"

// Checkpoints of both sides at the end of a run: where a group of weights has one norm throughout
// relative to golden's and the others have golden's, one side decays the group and the other does
// not. The first cause of the accuracy guide: biases and norms that only one side decays.

typedef enum DecayGroup {
    DECAY_NONE,
    DECAY_VECTORS,   // weights of one dimension: norms, biases
    DECAY_MATRICES,  // all others
    DECAY_SOME       // a list of names
} DecayGroup;

typedef struct WeightDecay {
    DecayGroup group;
    double factor;        // median of the target's norm / golden's
    double others;        // the same of the other weights
    const Weight *first;  // of the group
} WeightDecay;

// Names a likely cause and decides nothing.
WeightDecay weight_decay_find(const WeightComparison *comparison);

#endif
