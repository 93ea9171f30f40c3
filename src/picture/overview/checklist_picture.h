// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_CHECKLIST_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_CHECKLIST_PICTURE_H

#include "scene/scene.h"
#include "verdict/checklist_verdict.h"

// The picture of two configurations: every setting as a chip by group.
void checklist_picture(const Checklist *list, Arena *arena, Scene *out);

// The same with what differs and what is advised against in rows below it: the first 16 of each;
// the tables hold all. `groups` is the picture before, whose texts are shared.
void checklist_picture_rows(const Scene *groups, Table *differs, Table *advice, Arena *arena,
                            Scene *out);

#endif
