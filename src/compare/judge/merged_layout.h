// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_MERGED_LAYOUT_H
#define VERNIER_COMPARE_JUDGE_MERGED_LAYOUT_H

#include "read/dump/dump.h"

// What differs between two runs only because their ranks share the model out otherwise.

// Rounding of the ranks' statistics, which the merged ones carry.
#define MERGED_ROUNDING 1e-6

// One of the two is several ranks merged: its shapes are those of shares.
bool merged_any(const Dump *golden, const Dump *target);

// Tensors are shared out among different numbers of ranks.
bool merged_shares_differ(const Dump *golden, const Dump *target);

// Sizes of shares of the same whole: each run's times its number of shares is the same.
bool merged_same_whole(const Dump *golden, const Dump *target, double golden_size,
                       double target_size);

// The layouts differ, in shares or in stages.
bool merged_layouts_differ(const Dump *golden, const Dump *target);

#endif
