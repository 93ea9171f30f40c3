// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_SLOT_CONTENT_H
#define VERNIER_READ_DUMP_SLOT_CONTENT_H

#include <string.h>

#include "base/notice.h"
#include "read/dump/dump.h"

// What a slot holds, from all that its writer says of it: the one answer that every command uses.

enum { NONFINITE_NAN = 1, NONFINITE_PLUS = 2, NONFINITE_MINUS = 4 };
typedef uint8_t Nonfinite;  // a set of them; 0: all finite, or no statistics

Nonfinite nonfinite_kind(double value);

// From what the writer counts or flags, from Max and Min, and from Mean and then Norm where these
// are finite. A Norm of NaN is a NaN of the tensor; one of Inf only where nothing else is recorded,
// since it overflows in float16 while every element is finite. Scalars and null slots hold none.
Nonfinite nonfinite_of_any(const Dump *dump, const Slot *tensor);

// The same at once for four finite real numbers, as nearly every tensor has: x - x is 0 of these.
static inline Nonfinite nonfinite_of(const Dump *dump, const Slot *slot)
{
    static const uint8_t reals[STAT_COUNT] = {TAG_REAL, TAG_REAL, TAG_REAL, TAG_REAL};
    const StatValue *stat = slot->stat;
    if (slot->kind != SLOT_TENSOR)
        return 0;
    bool finite = memcmp(slot->tag, reals, sizeof reals) == 0 &&
                  stat[0].real - stat[0].real + (stat[1].real - stat[1].real) +
                          (stat[2].real - stat[2].real) + (stat[3].real - stat[3].real) ==
                      0;
    return finite ? slot->counted : nonfinite_of_any(dump, slot);
}

// A statistic as a number, also where it is written as a text ("nan").
bool nonfinite_stat(const Dump *dump, const Slot *slot, Stat stat, double *out);

// Whether the dump records the norm of the tensor and no other statistic.
bool nonfinite_norm_alone(const Slot *slot);

// Whether the key is that of a count of NaN or Inf ("NaN Count", "nan_count"), in any case.
bool nonfinite_is_count(Str key);

// Whether both writers count NaN or Inf of the two slots and come to different numbers.
bool nonfinite_counts_differ(const Dump *golden, uint32_t golden_slot, const Dump *target,
                             uint32_t target_slot);

// After any reader: marks the tensors that a count ("NaN Count") or the flag of their op (is_nan)
// says are not finite, and takes a checksum that is in no writer's form for none. Words for "none"
// ("N/A", "null") are no value; every other text is a value that was not understood: PARTIAL.
// Linear in slots.
void slot_content_settle(Dump *dump, Notices *notices);

#endif
