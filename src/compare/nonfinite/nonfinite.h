// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NONFINITE_NONFINITE_H
#define VERNIER_COMPARE_NONFINITE_NONFINITE_H

#include "read/dump/slot_content.h"

// Which values that are no finite number a tensor holds, told from its statistics, and which APIs
// may hold them in good health: masks filled with -Inf, memory that nothing has written yet.

// Whether the dump tells enough of the tensor to say: Max, Mean, or the norm where it is alone.
bool nonfinite_told(const Dump *dump, const Slot *slot);

// Whether it does of any tensor, or tells of an op as a whole.
bool nonfinite_told_any(const Dump *dump);

// The same for the value of a scalar argument.
Nonfinite nonfinite_of_scalar(const Dump *dump, const Slot *slot);

// Additive masks hold 0 and -Inf and nothing else.
bool nonfinite_is_mask(const Dump *dump, const Slot *slot);

// Its smallest element is the lowest number of its dtype: a mask without infinities, of which the
// sum of two is -Inf.
bool nonfinite_is_lowest(const Dump *dump, const Slot *slot);

// Whether any tensor or scalar of the dump is not finite. Linear in the slots.
bool nonfinite_any(const Dump *dump);

#endif
