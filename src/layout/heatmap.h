// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_HEATMAP_H
#define VERNIER_LAYOUT_HEATMAP_H

#include "scene/report.h"
#include "scene/scene.h"

// A heat map in panels that share rows and columns: each cell is the ratio of a value to what its
// row usually holds, on a diverging logarithmic scale from 1/4 to 4. NaN and infinities are marks of
// their own, never a colour of the scale. Outliers are boxed and led to a numbered disc beside the
// panel; the notes below name them, so no cell is covered. (spec curves §6.4, mock-up `heatmap`)

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
    const double *cells;  // row by row, row_count * column_count
    Str absent_row;       // written over a row without any value; empty: that of the map
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
    Str scale_title;        // "norm / median"
    const char *const *scale_labels;  // 5, or NULL: ÷4 ÷2 ×1 ×2 ×4
    Str absent_text;  // legend of cells without a value: "weight lives on another rank"
    Str absent_row;   // written over a row without any: "not on this rank"
    const HeatNote *notes;
    size_t note_count;
} HeatMap;

enum { HEAT_PANELS_MAX = 4, HEAT_ROWS_MAX = 160, HEAT_NOTES_MAX = 8 };

// Draws the whole picture, 1200 px wide, under the verdict. More columns than fit are binned, the
// cell that departs most stands for its bin; rows must be at most HEAT_ROWS_MAX.
void heatmap_draw(Scene *scene, const Verdict *verdict, const HeatMap *map);

#endif
