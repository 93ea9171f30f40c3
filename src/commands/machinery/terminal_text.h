// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_TERMINAL_TEXT_H
#define VERNIER_COMMANDS_MACHINERY_TERMINAL_TEXT_H

#include <stddef.h>
#include <stdio.h>

// How wide the terminal is; COLUMNS of the environment stands before it. 80 where nothing says it.
size_t terminal_columns(int handle);

// Prints the text and the end of its line to `out`, at the column `indent`; `taken` columns of the
// line are printed already, and if that is more it stands on the next line. On a terminal lines are
// as wide as this is, further left where that leaves no room; elsewhere it is one line, to be
// searched.
void terminal_print(FILE *out, size_t taken, size_t indent, const char *text);

#endif
