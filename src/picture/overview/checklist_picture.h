// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_CHECKLIST_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_CHECKLIST_PICTURE_H

#include "scene/scene.h"
#include "verdict/checklist_verdict.h"

// The picture of two configurations: every setting as a chip by group, what differs and what is
// advised against in rows (the first 16 of each; the tables hold all). A verdict without a word
// draws no head. Both tables are read again for every picture; NULL: the groups alone.
void checklist_picture(const Checklist *list, Table *differs, Table *advice, Arena *arena,
                       Scene *out);

#endif
