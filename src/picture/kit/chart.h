// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_CHART_H
#define VERNIER_PICTURE_KIT_CHART_H

#include "picture/kit/axis.h"
#include "read/log/log_part.h"

// A panel of a line chart: bands, lines, levels and the labels at their ends. Panels of one picture
// share the x axis of their frame.

typedef struct ChartFrame {
    double left, right;        // px of the plot
    int64_t first, last;       // steps at its edges
    double column;             // px of a thinning column; 0 means 1
    bool time;                 // x is milliseconds, not steps
    bool small;                // a small panel: fewer ticks, smaller heading
    bool no_values, no_steps;  // no words at the ticks: a neighbour on the same axis has them
} ChartFrame;

typedef struct ChartLine {
    PointColumns points;
    size_t count;
    int64_t gap;  // a larger distance of two points breaks the line
    Role role;
    float width;  // 0: its marks alone
    float opacity, dash;
    double column;  // px of a thinning column; 0: that of the frame
    bool raw;       // counts for the note on thinning; clipped points and NaN are marked
    Str title;
} ChartLine;

typedef struct ChartBand {
    const int64_t *x;
    const double *low, *high;
    size_t count;
    int64_t gap;        // a larger distance of two points breaks the band, as it breaks a line
    const bool *apart;  // or told for each point: a break lies before it; NULL: the distance tells
    Str title;
} ChartBand;

typedef struct ChartLevel {
    double value;
    bool solid;  // the zero axis; else a dashed threshold
} ChartLevel;

// What stands at the right end of a line.
typedef struct ChartEnd {
    Str name, value;   // bold, and a smaller line below; the value may be empty
    Str brief;         // the value where name and value share a line; empty: the same
    Str brief_name;    // so the name
    bool named_below;  // the value is what is shortened where room is short; else the name
    double at;         // the value where the line ends
    Role role;
    float width;  // of the sample of the line; 0: none
    float dash;   // of the line, as in ChartLine
    bool patch;   // a filled square instead: a band
} ChartEnd;

enum { CHART_HEADING = 28 };  // px from the top of a panel to its plot
// So many lines that four panels of them, at a point each few px, stay below 300 KB.
enum { CHART_LINES = 112, CHART_ENDS = 16, CHART_LEVELS = 4 };

typedef struct ChartPanel {
    Str heading, note;
    double height;  // px of the plot
    bool log;
    double low, high;  // range of y; not finite where there is nothing to show
    Str empty;         // what is said then
    ChartLine lines[CHART_LINES];
    size_t line_count, lines_left_out;
    ChartBand band;  // count 0: none
    ChartLevel levels[CHART_LEVELS];
    size_t level_count;
    ChartEnd ends[CHART_ENDS];
    size_t end_count;
    size_t ends_left_out;
    const char *x_title;  // under the axis, or NULL
} ChartPanel;

typedef struct ChartCounts {
    size_t columns;  // pixel columns of the fullest raw line
    size_t clipped;  // raw points beyond the range
    size_t nan;      // raw points that are no number
    size_t walls;    // raw lines drawn as the band of the middle 90 % of each column
} ChartCounts;

// Draws the panel from y downwards, heading first, and returns the y below its tick labels. Counts
// are added up over the panels.
double chart_panel(Scene *scene, const ChartFrame *frame, const ChartPanel *panel, double y,
                   ChartCounts *counts);

// px of a step in the frame.
double chart_x(const ChartFrame *frame, int64_t step);

// Adds to a panel; more than fit are left out: lines and ends are counted, and the picture says so.
void chart_add_line(ChartPanel *panel, ChartLine line);
void chart_add_level(ChartPanel *panel, ChartLevel level);
// Ends are drawn apart, on two lines where there is room, else on one.
void chart_add_end(ChartPanel *panel, ChartEnd end);

#endif
