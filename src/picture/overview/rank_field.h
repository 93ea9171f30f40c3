// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_RANK_FIELD_H
#define VERNIER_PICTURE_OVERVIEW_RANK_FIELD_H

#include "compare/nonfinite/comm_ties.h"
#include "scene/scene.h"

// The field of ranks: ranks down, execution order across, the clocks set even where ranks
// communicate. One sees where an error or a NaN starts and by which communication it reaches which
// ranks.

typedef struct FieldRow {
    size_t trail;      // its number on the clock
    Str letters;       // of its ops, as compare/op_profile.h says; empty: the dump is not readable
    uint32_t start;    // op at which the trouble starts on this rank, from 1; 0: it does not
    int disc;          // of the start; 0: none
    uint32_t arrival;  // op at which it arrives from another rank, from 1; 0: it does not
    Str stage, group;  // of rows that are drawn together, or empty
    Str note;          // at the right, or empty
    Str link;          // the file next to the picture that shows the rank, or empty
} FieldRow;

typedef struct FieldHop {
    Str label;  // of the communication
    uint64_t time;
    size_t from, first,
        last;  // rows: the giving one, the outermost that it reaches; SIZE_MAX: none
} FieldHop;

typedef struct RankField {
    const Trail *trails;
    const CommClock *clock;
    FieldRow *rows;
    size_t row_count;
    const FieldHop *hops;
    size_t hop_count;
    const char *calm, *worst;  // words of the key for these letters, translated
} RankField;

// The number of the trail of a rank, of trails in the order of their ranks; SIZE_MAX: none.
size_t rank_field_trail(const Trail *trails, size_t count, int64_t rank);

// Puts rows of one pipeline stage next to each other, stages in the order of the pipeline, and in
// them rows that share the collective that a rank calls most. A rank is of the first stage if it
// sends before it receives. Where no call tells of a stage or group nothing is moved.
// `place_of` gets by number of the trail its row.
void rank_field_group(RankField *field, Arena *arena, size_t *place_of);

// Draws the field from y on; returns where it ends. Many rows that follow each other and are equal
// share a line. Linear in rows and calls but for logarithms.
double rank_field_draw(Scene *scene, const RankField *field, double y);

// The field for the script of a page (templates/field.js), lines: the end of the clock; then by row
// rank, ops, link, stage, number of the group, runs of letters ("12b": 12 of the second of
// ".=0123456789"), " op:shift" where the clock goes on ahead of the op, a bar between them. Empty
// where it has more than FIELD_BYTES.
enum { FIELD_BYTES = 400000 };
Str rank_field_text(const RankField *field, Arena *arena);

#endif
