// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_STUDY_STUDY_INIT_H
#define VERNIER_COMMANDS_STUDY_STUDY_INIT_H

#include "base/sink.h"
#include "read/settings/study_find.h"

// Writes what was found as a commented study.yaml. Paths stand as they were typed.
void study_init_write(const FoundItems *found, Arena *arena, Sink *out);

#endif
