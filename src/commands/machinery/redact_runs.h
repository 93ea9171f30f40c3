// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_REDACT_RUNS_H
#define VERNIER_COMMANDS_MACHINERY_REDACT_RUNS_H

#include "base/redact.h"
#include "model/run/series.h"

// Leaves folders and hosts out of what runs were read from: files by their last name, events
// without the line of the log. The runs keep their names. The files cannot be opened by them
// afterwards. NULL: nothing is left out.
void redact_runs(Runs *runs, const Redaction *redaction, Arena *arena);

#endif
