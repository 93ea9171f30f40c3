// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_VERDICT_HEAD_H
#define VERNIER_PICTURE_KIT_VERDICT_HEAD_H

#include "scene/report.h"
#include "scene/scene.h"

// The verdict on top of a picture that stands alone: chip, word, place, reason, context. Large
// enough that the first two lines are still read when the picture is shown 400 px wide. Long places
// and reasons go over lines; only what exceeds those is cut, in the middle.

// A picture never draws its verdict: on a page it stands once, above all pictures. This returns a
// copy of `picture` and of the pages that follow it under the verdict and a rule, and gives both
// the exact sentence as title, after what the picture is. The copy shares its texts
// with `picture`.
Scene *picture_with_verdict(Scene *picture, const Verdict *verdict, Arena *arena);

// The title alone, of all pages: what the picture is, which page, then the sentence; and what
// is in it, where the picture has no description of its own.
void picture_title(Scene *picture, Str sentence, Arena *arena);
// The same of one of several places whose sentence names none.
void picture_title_at(Scene *picture, int64_t step, int64_t rank, Str sentence, Arena *arena);
void picture_title_as(Scene *picture, Str kind, Str sentence, Arena *arena);

#endif
