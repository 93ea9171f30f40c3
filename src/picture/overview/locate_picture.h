// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_LOCATE_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_LOCATE_PICTURE_H

#include "compare/nonfinite/locate.h"
#include "scene/report.h"
#include "scene/scene.h"

// Where NaN and Inf are born and how they spread: ranks down, the order of execution across. A rank
// is a track that turns from calm to tint where trouble comes to it; births are solid squares,
// communications that carried it are arrows from rank to rank.

// More than 64 ranks share rows: neighbours with the same fate become one. At most 160 rows; what
// is left out is said.
void locate_picture(const Locate *result, Str path, Arena *arena, Scene *out);

#endif
