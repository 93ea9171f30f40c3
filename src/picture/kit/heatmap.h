// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_HEATMAP_H
#define VERNIER_PICTURE_KIT_HEATMAP_H

#include "picture/kit/heatmap_cells.h"

// A heat map in panels that share rows and columns: each cell is the ratio of a value to what its
// row usually holds, on a diverging logarithmic scale from 1/4 to 4. NaN and infinities are marks
// of their own, never a colour of the scale. Outliers are boxed and led to a numbered disc next to
// the panel; the notes below name them, so no cell is covered. (docs/spec/curves.md §6.4)

// Draws the whole picture, 1200 px wide. More columns than fit are binned, the
// cell that departs most stands for its bin; rows must be at most HEAT_ROWS_MAX.
void heatmap_draw(Scene *scene, const HeatMap *map);

#endif
