// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_PEER_METRICS_H
#define VERNIER_COMPARE_PEER_METRICS_H

#include "compare/elements.h"
#include "compare/peer.h"

// The six metric cells of rows in tensor mode (spec/compare.md §3, §4.3, §4.4).

// Rounded as the peer rounds: all but EucDist to 12 decimals, Cosine above 0.9999 to 6.
void peer_metrics_of(const TensorMetrics *metrics, PeerMetrics *out);

// Reads the tensors of all rows from the folders dump_tensor_data of both dumps and fills
// peer->metrics. Files that cannot be read cost their rows, with a notice each kind. Up to `jobs`
// threads; the result does not depend on how many.
void peer_read_metrics(PeerComparison *peer, const char *golden_folder, const char *target_folder,
                       int jobs, Notices *notices);

#endif
