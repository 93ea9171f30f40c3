// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_NORMS_PICTURE_H
#define VERNIER_LAYOUT_NORMS_PICTURE_H

#include "scene/report.h"
#include "trend/localnorm.h"

// Gradient norms per weight of two runs: one bar a weight on a log axis of the relative error.

// "DIFFERS at model.tok_embeddings…: its norm is 4.2 % above golden; …", or "AGREES".
void norms_verdict(const NormTable *norms, bool partial, Arena *arena, Verdict *out);

// Weights in the order of the lists; of more than 60 only the largest errors, and it says so. `bare`:
// without the verdict on top.
void norms_picture(const NormTable *norms, const Verdict *verdict, bool bare, Arena *arena,
                   Scene *out);

#endif
