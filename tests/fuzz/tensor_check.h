// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_FUZZ_TENSOR_CHECK_H
#define VERNIER_FUZZ_TENSOR_CHECK_H

#include <stdlib.h>

#include "compare/tensor/tensor_metrics.h"

// What must hold of every tensor that a reader gives: all its elements can be read, and it is equal
// to itself under each set of rules.
static void check_tensor(const Tensor *tensor)
{
    if (tensor->count > 100000 || tensor->rank > TENSOR_MAX_RANK)
        return;
    for (Rules rules = RULES_VERNIER; rules <= RULES_MSPROBE8; rules++) {
        TensorMetrics metrics;
        tensor_metrics(tensor, tensor, rules, 1, &metrics);
        bool equal =
            metrics.kind[ELEMENT_MAX_ABS] != ELEMENT_NUMBER || metrics.value[ELEMENT_MAX_ABS] == 0;
        if (!equal || metrics.nonfinite_mismatch || metrics.worst != ELEMENT_NONE ||
            (rules == RULES_VERNIER && !metrics.bit_equal))
            abort();
    }
}

#endif
