// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_LABEL_SET_H
#define VERNIER_PICTURE_KIT_LABEL_SET_H

#include "base/arena.h"
#include "base/str.h"

// The names that one picture has cut so far, so that two different names do not become the same
// label. Starts zeroed. Quadratic in the names that are cut, which the rows of a page bound.

typedef struct CutLabel {
    Str name, shown;
} CutLabel;

typedef struct LabelSet {
    CutLabel *items;
    size_t count, capacity;
} LabelSet;

// `name` as text_fit cuts it, or cut at another place where another name was cut to the same text.
Str label_fit(LabelSet *set, Str name, double size, int weight, double width, Arena *arena);

#endif
