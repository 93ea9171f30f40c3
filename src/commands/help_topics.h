// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_HELP_TOPICS_H
#define VERNIER_COMMANDS_HELP_TOPICS_H

#include <stddef.h>

// Lists that `vernier help` and the manual pages share.
typedef struct HelpEntry {
    const char *term;
    const char *text;  // TR
} HelpEntry;

extern const HelpEntry exit_codes[];
extern const size_t exit_code_count;

// A row each, the texts behind terms of at most `width` columns.
void help_print_entries(const HelpEntry *entries, size_t count, int width);

// vernier help exit, vernier help formats; they give the exit code.
int command_help_exit(void);
int command_help_formats(void);

#endif
