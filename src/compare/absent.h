// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_ABSENT_H
#define VERNIER_COMPARE_ABSENT_H

#include "compare/judge/comparison.h"

// Ops that only one side holds: which of them the other run does not have, and which its collection
// left out (docs/reference/compare.md).

// Settles what settings of the collections explain: sets `absence` of such ops and their status to
// `no data`. Of both dumps' records; before the first divergence is looked for.
void absent_settings(Comparison *comparison);

// Settles ops without effect, where no op that both sides have differs. They change no value
// (wrappers, copies, views), are of an API or class that the other side never calls, or do what the
// other side does in other steps (compare/rewritten.h).
// What was settled so before is settled anew.
void absent_no_effect(Comparison *comparison);

#endif
