// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_CURVES_NORMS_PICTURE_H
#define VERNIER_PICTURE_CURVES_NORMS_PICTURE_H

#include "scene/scene.h"
#include "trend/curves/localnorm.h"

// Gradient norms per weight of two runs: one dot a weight on a log axis of the relative error.

// Weights in the order of the lists; of more than 60 only the largest errors, and it says so.
// `bare`: without the verdict on top.
void norms_picture(const NormTable *norms, Arena *arena, Scene *out);

#endif
