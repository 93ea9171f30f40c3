// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_WEIGHTS_WEIGHT_ORDER_H
#define VERNIER_COMPARE_WEIGHTS_WEIGHT_ORDER_H

#include "base/notice.h"
#include "compare/weights/weight_match.h"

// Weights that were paired by equal values under other names have to fit by their names too: where
// the names are equal but for their numbers, the numbers rise together, and no target weight of the
// same place has the rest of golden's name. Layers (or projections) that a conversion exchanged are
// equal in value and are not equal as models: PARTIAL, with the first pair.
void weight_order_check(const Weights *golden, const Weights *target, const WeightPairs *pairs,
                        Notices *notices);

#endif
