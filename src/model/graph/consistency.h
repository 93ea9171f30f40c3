// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_GRAPH_CONSISTENCY_H
#define VERNIER_MODEL_GRAPH_CONSISTENCY_H

#include "model/graph/graph.h"

// Training against inference (docs/spec/compare.md §2.9): two programs of one model call its
// modules otherwise, fuse other ones, and only one of them has a backward. Both become a hierarchy
// of the forward calls of the modules under common names.

typedef enum ConsistencyBackend {
    CONSISTENCY_INFERENCE,  // golden: names as they are, "layers.3.self_attn.qkv_proj"
    CONSISTENCY_FSDP,       // q_proj, k_proj and v_proj are one module there, gate_proj and up_proj
    CONSISTENCY_MEGATRON    // other names
} ConsistencyBackend;

// The forward calls of modules of `in`, of training those before the model runs backward and from
// the next embedding on; calls are counted anew for each module. What is fused has the inputs of
// its first part and the merged statistics of its outputs and weights. The result (marked as
// merged, since shapes differ by their batches) lives in `arena` and borrows `in`; APIs are left
// out, which is said; every slot that the result does not keep is set aside in the account of
// `notices`. Linear in nodes and slots.
void consistency_graph(const Graph *in, ConsistencyBackend backend, Arena *arena, Graph *out,
                       Notices *notices);

#endif
