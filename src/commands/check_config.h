// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_CHECK_CONFIG_H
#define VERNIER_COMMANDS_CHECK_CONFIG_H

#include "commands/machinery/options.h"
#include "compare/invariant/meant.h"

// The configuration of the run that `vernier check` looks at: files of --run-config, or what stands
// next to the dump.

typedef struct CheckConfig {
    Meants meants;
    Str *told;  // what is left out and why, translated
    size_t told_count, told_capacity;
} CheckConfig;

// Fails where a file of --run-config cannot be read. One that is found is taken where it is the
// only one of its kind next to the dump, or in the folder above where that holds no other run.
bool check_config_read(const Options *options, Arena *arena, CheckConfig *out, Error *err);
void check_config_tell(const CheckConfig *config, Notices *notices);

#endif
