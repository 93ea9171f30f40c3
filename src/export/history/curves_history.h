// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_HISTORY_CURVES_HISTORY_H
#define VERNIER_EXPORT_HISTORY_CURVES_HISTORY_H

#include "scene/report.h"
#include "trend/curves/judge_curves.h"
#include "trend/history/history_state.h"

// What --history keeps of curves: the points of each run, the figures and finding of every series
// of every target, the local norms of its weights; of runs alone the level and end of each series.
// Runs go by their role, not by their name, which changes with the night. The facts are sorted.
void curves_history_facts(const CurveFindings *report, const Verdict *verdict, Arena *arena,
                          HistoryNight *out);

#endif
