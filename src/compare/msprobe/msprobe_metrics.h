// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MSPROBE_MSPROBE_METRICS_H
#define VERNIER_COMPARE_MSPROBE_MSPROBE_METRICS_H

#include "compare/msprobe/msprobe.h"
#include "compare/tensor/elements.h"

// The six metric cells of rows in tensor mode (docs/spec/compare.md §3, §4.3, §4.4).

// Rounded as msProbe rounds: all but EucDist to 12 decimals, Cosine above 0.9999 to 6.
void msprobe_metrics_of(const TensorMetrics *metrics, MsprobeMetrics *out);

// Reads the tensors of all rows from the folders dump_tensor_data of both dumps and fills
// msprobe->metrics. Files that cannot be read cost their rows, with a notice each kind. Up to
// `jobs` threads; the result does not depend on how many.
void msprobe_read_metrics(MsprobeComparison *msprobe, const char *golden_folder,
                          const char *target_folder, int jobs, Notices *notices);

#endif
