// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_INPUT_KIND_H
#define VERNIER_COMMANDS_MACHINERY_INPUT_KIND_H

#include <stdbool.h>

#include "commands/machinery/options.h"

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
    INPUT_SCORES,
    INPUT_CHECKSUMS,
    INPUT_SUMMARY,
    INPUT_HISTORY,
    INPUT_WORKBOOK,
    INPUT_PICTURE,
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

// Whether it is a summary.json of vernier, or a folder that holds one; a few kilobytes are read.
bool input_kind_is_report(const char *path, Arena *arena);

// The same before a command runs. An archive is opened for the look alone: the command opens it
// anew and tells what is wrong there. False, with *err set: it cannot be.
bool input_kind_find(const char *path, InputKind *out, Error *err);

// Refuses, before a command reads it, an argument whose first bytes are those of a format that the
// command does not read: a picture is called a picture, not broken JSON. ERR_INPUT.
bool input_kind_expected(const Options *options, Arena *arena, Error *err);

// After a refusal of an argument that the command does not read: what it holds, and the line to
// type for it. False, as error_hint.
bool input_kind_hint(const Options *options, Arena *arena, Error *err);

// The same where nothing of it could be compared, as a notice of each argument.
void input_kind_note(const Options *options, Notices *notices);

#endif
