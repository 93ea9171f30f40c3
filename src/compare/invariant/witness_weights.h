// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_WEIGHTS_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_WEIGHTS_H

#include "compare/invariant/witness.h"
#include "read/tensor/checkpoint_folder.h"
#include "read/tensor/weights_file.h"

// What the file of a checkpoint tells: weights, and what the optimizer keeps of them. Its tensors
// add to those that *out has already, since optimizers may are in files of their own.

// `aside`: the file holds an optimizer alone. Reads every float tensor once. Tensors that cannot be
// read give notices.
void witness_weights(const Weights *weights, bool aside, RankWitness *out, Notices *notices);

// After the last file: puts them into the order of names.
void witness_weights_end(RankWitness *out);

#endif
