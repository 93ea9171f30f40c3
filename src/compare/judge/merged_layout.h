// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_MERGED_LAYOUT_H
#define VERNIER_COMPARE_JUDGE_MERGED_LAYOUT_H

#include "read/dump/dump.h"

// What differs between two runs only because their ranks share the model out otherwise.

// Rounding of the ranks' statistics, which the merged ones carry.
#define MERGED_ROUNDING 1e-6

// One of the two is several ranks merged: its shapes are those of shares.
bool merged_any(const Dump *golden, const Dump *target);

// Tensors are shared out among different numbers of ranks, or cut into other parts of the batch.
bool merged_shares_differ(const Dump *golden, const Dump *target);

// Sizes of shares or parts of the same whole: each run's times their number is the same.
bool merged_same_whole(const Dump *golden, const Dump *target, double golden_size,
                       double target_size);

// The layouts differ, in shares, in stages, or in how batch and experts are spread.
bool merged_layouts_differ(const Dump *golden, const Dump *target);

// Ranks with tokens of their own are merged on one side, or other numbers of them.
bool merged_batches_differ(const Dump *golden, const Dump *target);

// How many times as many ranks with tokens of their own the target has; 1 where none are merged.
double merged_batches_ratio(const Dump *golden, const Dump *target);

// One of the two slots was lost by a rank, and neither tells of NaN or infinity.
bool merged_lacking(const Slot *one, const Slot *other);

// Tensors of two runs that are no parts of the same whole: one of them cannot be merged, or all
// parts of the one have more elements than those of the other. NaN and infinities of one side are
// counted even so.
bool merged_apart(const Dump *golden, const Slot *one, const Dump *target, const Slot *other);

#endif
