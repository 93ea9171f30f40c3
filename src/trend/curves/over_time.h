// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_OVER_TIME_H
#define VERNIER_TREND_CURVES_OVER_TIME_H

#include "trend/curves/judge_curves.h"

// A report as it looks over wall time. Runs are still joined and judged by their steps: two runs
// share those, and hardly ever a moment.

// The report with milliseconds since the first record of each run in the place of steps: in its
// series, events and spikes; in comparisons, those of the target. `runs` holds the changed runs.
// The times are those of the log, else the sum of the printed times of its steps. False if a run
// has neither; *lacking is that run.
bool curves_over_time(const CurveFindings *report, Arena *arena, Runs *runs, CurveFindings *out,
                      const Run **lacking);

#endif
