// SPDX-License-Identifier: Apache-2.0
#include "renderers/svg_path.h"

#include <math.h>

int64_t svg_tenths(double value)
{
    return isfinite(value) && fabs(value) < 1e9 ? (int64_t)floor(value * 10 + 0.5) : 0;
}

// Where the pen is, in tenths, and the last verb written.
typedef struct Pen {
    int64_t x, y, start_x, start_y;
    char verb;
} Pen;

static void write_verb(Markup *to, Pen *pen, char verb)
{
    if (pen->verb != verb)
        markup_char(to, verb);
    pen->verb = verb;
}

void svg_write_pair(Markup *to, int64_t x, int64_t y, bool spaced)
{
    if (spaced && x >= 0)
        markup_char(to, ' ');
    markup_tenths(to, x);
    if (y >= 0)
        markup_char(to, ' ');
    markup_tenths(to, y);
}

static void write_line_to(Markup *to, Pen *pen, int64_t x, int64_t y)
{
    bool again;
    if (y == pen->y) {
        again = pen->verb == 'h';
        write_verb(to, pen, 'h');
        if (again && x >= pen->x)
            markup_char(to, ' ');
        markup_tenths(to, x - pen->x);
    } else if (x == pen->x) {
        again = pen->verb == 'v';
        write_verb(to, pen, 'v');
        if (again && y >= pen->y)
            markup_char(to, ' ');
        markup_tenths(to, y - pen->y);
    } else {
        again = pen->verb == 'l';
        write_verb(to, pen, 'l');
        svg_write_pair(to, x - pen->x, y - pen->y, again);
    }
}

// Relative steps between rounded points: short, and without a drift.
static void write_step(Markup *to, Pen *pen, const PathStep *step)
{
    int64_t x = svg_tenths(step->x);
    int64_t y = svg_tenths(step->y);
    switch (step->verb) {
    case PATH_MOVE:
        markup_char(to, 'M');
        svg_write_pair(to, x, y, false);
        pen->verb = 'M';
        pen->start_x = x;
        pen->start_y = y;
        break;
    case PATH_LINE:
        write_line_to(to, pen, x, y);
        break;
    case PATH_CURVE: {
        bool again = pen->verb == 'c';
        write_verb(to, pen, 'c');
        svg_write_pair(to, svg_tenths(step->x1) - pen->x, svg_tenths(step->y1) - pen->y, again);
        svg_write_pair(to, svg_tenths(step->x2) - pen->x, svg_tenths(step->y2) - pen->y, true);
        svg_write_pair(to, x - pen->x, y - pen->y, true);
        break;
    }
    case PATH_CLOSE:
        markup_char(to, 'z');
        pen->verb = 'z';
        x = pen->start_x;
        y = pen->start_y;
        break;
    }
    pen->x = x;
    pen->y = y;
}

void svg_write_steps(Markup *to, const PathShape *path)
{
    Pen pen = {0};
    for (size_t i = 0; i < path->count; i++)
        write_step(to, &pen, &path->steps[i]);
}
