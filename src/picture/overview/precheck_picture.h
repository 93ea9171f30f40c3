// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_PRECHECK_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_PRECHECK_PICTURE_H

#include "scene/scene.h"
#include "verdict/precheck_verdict.h"

// Two parts below each other: a chip for every API and direction, by the standard that it failed or
// was held to, the standards with most errors first; then those that fail or warn, a row each with
// the figure that decides.
void precheck_picture(const Precheck *of, Arena *arena, Scene *out);

#endif
