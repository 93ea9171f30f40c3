// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMMAND_TABLE_H
#define VERNIER_COMMANDS_COMMAND_TABLE_H

#include <stdbool.h>

#include "commands/machinery/options.h"

// Every command in the order of the overview: the help, the manual pages and the completions of the
// shells are made from this table and from the option tables of its rows.

typedef struct Command {
    const char *name;
    const CommandSpec *spec;  // NULL: makes no product and has no options
    const char *purpose;      // TR: one line
    const char *words;        // "a FILE|b": its arguments, where there is no spec; or NULL
} Command;

extern const Command command_table[];
extern const size_t command_table_count;

// What --format knows next to the renderers; NULL ends it.
extern const char *const data_formats[];

// NULL for an unknown name.
const Command *command_find(const char *name);

// What comes after the name in a synopsis, or NULL. *optional: it may be left out, as all but a
// word of a list may after a command without options.
const char *command_words(const Command *command, bool *optional);

#endif
