// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_SIDES_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_SIDES_H

#include "commands/machinery/runner.h"

// Golden and the target as they were typed: by option, by order, or both in msProbe's compare.json,
// which then stand as the arguments in its place. ERR_USAGE where one is missing or one too many.
bool compare_sides_find(const CommandCall *call, Str paths[2]);

// Says where nothing pairs, where stages may be runs, and where both sides are one dump.
void compare_sides_note_pairs(const Str paths[2], const DumpPlaces *golden,
                              const DumpPlaces *target, const PlacePairs *places, Notices *notices);

#endif
