// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_ARGUMENT_NAMES_H
#define VERNIER_COMPARE_MATCH_ARGUMENT_NAMES_H

#include "base/str.h"

// How the positional arguments of well-known functions are called ("input.4" of layer_norm is eps),
// from the public signatures of torch.nn.functional. The empty text where that is not known.
// `api` is the name without prefix and call, `path` that of the slot.
Str argument_name(Str api, Str path);

// Whether an argument, by name or by position, is an axis of the first tensor that goes in, counted
// from the front, or below 0 from the end.
bool argument_is_axis(Str api, Str path);

// Whether the axes are those of the result, which has one more.
bool argument_adds_axis(Str api);

// Whether an argument is a dtype to which the API casts its input first; None is the input's own.
bool argument_is_dtype(Str api, Str path);

#endif
