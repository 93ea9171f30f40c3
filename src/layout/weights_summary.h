// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_WEIGHTS_SUMMARY_H
#define VERNIER_LAYOUT_WEIGHTS_SUMMARY_H

#include "base/sink.h"
#include "compare/weight_compare.h"
#include "layout/history_page.h"
#include "layout/summary.h"

// The verdict on two checkpoints and its summary.json (schema "vernier.weights/1").

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
void weights_summary_write(const WeightsView *view, Sink *out);

// "fused, transposed": how a pair stands to its names and places; empty for one that is as it is.
Str weights_forms_text(uint32_t forms, Arena *arena);

// "model.qkv.weight[0:64]": a part of a weight with its rows; "[8 x 0:64]" of each of 8 groups.
Str weights_part_text(const Weight *weight, const WeightSpan *span, Arena *arena);

// The index of an element as a list: "[3, 17]"; empty for ELEMENT_NONE.
Str weights_place_text(const WeightComparison *comparison, const WeightResult *result,
                       uint64_t element, Arena *arena);

#endif
