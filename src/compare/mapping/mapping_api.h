// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MAPPING_MAPPING_API_H
#define VERNIER_COMPARE_MAPPING_MAPPING_API_H

#include "base/arena.h"
#include "base/names.h"
#include "base/str.h"

// What the APIs of MindSpore are called in PyTorch, from the public correspondence of both (the
// signatures and pages of mindspore.ops, mindspore.mint, mindspore.Tensor and of torch,
// torch.nn.functional, torch.Tensor).

// The name of `api`, "Functional.dense", in PyTorch: "Functional.linear". The prefixes of mint go
// first (Mint: Torch, MintFunctional: Functional, MintDistributed: Distributed); a function of
// mindspore.ops is one of torch unless torch.nn.functional has it. Names that are not known stay.
Str mapping_api_name(Str api, Arena *arena);

// The same, where the other side tells what it calls the function: the first spelling that `known`
// holds, among torch, torch.nn.functional and torch.Tensor in the order of likeliness; else as
// above.
Str mapping_api_among(Str api, const Names *known, Arena *arena);

#endif
