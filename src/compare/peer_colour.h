// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_PEER_COLOUR_H
#define VERNIER_COMPARE_PEER_COLOUR_H

#include "compare/peer_verdict.h"

// Result and colours of generation 8 (spec/compare.md §4.2, §4.4, §5.1), defects included.

// Why a row has a message, in the order of the texts of its Err_message.
typedef enum PeerNote {
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
    PEER_NOTE_COUNT
} PeerNote;

typedef enum PeerColour { COLOUR_NONE, COLOUR_RED, COLOUR_YELLOW } PeerColour;

typedef struct PeerNoteInfo {
    const char *id;
    PeerColour colour;
    const char *text;  // to be translated
} PeerNoteInfo;
extern const PeerNoteInfo peer_notes[PEER_NOTE_COUNT];

// Result of one row, a constant text, empty where the peer says nothing.
const char *peer_result_8(const PeerRows *rows, const PeerRow *row, CompareMode mode,
                          const PeerMetrics *metrics);

// Sets hits (a bit for each PeerNote), colour and status of all rows. `metrics` has one item per row in
// tensor mode, else NULL. Linear in the rows.
void peer_rows_colour(PeerRows *rows, CompareMode mode, const PeerMetrics *metrics);

#endif
