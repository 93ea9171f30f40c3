// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TENSOR_TENSOR_METRICS_H
#define VERNIER_COMPARE_TENSOR_TENSOR_METRICS_H

#include "compare/judge/comparison.h"
#include "read/tensor/tensor.h"

// How far two tensors are apart, element by element, in one pass over both (docs/metrics.md). Sums
// are in double, in blocks of fixed size and order: the result is the same for any number of
// threads and on every instruction set.

// The columns of a table of elements: six of msProbe, in its order.
typedef enum ElementMetric {
    ELEMENT_COSINE,
    ELEMENT_EUCLIDEAN,
    ELEMENT_MAX_ABS,
    ELEMENT_MAX_RELATIVE,
    ELEMENT_THOUSANDTH,
    ELEMENT_FIVE_THOUSANDTHS,
    ELEMENT_METRICS
} ElementMetric;

typedef enum ElementCell {
    ELEMENT_NUMBER,
    ELEMENT_NAN,            // "Nan"
    ELEMENT_UNSUPPORTED,    // "unsupported"
    ELEMENT_SHAPE_DIFFERS,  // "shape unmatched"
    ELEMENT_NA              // "N/A"
} ElementCell;

// What the pair is; decides the cells, and under msProbe's rules the note.
typedef enum ElementState {
    ELEMENTS_COMPUTED,
    ELEMENTS_SCALAR,      // 0-d (msprobe26: after squeezing; msprobe8: the target as it is)
    ELEMENTS_NO_FILE,     // no data file named on one side, or one side unmatched
    ELEMENTS_UNREADABLE,  // a named file is missing or refused
    ELEMENTS_EMPTY,       // no elements
    ELEMENTS_SHAPE,       // shapes differ
    ELEMENTS_NONFINITE    // NaN or Inf at different places
} ElementState;

#define ELEMENT_NONE UINT64_MAX

// Under RULES_MSPROBE26 and RULES_MSPROBE8 `kind` and `value` are msProbe's, unrounded (the cell
// writer rounds); ULP figures are not computed (NaN).
//
// Under RULES_VERNIER every metric is computed
// for every shape, over the elements that are finite on both sides: relative errors are |n-b|/|b|,
// 0 where both are 0, left out of the maximum where only b is 0 (`golden_zero` counts these); the
// shares are those with |n-b| <= 0.001 |b|;
// complex elements count as two, real and imaginary part. The shares of VERNIER are those of the
// elements that are finite or differ in finiteness; equal NaN or Inf do not count.
typedef struct TensorMetrics {
    ElementState state;
    uint8_t kind[ELEMENT_METRICS];  // ElementCell
    double value[ELEMENT_METRICS];  // for ELEMENT_NUMBER
    bool bit_equal;                 // same dtype, shape and bytes
    bool dtype_differs;
    bool shape_differs;  // before axes of size 1 are dropped
    uint64_t count;      // elements of each
    uint64_t finite;     // finite on both sides
    uint64_t golden_nan, target_nan, golden_inf, target_inf;
    // Elements that are not finite in the same way on both sides (msprobe: the sign of an infinity
    // does not count), and the first of them in C order, or ELEMENT_NONE.
    uint64_t nonfinite_mismatch, first_mismatch;
    // The element with the largest |n-b|, the first of equals; ELEMENT_NONE: none differs.
    uint64_t worst;
    double worst_golden, worst_target;  // its values
    uint64_t golden_zero;               // b is 0 and n is not
    // RULES_VERNIER, integers and bool on both sides: how many elements differ and the first of
    // them in C order; ELEMENT_NONE: none, or not integers.
    uint64_t differing, first_differing;
    double first_golden, first_target;  // its values
    double golden_norm, target_norm;    // L2
    double norm_error;                  // |n-b| / |b|; 0 where n = b, Inf where |b| = 0
    double snr_db;                      // 20 log10(|b| / |n-b|); Inf where n = b
    DType ulp_dtype;                    // the coarser of both dtypes
    // Distances in steps of ulp_dtype; NaN where undefined. p99 is exact up to 15, above to 1/8 of
    // its value; beyond 262,144 elements it comes from every 16th run of 8.
    double ulp_max, ulp_p99;
} TensorMetrics;

// Both tensors must stay mapped. `jobs` threads at most.
void tensor_metrics(const Tensor *golden, const Tensor *target, Rules rules, int jobs,
                    TensorMetrics *out);

// The result where there are no two tensors: ELEMENTS_NO_FILE or ELEMENTS_UNREADABLE.
void tensor_metrics_missing(ElementState state, TensorMetrics *out);

const char *element_metric_text(ElementMetric metric);  // column title: "Cosine", "EucDist", …

// The loops that this processor does best.
struct Kernel;
const struct Kernel *kernel_choose(void);

#endif
