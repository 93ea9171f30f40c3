// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_CURVES_DECISION_TABLE_H
#define VERNIER_REPORT_CURVES_DECISION_TABLE_H

#include "base/arena.h"
#include "scene/table.h"

typedef enum Judged { JUDGED_ANY, JUDGED_FINE, JUDGED_OFF, JUDGED_UNKNOWN } Judged;

// Where to look (docs/spec/curves.md §5.3) by the loss of step 1, the local norms of step 1 and the
// loss of step 2, as they were found. The first row that fits is marked; NULL if none
// does.
Table *decision_table(const Judged found[3], Arena *arena);

#endif
