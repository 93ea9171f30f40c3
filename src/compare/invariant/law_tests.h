// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_LAW_TESTS_H
#define VERNIER_COMPARE_INVARIANT_LAW_TESTS_H

#include "compare/invariant/law.h"

// The tests of the table (law_table.c), by what they look at.

// laws_weights.c
LawPair law_replicas, law_tensor_copies, law_gradient_copies, law_optimizer_copies, law_updates,
    law_frozen, law_averages;
LawTest law_tied_embeddings;
// laws_comm.c
LawTest law_collective_calls, law_collective_results, law_collective_sums, law_reduced_use;
LawEach law_transfers;
// laws_data.c
LawPair law_dp_inputs, law_tp_inputs, law_step_inputs, law_tp_norms, law_module_order, law_dtypes;
LawTest law_batches;
// laws_state.c
LawPair law_weight_steps;
LawEach law_constant_weights, law_optimizer_state, law_master_weights;
// laws_expect.c
LawTest law_expect_frozen, law_expect_trained, law_expect_init, law_expect_compute,
    law_expect_batch, law_expect_length, law_expect_generated;
// laws_grads.c
LawEach law_gradients, law_bias_gradients;
LawTest law_zero_gradients;
// Whether gradients are known to begin anew in a step after that of `rank`, so that an optimizer
// had its turn between two dumps; else they may be micro batches of one step.
bool bias_grads_anew(const Evidence *of, size_t rank);
// laws_reduce.c
LawPair law_reduced_all, law_repeated_gradients;
LawEach law_reduced_gradients;
// laws_local.c
LawTest law_finite;
// What one dump decides was decided when it was read.
void law_take_local(const Evidence *of, LawResult *out, LocalLaw law);

#endif
