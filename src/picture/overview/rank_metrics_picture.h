// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_RANK_METRICS_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_RANK_METRICS_PICTURE_H

#include "compare/rank_metrics.h"
#include "scene/scene.h"

// A heat map of the largest distances: metrics by ranks, or of the main metric modules by ranks,
// each row against its median rank. False if there is nothing to draw.
bool rank_metrics_picture(const RankMetrics *metrics, bool modules, Arena *arena, Scene *out);

#endif
