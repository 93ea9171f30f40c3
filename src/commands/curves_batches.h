// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_CURVES_BATCHES_H
#define VERNIER_COMMANDS_CURVES_BATCHES_H

#include "commands/machinery/options.h"
#include "trend/curves/judge_curves.h"

// --tokens DIR: which tokens the batches at spikes of the loss hold, a notice each; with --vocab
// FILE their text. Fails if one of the two cannot be read.
bool curves_batches_tell(const CurveFindings *report, const Options *options, Arena *arena,
                         Notices *notices, Error *err);

#endif
