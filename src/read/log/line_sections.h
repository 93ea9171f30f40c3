// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LINE_SECTIONS_H
#define VERNIER_READ_LOG_LINE_SECTIONS_H

#include "read/log/line_pairs.h"

// Training and evaluation on one line: "Epoch 1 | Train: loss 2.5 acc 0.5 | Val: loss 2.7 acc 0.4",
// where a word in front of several pairs says what they are of.

// True for "valid", "Test", "eval", …
bool is_evaluation_word(Str word);

// What the words of a text say that follows is of; the last one counts, none leaves it as it was.
typedef enum LinePhase { PHASE_NONE, PHASE_TRAINING, PHASE_EVALUATION } LinePhase;
LinePhase line_phase(Str text, LinePhase before);

// What a line that is no record says of those below it: "Running validation...", "Train:",
// "== Evaluation ==", whatever a logger puts in front. Words that are of no heading make it none:
// "Validation set: 500 samples". An evaluation ends where a line speaks of training or begins an
// epoch, too.
typedef enum LineHeading {
    HEADING_NONE,
    HEADING_TRAINING,
    HEADING_EVALUATION,
    HEADING_END,
} LineHeading;
LineHeading line_heading(Str line);

// True if a measure stands twice, of training and of an evaluation. The pairs of the evaluation go
// to `evaluation`, all others to `training`.
bool line_sections(Str line, const Pair *pairs, size_t count, Pair training[PAIRS_MAX],
                   size_t *training_count, Pair evaluation[PAIRS_MAX], size_t *evaluation_count);

#endif
