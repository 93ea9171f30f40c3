// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_LAWS_MEANT_H
#define VERNIER_COMPARE_INVARIANT_LAWS_MEANT_H

#include "compare/invariant/law.h"

// Runs against what their configuration tells. It is said of the run as a whole, and right runs
// keep exceptions: evaluations, heads in another dtype, packed samples, scaled or special starts.
// So each is broken only where the run as a whole is otherwise.

void law_meant_compute(const Evidence *of, LawResult *out);
void law_meant_batch(const Evidence *of, LawResult *out);
void law_meant_sizes(const Evidence *of, LawResult *out, ExpectKind kind);
void law_meant_frozen(const Evidence *of, LawResult *out);
void law_meant_trained(const Evidence *of, LawResult *out);
void law_meant_init(const Evidence *of, LawResult *out);

#endif
