// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_WEIGHTS_DECAY_GROUPS_H
#define VERNIER_COMPARE_WEIGHTS_DECAY_GROUPS_H

#include "read/tensor/weights_file.h"

// What the state of an optimizer says of weight decay, from `param_groups` of a checkpoint of
// torch.save: "0.1 on 4 parameters, 0 on 4 (4 of one dimension)". Empty: it holds none.
Str decay_groups_text(const Weights *weights, Arena *arena);

#endif
