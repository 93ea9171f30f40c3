// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMMAND_LINE_H
#define VERNIER_COMMANDS_COMMAND_LINE_H

#include "base/redact.h"

// The command as a shell would take it again: "vernier compare 'my dump' target". With a redaction
// without folders; NULL: as typed.
Str command_quote(int argc, char **argv, const Redaction *redaction, Arena *arena);

#endif
