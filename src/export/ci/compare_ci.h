// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_CI_COMPARE_CI_H
#define VERNIER_EXPORT_CI_COMPARE_CI_H

#include "export/ci/ci_report.h"
#include "verdict/compare_view.h"

// Fills findings and measures of a comparison. Pairs that part at the same place are one finding;
// that of the origin stands first. `root`: the folder of the model's sources in the run, that files
// are named from, or empty. Linear in the pairs.
void compare_ci_collect(const CompareSummary *summary, Str root, Arena *arena, CiOutcome *out);

#endif
