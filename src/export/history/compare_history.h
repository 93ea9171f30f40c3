// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_HISTORY_COMPARE_HISTORY_H
#define VERNIER_EXPORT_HISTORY_COMPARE_HISTORY_H

#include "compare/layer_facts.h"
#include "trend/history/history_state.h"
#include "verdict/compare_view.h"

// What --history keeps of a comparison: the inputs, each pair with its first divergence, and each
// layer with its worst figures over all pairs.

// `layers` holds one list a pair. Label, verdict and number are the caller's. The facts are sorted.
void compare_history_facts(const CompareSummary *summary, const LayerFacts *layers, Arena *arena,
                           HistoryNight *out);

#endif
