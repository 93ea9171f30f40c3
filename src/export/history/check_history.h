// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_HISTORY_CHECK_HISTORY_H
#define VERNIER_EXPORT_HISTORY_CHECK_HISTORY_H

#include "trend/history/history_state.h"
#include "verdict/check_verdict.h"

// What --history keeps of `vernier check`: each invariant that was checked, and how often it was
// broken.

// Label, verdict and number are the caller's. The facts are sorted.
void check_history_facts(const CheckView *view, Arena *arena, HistoryNight *out);

#endif
