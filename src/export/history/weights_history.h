// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_HISTORY_WEIGHTS_HISTORY_H
#define VERNIER_EXPORT_HISTORY_WEIGHTS_HISTORY_H

#include "trend/history/history_state.h"
#include "verdict/weights_verdict.h"

// What --history keeps of two checkpoints: bytes and weights of both sides, and of each layer (the
// name up to its number, else without its last part) the largest difference of its weights.

// Label, verdict and number are the caller's. The facts are sorted.
void weights_history_facts(const WeightsView *view, Arena *arena, HistoryNight *out);

#endif
