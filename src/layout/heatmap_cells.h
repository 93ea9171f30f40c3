// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_HEATMAP_CELLS_H
#define VERNIER_LAYOUT_HEATMAP_CELLS_H

#include "layout/heatmap.h"

// Where rows and columns of a heat map lie, and the painting of its cells.

typedef struct HeatGrid {
    double top;         // of the first row
    double *row_y;      // top of each row
    double row_height;  // without the gap
    double left[HEAT_PANELS_MAX];
    double panel_width;
    size_t bins;  // columns as drawn
    size_t columns_a_bin;
} HeatGrid;

typedef enum HeatKind { HEAT_VALUE, HEAT_NOTHING, HEAT_IS_NAN, HEAT_IS_INFINITY } HeatKind;
HeatKind heat_kind(double cell);

// 0 … HEAT_STEPS - 1 for a value.
int heat_step(double log_ratio);

// The cell that stands for a bin: marks first, then what departs most from the usual.
double heat_bin(const HeatMap *map, size_t panel, size_t row, size_t bin, const HeatGrid *grid);

// What is written over a row of the panel without any value; and whether this row gets it.
Str heat_absent_row(const HeatMap *map, size_t panel);
bool heat_row_is_told(const HeatMap *map, size_t panel, size_t row, const HeatGrid *grid);

// As few columns a bin as keep the picture small: runs of one colour are one piece.
void heat_choose_bins(const HeatMap *map, HeatGrid *grid);

// Paints all rows of a panel: one path a colour, marks on top.
void heat_paint(Scene *scene, const HeatMap *map, size_t panel, const HeatGrid *grid);

// Left edge of the bin that holds a column, and its width.
double heat_x(const HeatGrid *grid, size_t panel, size_t column);
double heat_bin_width(const HeatGrid *grid);

// The cross of a NaN or the ring of an infinity, centred; `size` of the cell.
void heat_mark(Scene *scene, double x, double y, double width, double height, HeatKind kind);

#endif
