// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_SERIES_CLASS_H
#define VERNIER_TREND_CURVES_SERIES_CLASS_H

#include "base/str.h"

// Which series next to the loss matter, and how far they may differ.

typedef enum SeriesClass {
    SERIES_OTHER,   // counters, times, settings: drawn, not judged
    SERIES_RESULT,  // a further loss, a reward, an entropy, an evaluation
    SERIES_NORM,    // norms of gradients and parameters, loss and gradient scale
    SERIES_ENGINE   // the rollout against the trainer, KL, clip fraction
} SeriesClass;
SeriesClass series_class(Str name);

// The share of golden's level beyond which the end of such a series differs: what seeds of one
// recipe stay below (chosen); 0: it is not judged.
double series_class_share(SeriesClass class);

#endif
