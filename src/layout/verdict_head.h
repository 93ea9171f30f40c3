// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_VERDICT_HEAD_H
#define VERNIER_LAYOUT_VERDICT_HEAD_H

#include "scene/report.h"
#include "scene/scene.h"

// The verdict on top of every picture: chip, word, place, reason, context. Large enough that the
// first two lines are still read when the picture is shown 400 px wide. Long places and reasons go
// over lines; only what exceeds those is cut, in the middle. The exact sentence becomes the title
// of the scene.

// Draws from the top of `scene` and returns the y where the next section's rule belongs. A verdict
// without a word gives only the title, and 0: on a page the verdict stands above the pictures.
double verdict_head(Scene *scene, const Verdict *verdict, double margin);

// "page 2 of 3" in the upper right corner; nothing when there is one page. `page` counts from 0.
void page_number_draw(Scene *scene, double margin, size_t page, size_t pages);

// The horizontal rule between sections; none at the top of a picture.
void section_rule(Scene *scene, double margin, double y);

// A section's heading with its explanation on the same base line.
void section_heading(Scene *scene, double x, double y, float size, Str heading, Str note);

#endif
