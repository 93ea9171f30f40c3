// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_FIELD_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_FIELD_PICTURE_H

#include "compare/pair_facts.h"
#include "scene/scene.h"

// The field of ranks: ranks down, execution order across, the clocks set even where ranks
// communicate; colour the error of an op. One sees where an error starts and by which
// communication it reaches which ranks.

typedef struct FieldView {
    const PairFacts *pairs;
    const Str *links;  // by pair: file next to the picture that shows it, or empty
    size_t count;
    size_t origin;  // the pair in which the divergence starts
} FieldView;

enum { FIELD_RANKS = 4 };  // from so many on there is a field

// False, and nothing drawn, where the step of the origin has fewer ranks or none of them differs
// from another. `data` gets the same for the script of a page (rank_field_text). Linear in ranks
// and calls but for logarithms.
bool field_picture(const FieldView *view, Arena *arena, Scene *out, Str *data);

#endif
