// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MSPROBE_MSPROBE_COLOUR_H
#define VERNIER_COMPARE_MSPROBE_MSPROBE_COLOUR_H

#include "compare/msprobe/msprobe_verdict.h"

// Result and colours of generation 8 (docs/spec/compare.md §4.2, §4.4, §5.1), defects included.

// Why a row has a message, in the order of the texts of its Err_message.
typedef enum MsprobeNote {
    NOTE_REQGRAD,   // requires_grad differs (tensor mode and rows without partner)
    NOTE_NO_BENCH,  // no partner
    NOTE_NO_FILE,   // the situations of tensor mode
    NOTE_BAD_FILE,
    NOTE_EMPTY,
    NOTE_SHAPES,
    NOTE_NO_EXTENT,
    NOTE_NONFINITE_PLACES,
    NOTE_DTYPES,
    NOTE_CHECK,      // a statistic is off by more than half of the larger side
    NOTE_NONFINITE,  // red: Max or Min is infinite
    NOTE_HUGE,       // red: the difference is above 1e10
    NOTE_RATIO_RED,
    NOTE_RELATIVE_RED,
    NOTE_RATIO_YELLOW,
    NOTE_COSINE_YELLOW,
    NOTE_RELATIVE_YELLOW,
    NOTE_MAGNITUDE_YELLOW,
    NOTE_REQGRAD_YELLOW,
    MSPROBE_NOTE_COUNT
} MsprobeNote;

typedef enum MsprobeColour { COLOUR_NONE, COLOUR_RED, COLOUR_YELLOW } MsprobeColour;

typedef struct MsprobeNoteInfo {
    const char *id;
    MsprobeColour colour;
    const char *text;  // to be translated
} MsprobeNoteInfo;
extern const MsprobeNoteInfo msprobe_notes[MSPROBE_NOTE_COUNT];

// Result of one row, a constant text, empty where msProbe says nothing.
const char *msprobe_result_8(const MsprobeRows *rows, const MsprobeRow *row, CompareMode mode,
                             const MsprobeMetrics *metrics);

// Sets hits (a bit for each MsprobeNote), colour and status of all rows. `metrics` has one item per
// row in tensor mode, else NULL. Linear in the rows.
void msprobe_rows_colour(MsprobeRows *rows, CompareMode mode, const MsprobeMetrics *metrics);

#endif
