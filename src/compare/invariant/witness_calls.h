// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_CALLS_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_CALLS_H

#include "compare/invariant/witness_look.h"
#include "read/dump/op_name.h"

// What single calls of one dump must do: dropout, the targets of a loss, gradients of biases, the
// clipping of gradients.
void witness_calls(Looking *of);

// Whether the op runs the model forward: optimizers and clipping call no modules and no functions
// of torch.nn.
bool calls_begin_forward(const Op *op, const OpName *name);

#endif
