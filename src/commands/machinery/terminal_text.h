// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_TERMINAL_TEXT_H
#define VERNIER_COMMANDS_MACHINERY_TERMINAL_TEXT_H

#include <stddef.h>

// How wide the terminal is; COLUMNS of the environment stands before it. 80 where nothing says it.
size_t terminal_columns(int handle);

// Prints the text and the end of its line to standard output, behind `taken` columns. On a terminal
// lines are as wide as this is, those that follow begin behind `indent` blanks; elsewhere it is one
// line, to be searched.
void terminal_print(size_t taken, size_t indent, const char *text);

#endif
