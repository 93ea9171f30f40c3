// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_HEATMAP_CELLS_H
#define VERNIER_PICTURE_KIT_HEATMAP_CELLS_H

#include "picture/kit/grid.h"

// What a heat map shows, where its rows and columns lie, and its cells.

// A cell is log10 of the ratio, or one of these.
double heat_absent(void);  // no value: nothing is drawn
double heat_nan(void);
double heat_infinity(void);

typedef struct HeatRow {
    Str group, group_note;  // rows with the same group stand together under a bracket
    Str label;
    Str title;  // full name, as tooltip
} HeatRow;

typedef struct HeatPanel {
    Str title, note;
    const double *cells;    // row by row, row_count * column_count
    const double *numbers;  // what is written into cells that have the room; NULL: nothing
    Str absent_row;         // written over a row without any value; empty: that of the map
} HeatPanel;

// A boxed cell with its explanation below the panels.
typedef struct HeatNote {
    size_t panel, row, column;
    Str head, text;
} HeatNote;

typedef struct HeatMap {
    const HeatRow *rows;
    size_t row_count;
    const HeatPanel *panels;
    size_t panel_count;
    const int64_t *columns;  // numbers under the columns: steps, ranks; INT64_MIN: a gap
    size_t column_count;
    size_t steps_a_column;  // how many values each column stands for already; 0 means 1
    bool every_column;      // label each where there is room (ranks), not round numbers (steps)
    Str column_title;       // "step"
    const Str *groups;      // one a column, written below neighbours that share it; NULL: none
    Str scale_title;        // "norm / median"
    const char *const *scale_labels;  // 5, or NULL: ÷4 ÷2 ×1 ×2 ×4
    Str absent_text;  // legend of cells without a value: "weight lives on another rank"
    Str absent_row;   // written over a row without any: "not on this rank"
    const HeatNote *notes;
    size_t note_count;
} HeatMap;

enum { HEAT_PANELS_MAX = 4, HEAT_ROWS_MAX = 160, HEAT_NOTES_MAX = 8 };

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
int heat_step(double log_ratio);  // 0 … HEAT_STEPS - 1 for a value
int heat_weight(HeatKind kind);   // of cells that share a place the heaviest is shown

// What is written over a row of the panel without any value; and whether this row gets it.
Str heat_absent_row(const HeatMap *map, size_t panel);
bool heat_row_is_told(const HeatMap *map, size_t panel, size_t row, const HeatGrid *grid);

// As few columns a bin as keep the picture small: runs of one colour are one piece.
void heat_choose_bins(const HeatMap *map, HeatGrid *grid);

// The cells of a row as the grid draws them, equal neighbours as one, at most grid->bins; how many.
size_t heat_row_cells(const HeatMap *map, size_t panel, size_t row, const HeatGrid *grid,
                      Arena *arena, GridCell *out);

// The look of a cell without a number.
GridCell heat_look(HeatKind kind);

// Left edge of the bin that holds a column, and its width.
double heat_x(const HeatGrid *grid, size_t panel, size_t column);
double heat_bin_width(const HeatGrid *grid);

#endif
