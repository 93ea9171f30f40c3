// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_HISTORY_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_HISTORY_PICTURE_H

#include "scene/scene.h"
#include "verdict/history_text.h"

// The nights of one command as a picture: a row a layer (curve, object), a column a night, each
// cell its state; next to it a sparkline of each metric. Regressions and recoveries are marked
// above their night, numbered, and named below.

enum { HISTORY_ROWS_MAX = 40, HISTORY_COLUMNS_MAX = 400, HISTORY_EVENTS_SHOWN = 8 };

// Draws under the verdict. More things than rows: those that ever left the tolerance come first;
// the newest nights are shown. False, with an empty scene, if nothing was judged in any night.
bool history_picture(const HistoryView *view, Arena *arena, Scene *out);

#endif
