// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RUN_JUDGED_LOSS_H
#define VERNIER_MODEL_RUN_JUDGED_LOSS_H

#include "model/run/series.h"

// Which series of a run its verdict speaks of. Trainers name the loss in many ways: it is called
// "loss" from here on, and its printed name is kept.

// Finds the loss of the parts of one run and calls it "loss": the one of that name, then the usual
// names of a total in a fixed order, then a single series with "loss" in its name. `wanted` (or
// empty) is the name that the user gave. Returns the printed name, or an empty one: a run of part
// losses only, of an evaluation only, or without any.
Str judged_loss_choose(const Parts *parts, Str wanted, Arena *arena);

// The series of one part that would be chosen, or NULL; no name changes.
const PartSeries *judged_loss_in(Part *part);

// What a verdict may rest on: the loss, the part losses of a run without a whole one, the loss of
// the evaluation of a run without any.
typedef enum JudgedLoss { JUDGED_WHOLE, JUDGED_PARTS, JUDGED_EVALUATION } JudgedLoss;
JudgedLoss judged_loss_of(const Run *run);
bool judged_loss_has(JudgedLoss kind, Str series);
// The loss of one process that differs lastingly from that of the others: "loss.rank3".
bool judged_loss_is_of_rank(Str name);

// What summary.json calls the judged series: their names, joined by ", "; empty without any.
Str judged_loss_names(const Run *run, Arena *arena);

#endif
