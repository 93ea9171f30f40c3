// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_TOKENS_STEPS_H
#define VERNIER_COMMANDS_TOKENS_STEPS_H

#include "compare/token/token_course.h"
#include "read/token/token_file.h"

// Files of one step each in a folder, or in two folders under the same names: the number after
// "step" is that of the step, else the first of the name.

typedef struct TokenFolder {
    const char *folders[2];  // [1] NULL: both sides are in each file
    TokenAsk ask;
    double limit;
    uint64_t bytes, tokens;  // of all files
} TokenFolder;

// Compares every step; a file that cannot be read costs itself. Fails if none can.
bool token_steps_read(TokenFolder *folder, Arena *arena, TokenCourse *out, Notices *notices,
                      Error *err);

#endif
