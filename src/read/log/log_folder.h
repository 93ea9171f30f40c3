// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LOG_FOLDER_H
#define VERNIER_READ_LOG_LOG_FOLDER_H

#include "base/arena.h"
#include "base/file.h"

// Which files of a folder may be logs: an output folder also holds texts, pictures,
// configurations, weights and the reports of this program.

// By its name: texts for people, pictures, programs, archives, configurations are none.
bool log_folder_may_hold(Str name);

// True for a folder that this program has reported into: its summary.json says so.
bool log_folder_is_report(const char *path, Arena *arena);

#endif
