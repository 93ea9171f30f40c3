// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_KEPT_STATE_H
#define VERNIER_COMPARE_KEPT_STATE_H

#include "compare/judge/comparison.h"
#include "compare/slot_before.h"
#include "compare/slot_values.h"

// What a step begins with because the step before ended with it, as the moments of an optimizer do:
// how far it may be off depends on what was computed there. `sources`: the SourceKind of every slot
// of golden.

// Whether a value that differs may be such.
bool kept_state_asked(const Comparison *comparison, const SlotPair *pair, const uint8_t *sources);

// Lets one pass that is a warning and that, on both sides, the same op of the step before gave to
// the bit; tells whether it did. `before`: golden and target of that step; `results`: golden's.
bool kept_state_pass(const Comparison *comparison, SlotPair *pair, SlotsBefore before[2],
                     const SlotValues *results);

#endif
