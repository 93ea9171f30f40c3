// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_CHECK_OPTIONS_H
#define VERNIER_COMMANDS_CHECK_OPTIONS_H

#include "commands/check_config.h"
#include "compare/invariant/expect.h"
#include "read/settings/parallel_layout.h"

// What the user wants of `vernier check` next to its input.

typedef struct CheckOptions {
    Str *skip;      // by law: why it is not checked, or empty
    bool laid_out;  // --layout was given:
    ParallelLayout layout;
    int64_t copies;  // its dp; 0: not told
    double tolerance, rate;
    Expects expects;  // of --expect, then of the configuration
    CheckConfig config;
} CheckOptions;

bool check_options_read(const Options *options, Arena *arena, CheckOptions *out, Error *err);

// An error of the parser of --parallel-merge becomes one of --layout. False, to be returned.
bool check_options_name(Error *err);

#endif
