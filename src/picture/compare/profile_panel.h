// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_PROFILE_PANEL_H
#define VERNIER_PICTURE_COMPARE_PROFILE_PANEL_H

#include "picture/compare/outline.h"
#include "picture/kit/error_axis.h"
#include "scene/scene.h"

// One panel of an error profile: the ops of one section.

// What is drawn of an op: its place in Comparison.ops and the row that it belongs to.
typedef struct ProfileOp {
    uint32_t op, row;
    ErrorMark in, out;
} ProfileOp;

typedef struct ProfileOps {
    ProfileOp *items;
    size_t count, capacity;
} ProfileOps;

typedef struct ProfilePanel {
    Scene *scene;
    const Outline *outline;
    const Flags *flags;
    const Section *section;
    ProfileOps ops;
    double x, width, y, height;  // of the plot
    double column;               // px: narrower columns are joined into ones of this width
    ErrorAxis axis;              // vertical
} ProfilePanel;

// The ops of a section in execution order.
void profile_collect(const Outline *outline, const Section *section, Arena *arena, ProfileOps *out);

bool profile_is_joined(const ProfilePanel *panel);  // columns hold several ops
void profile_panel_draw(const ProfilePanel *panel);

#endif
