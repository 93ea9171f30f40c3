// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_TOKENS_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_TOKENS_H

#include "compare/invariant/witness.h"

// Arrays that a trainer saved of what goes in: tokens (or input_ids), labels, loss_mask,
// position_ids, element by element. Fills in local[LOCAL_VOCABULARY] to local[LOCAL_POSITIONS] and
// batch_hash; where the dump is no folder of such arrays nothing.
void witness_tokens(const Dump *dump, RankWitness *out, Notices *notices);

#endif
