// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_TOKEN_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_TOKEN_PICTURE_H

#include "compare/token/token_comparison.h"
#include "scene/scene.h"

// Three parts below each other: samples (down, those that differ most where there are many) by
// position (across), each cell the mean |Δ| from 1e-6 to 1; mean |Δ| by position over all samples;
// and by golden's probability.
void token_picture(const TokenComparison *of, Arena *arena, Scene *out);

#endif
