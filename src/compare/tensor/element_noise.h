// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TENSOR_ELEMENT_NOISE_H
#define VERNIER_COMPARE_TENSOR_ELEMENT_NOISE_H

#include "compare/tensor/elements.h"

// The noise floor of whole tensors measured from noise runs: how far, in the L2 norm and relative
// to golden, the tensors of other runs of the same configuration are from golden's. Moderated over
// like tensors (same direction, role in the op, dtype) as the floors of statistics are
// (compare/judge/noise.h).

// Another run of the golden configuration: its dump and the folder that holds its dump_tensor_data.
typedef struct ElementNoiseRun {
    const Dump *dump;
    const char *folder;
} ElementNoiseRun;

// One floor per slot pair of the comparison, to be compared with TensorMetrics.norm_error; -1 where
// nothing could be measured. `reading` says what golden is; files that cannot be read cost
// themselves and give notices. Lives in `arena`.
float *element_noise_measure(const Comparison *comparison, const ElementReading *reading,
                             const ElementNoiseRun *runs, size_t run_count, Arena *arena,
                             Notices *notices);

#endif
