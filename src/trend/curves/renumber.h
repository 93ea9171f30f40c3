// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_RENUMBER_H
#define VERNIER_TREND_CURVES_RENUMBER_H

#include "base/notice.h"
#include "model/run/series.h"

// Other steps for the records of runs whose counters do not say the same, each told.

// Where records carry no step: those after a start from a checkpoint, whose epochs fall to what
// the log has printed before, take the numbers of the records they overtake; a run whose epochs
// stand elsewhere in golden is put there; else records whose losses fit another run's in their
// order are given its steps. Trainers count from 0 or from 1: where a run begins one step off
// golden and the losses fit when they are put next to each other, it is moved to golden's steps.
void align_first_steps(Runs *runs, Arena *arena, Notices *notices);

#endif
