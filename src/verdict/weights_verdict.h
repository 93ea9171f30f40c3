// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_WEIGHTS_VERDICT_H
#define VERNIER_VERDICT_WEIGHTS_VERDICT_H

#include "compare/weights/weight_compare.h"
#include "scene/report.h"
#include "verdict/history_text.h"

// What is said of two checkpoints.

typedef struct WeightsView {
    const char *version;
    const WeightComparison *comparison;
    const Verdict *verdict;
    Str golden, target;  // paths as shown
    const Notices *notices;
    const HistoryView *history;  // NULL without --history
    const Scene *picture;        // for the page, NULL: none
} WeightsView;

void weights_verdict(const WeightComparison *comparison, bool partial, Arena *arena, Verdict *out);
// Which weights one side decays and the other does not; empty: the norms do not show it.
Str weights_decay_text(const WeightComparison *comparison, Arena *arena);
bool weights_differ(const WeightComparison *comparison);
size_t weights_count_form(const WeightComparison *comparison, uint32_t form);  // pairs of that form

// "fused, transposed": how a pair stands to its names and places; empty for one that is as it is.
Str weights_forms_text(uint32_t forms, Arena *arena);

// "model.qkv.weight[0:64]": a part of a weight with its rows; "[8 x 0:64]" of each of 8 groups.
Str weights_part_text(const Weight *weight, const WeightSpan *span, Arena *arena);

// The index of an element as a list: "[3, 17]"; empty for ELEMENT_NONE.
Str weights_place_text(const WeightComparison *comparison, const WeightResult *result,
                       uint64_t element, Arena *arena);

#endif
