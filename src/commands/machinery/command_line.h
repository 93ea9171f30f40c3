// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_COMMAND_LINE_H
#define VERNIER_COMMANDS_MACHINERY_COMMAND_LINE_H

#include "base/notice.h"
#include "base/redact.h"
#include "commands/machinery/options.h"

// The command as a shell would take it again: "vernier compare 'my dump' target". With a redaction
// without folders; NULL: as typed.
Str command_quote(const Options *options, const Redaction *redaction, Arena *arena);

// The same from words that were made fit for showing by command_argument.
Str command_join(const Str *words, size_t count, Arena *arena);
Str command_argument(const Redaction *redaction, Str argument, Arena *arena);

// Notes where both sides are one file or folder, by a path typed twice or a link: that they agree
// says nothing then.
void command_note_one_side(const char *golden, const char *target, Notices *notices);

#endif
