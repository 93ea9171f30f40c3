// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_HISTORY_REPORTS_H
#define VERNIER_COMMANDS_HISTORY_REPORTS_H

#include "base/notice.h"
#include "trend/history/history_state.h"

// Reports that were kept as such, without --history: each is a nightly run.

// Whether the arguments are reports or folders of them.
bool history_reports_wanted(const Str *paths, size_t count, Arena *arena);

// Runs in the order of the paths, those of a folder of reports by their names; by command as
// Histories are. Of a comparison each pair is a thing; of other reports the verdict is the one
// thing. A report that cannot be read is a notice. `files`: how many were read.
bool history_reports_read(const Str *paths, size_t count, Arena *arena, Notices *notices,
                          Histories *out, size_t *files, Error *err);

#endif
