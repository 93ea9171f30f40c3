// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_NORMS_VERDICT_H
#define VERNIER_VERDICT_NORMS_VERDICT_H

#include "scene/report.h"
#include "trend/curves/localnorm.h"

// "DIFFERS at model.tok_embeddings…: its norm is 4.2 % above golden; …", or "AGREES".
void norms_verdict(const NormTable *norms, bool partial, Arena *arena, Verdict *out);

// "+4.6 %" of a share of 0.046.
Str norms_percent(double share, Arena *arena);

#endif
