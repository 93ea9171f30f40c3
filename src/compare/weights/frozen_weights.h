// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_FROZEN_WEIGHTS_H
#define VERNIER_COMPARE_FROZEN_WEIGHTS_H

#include "base/notice.h"
#include "compare/judge/comparison.h"

// A notice where weights of both sides require a gradient on one side only, by what the dumps
// record of requires_grad: such a weight is trained there and frozen on the other side, though a
// step's values are equal. Results are left out: no_grad and recomputed modules differ by platform.
void frozen_weights_tell(const Comparison *comparison, Notices *notices);

#endif
