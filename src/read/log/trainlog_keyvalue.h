// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_TRAINLOG_KEYVALUE_H
#define VERNIER_READ_LOG_TRAINLOG_KEYVALUE_H

#include "read/log/line_pairs.h"
#include "read/log/trainlog.h"

// Stores the pairs of a line as a record of the log's part at `x`: the measures, and what is marked
// as a value. `evaluation` gives losses the name "eval_…" and times none. Keys of the counters are
// left out by the names of series. True if the line is taken.
bool pairs_store(TrainLog *log, const char *format, int64_t x, bool evaluation, const Pair *pairs,
                 size_t count);

// True if a pair is a measure of training; `*evaluation` if one is the loss of an evaluation.
bool pairs_measure(const Pair *pairs, size_t count, bool *evaluation);

// True if a word in front of what the line measures says that it is of an evaluation: "valid step
// 10: loss", "Test epoch 3", "| Validation |". Where all records say so the word is no phase.
bool pairs_are_evaluation(const TrainLog *log, Str line, const Pair *pairs, size_t count);

// Takes a line, or a box over several, by its pairs alone: the step is among them, stands above, or
// is numbered. False if they are no record.
bool pairs_take(TrainLog *log, const Pair *pairs, size_t count);
// The step of a record of training at that place, whose epoch the lines above may say; it ends what
// is of an evaluation or of a heading. False without a counter.
bool pairs_step(TrainLog *log, LogPlace place, int64_t *x);
// The lines below belong to that place.
void pairs_head(TrainLog *log, const LogPlace *place);

#endif
