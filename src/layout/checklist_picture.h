// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_CHECKLIST_PICTURE_H
#define VERNIER_LAYOUT_CHECKLIST_PICTURE_H

#include "layout/checklist_report.h"
#include "scene/scene.h"

// The picture of two configurations: every setting as a chip by group, what differs and what is
// advised against in rows (the first 16 of each; the tables hold all). A verdict without a word
// draws no head. `tables` is read again for every picture; NULL: the groups alone.
void checklist_picture(const Checklist *list, ChecklistTables *tables, const Verdict *verdict,
                       Arena *arena, Scene *out);

#endif
