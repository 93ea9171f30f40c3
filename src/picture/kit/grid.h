// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_GRID_H
#define VERNIER_PICTURE_KIT_GRID_H

#include "picture/kit/chip.h"
#include "scene/scene.h"

// Rows by columns of cells that each have a look: layers × runs, steps × ranks, kinds of weights ×
// layers, things × nights, the rows of a heat map. A picture says what is in a row; how a row looks
// is said here.

// What is no number, in the middle of a cell: a cross on NaN's colour, a ring on ink.
typedef enum GridMark { GRID_NUMBER, GRID_NAN, GRID_INFINITY } GridMark;

typedef struct GridCell {
    Role fill, edge;   // both ROLE_NONE: the place stays empty
    float edge_width;  // the edge lies inside the cell
    bool hatch;
    bool line;           // a line along the middle instead of a box: no value
    GridMark mark;       // with the fill of its kind
    const char *letter;  // in the middle where it has room, or NULL
    Role ink;            // of the letter
    Str number;          // in the middle, on a plate, where it has room; or empty
    int disc;            // numbered, in the middle instead of a letter; 0: none
    bool chip;           // the chip of a status instead of a box, a square in the middle
    Status status;       // of the chip
    bool inherited;
    size_t columns;  // that it covers; 0 means 1
    // Tooltip. Plain cells without one that look the same are one path: they are many and say
    // little.
    Str title;
    Str link;  // of scene_group, or empty
} GridCell;

// The look of a status as a box or, with the same colours, as a chip.
GridCell grid_box(Status status, bool inherited);
GridCell grid_chip(Status status, bool inherited);

// The colour of a value on the scale of errors from 10^low to 10^high, and its key: a box a decade,
// every second one named. Gives the x after it; the names are below the base line y.
Role grid_heat(double value, int low, int high);
double grid_heat_key(Scene *scene, double x, double y, int low, int high);

// Numbers below columns from base line y on, as many as have room: `label` gives that of a column.
typedef Str (*GridLabel)(const void *of, size_t column, Arena *arena);
void grid_ticks(Scene *scene, double left, double pitch, size_t columns, double y, GridLabel label,
                const void *of);

typedef struct GridRow {
    Str label;  // cut to its room
    Str title;  // tooltip of the label, or empty
    int weight;
    Role role;
    const GridCell *cells;
    size_t count;  // of cells; each follows those before it
    Str total;     // at the right, or empty
} GridRow;

// Where rows and cells stand, px.
typedef struct Grid {
    Anchor anchor;  // of the labels: at their left or right end stands label_x
    double label_x, label_room;
    float label_size;
    double left, pitch, gap;  // of the first cell; from cell to cell, gap included
    double height, row;       // of a cell; from row to row
    double radius;            // of the corners
    double total_x;           // right end of the totals
    struct GridLooks *looks;  // of the cells that grid_end draws
} Grid;

// Draws the row with its cells from y on; returns where the next one begins. Its plain cells are
// drawn by grid_end.
double grid_row(Scene *scene, Grid *grid, const GridRow *row, double y);

// After the last row: the plain cells of all rows, one path a look.
void grid_end(Scene *scene, Grid *grid);

// One cell, as a row draws it.
void grid_cell(Scene *scene, const GridCell *cell, double x, double y, double width, double height,
               double radius);

// Base line of words in a row whose cells begin at y.
double grid_base(const Grid *grid, double y);

#endif
