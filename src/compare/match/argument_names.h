// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_ARGUMENT_NAMES_H
#define VERNIER_COMPARE_MATCH_ARGUMENT_NAMES_H

#include "base/str.h"

// How the positional arguments of well-known functions are called ("input.4" of layer_norm is eps),
// from the public signatures of torch.nn.functional. The empty text where that is not known.
// `api` is the name without prefix and call, `path` that of the slot.
Str argument_name(Str api, Str path);

#endif
