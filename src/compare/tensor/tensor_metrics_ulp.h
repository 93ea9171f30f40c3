// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TENSOR_TENSOR_METRICS_ULP_H
#define VERNIER_COMPARE_TENSOR_TENSOR_METRICS_ULP_H

#include "compare/tensor/tensor_metrics_kernel.h"

// Distances between numbers counted in steps of a format ("units in the last place"), and their
// distribution.

// Of the two dtypes the one with fewer significant bits; of two integer dtypes the wider one.
DType ulp_coarser(DType a, DType b);

// How float32 values become numbers of a float dtype's own grid, rounding to nearest. The range of
// the exponent is taken as unbounded above.
UlpFormat ulp_format(DType dtype);

// Counts of distances: exact up to 15, above 8 classes for each power of two.
enum { ULP_EXACT = 16, ULP_CLASSES = ULP_EXACT + 60 * 8 };

typedef struct UlpCounts {
    uint64_t counts[ULP_CLASSES];
    uint64_t largest;
} UlpCounts;

// `largest`: that of the distances.
void ulp_add(UlpCounts *counts, const uint32_t *distances, size_t count, uint32_t largest);

// A whole block by every 16th run of 8 elements, each counted 16 times. `phase` chooses the
// runs; let it change from block to block, so that no period of the data is missed.
enum { ULP_SAMPLE = 16 };
void ulp_add_sample(UlpCounts *counts, const uint32_t *distances, uint64_t phase, uint32_t largest);

void ulp_add_equal(UlpCounts *counts, uint64_t count);  // distance 0
void ulp_join(UlpCounts *counts, const UlpCounts *from);

// Takes away distances of 0 that were added for elements without value.
void ulp_remove_equal(UlpCounts *counts, uint64_t count);

// The distance that `share` of the elements do not exceed: exact up to 15, else the upper end of
// its class. NaN without elements.
double ulp_quantile(const UlpCounts *counts, double share);

// For dtypes that do not fit float32: the distances of a block, of integers exactly. Elements that
// are not finite on a side have none.
void ulp_add_block(UlpCounts *counts, const Block *block, DType coarser);

#endif
