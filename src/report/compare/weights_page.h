// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_WEIGHTS_PAGE_H
#define VERNIER_REPORT_COMPARE_WEIGHTS_PAGE_H

#include "scene/report.h"
#include "verdict/weights_verdict.h"

// Two checkpoints as a page, as the text of a ticket, and as tables.

// Every weight: the largest difference first, then those without a partner, then what is equal.
// `limit` rows at most, 0: all; the note says what was left out.
Table *weights_table(const WeightComparison *comparison, size_t limit, Arena *arena);

// One row for each way in which pairs stand to their names and places; NULL if all are as they are.
Table *weights_forms_table(const WeightComparison *comparison, Arena *arena);

// Weights, elements and bytes of both sides.
Table *weights_sides_table(const WeightsView *view, Arena *arena);

void weights_page_build(const WeightsView *view, Str title, Arena *arena, Report *out);
void weights_ticket_build(const WeightsView *view, Str title, Arena *arena, Report *out);

#endif
