// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_SHELL_MAN_PAGE_H
#define VERNIER_COMMANDS_SHELL_MAN_PAGE_H

// vernier man [COMMAND]: prints a manual page (man(7)) in the language of the run. NULL: the page
// of the program itself. Returns the exit code: 2 for a command that has no page.
int command_man(const char *name);

#endif
