// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TENSOR_ELEMENTS_H
#define VERNIER_COMPARE_TENSOR_ELEMENTS_H

#include "compare/judge/comparison.h"
#include "compare/tensor/tensor_metrics.h"
#include "read/settings/criteria_file.h"

// Tensor mode: compares the files of two dumps element by element.

// Which slots to compare: the target's and golden's; `golden` SLOT_NONE without a partner.
typedef struct ElementPair {
    uint32_t golden, target;
} ElementPair;

typedef struct ElementReading {
    const Dump *golden, *target;
    const char *golden_folder, *target_folder;  // hold dump_tensor_data
    Rules rules;
    int jobs;  // threads; the result does not depend on them
} ElementReading;

// The metrics of every pair, in `out` (one per pair). A pair without two files is
// ELEMENTS_NO_FILE; files that cannot be read cost their pair and give notices.
void elements_read(const ElementReading *reading, const ElementPair *pairs, size_t count,
                   TensorMetrics *out, Notices *notices);

// Whether no file of the one dump tells other elements than that of the same slot number in the
// other. For dumps that are equal in all else. Stops at the first difference; a file that cannot be
// read tells none.
bool elements_equal(const ElementReading *reading);

// elements_read for all slot pairs of a comparison.
TensorMetrics *elements_of_comparison(const Comparison *comparison, const ElementReading *reading,
                                      Arena *arena, Notices *notices);

// Judges all slot pairs again by their elements, under the rules vernier: equal bytes are the same,
// statistics that happen to agree hide no difference. A pair gets no better by it. `metrics` is one
// per slot pair, and so is `floors`, measured from noise runs (compare/tensor/element_noise.h): -1
// or NULL leaves the default floor. A limit for elements of the user's `criteria` (may be NULL)
// stands before both. Sets statuses, first divergence, tree and counts anew.
void elements_judge(Comparison *comparison, const TensorMetrics *metrics, const float *floors,
                    const Criteria *criteria, Arena *arena);

#endif
