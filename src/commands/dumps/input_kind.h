// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_DUMPS_INPUT_KIND_H
#define VERNIER_COMMANDS_DUMPS_INPUT_KIND_H

#include <stdbool.h>

#include "base/error.h"

// What a file or folder holds, by its content and names, whichever command it was given to.

typedef enum InputKind {
    INPUT_NONE,
    INPUT_DUMP,
    INPUT_WEIGHTS,
    INPUT_TENSOR,  // one array: a tensor or log-probabilities
    INPUT_LOG,
    INPUT_MONITOR,
    INPUT_CONFIG,
    INPUT_COMPARE,
    INPUT_TOKENS,
    INPUT_PRECHECK,
    INPUT_SUMMARY,
    INPUT_HISTORY,
    INPUT_KINDS
} InputKind;

// "a dump", in the language of the run.
const char *input_kind_name(InputKind kind);

// The command that reads one, two and more of the kind; NULL: none, or several.
const char *input_kind_command(InputKind kind, int count);

// Those that read it, with commas; empty: none.
const char *input_kind_choices(InputKind kind);

// Of what is there; an archive must be open.
InputKind input_kind_of(const char *path);

// The same before a command runs. An archive is opened for the look alone: the command opens it
// anew and tells what is wrong there. False, with *err set: it cannot be.
bool input_kind_find(const char *path, InputKind *out, Error *err);

#endif
