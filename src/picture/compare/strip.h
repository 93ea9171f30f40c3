// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_STRIP_H
#define VERNIER_PICTURE_COMPARE_STRIP_H

#include "picture/compare/outline.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "scene/scene.h"

// The overview strip (icicle): depth down, execution order across, forward above backward, one pair
// of bands per micro step, and a band for what runs after the last backward op. A cell's fill is
// its own status; a line at its foot says that something below it is worse. Where cells get too
// narrow, a pixel column shows the worst status in it, so that no op is lost at any size.

// How the rows of a tree look. Looks are numbered from 1, worse ones higher: a bin shows the worst.
enum { STRIP_RANKS = 1 + 3 * STATUS_COUNT };
typedef struct StripLooks {
    const void *of;  // what the functions get
    int calm, loud;  // up to calm a narrow cell keeps its border; from loud on it has a tick above
    int (*rank)(const void *of, uint32_t row);   // of the row itself
    int (*below)(const void *of, uint32_t row);  // of the worst in it; 0: it is no worse than it
    Role (*foot)(const void *of, uint32_t row);  // of the line that says so, or ROLE_NONE
    StatusLook (*look)(int rank);
    Str (*title)(const void *of, uint32_t row, Arena *arena);
    bool (*crossed)(const void *of, uint32_t row);  // marked as NaN; NULL: none is
} StripLooks;

// The looks of a comparison's statuses.
StripLooks strip_statuses(const Outline *outline);

// Draws heading, bands and flags from y down; returns the base line of the legend. The picture's
// width is that of the scene. Linear in the tree; the number of items is bounded.
double strip_draw(Scene *scene, const Outline *outline, const Flags *flags, const StripLooks *looks,
                  double y);

// The legend of strip_statuses; returns the y below.
double strip_legend(Scene *scene, const Outline *outline, double y);
enum { STRIP_LEFT = PAGE_MARGIN + 126 };  // of the bands and the legend

// The chip of an op as a bit of `shown` of chip_legend.
uint32_t op_chip(const Comparison *comparison, const OpPair *pair);

// By what what is the same was compared, for chip_legend.
uint32_t same_chip(const Comparison *comparison);

// "Module.fc.Linear.forward.0 · error · in 0 → out 2.91e-05": the tooltip of a row.
Str row_title(const Outline *outline, uint32_t row, Arena *arena);

#endif
