// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_SHELL_WORD_H
#define VERNIER_BASE_SHELL_WORD_H

#include "base/arena.h"
#include "base/str.h"

// One word for a shell, in quotes where it needs them: "dump", "'my dump'", "'it'\''s'". In `arena`
// or the text itself.
Str shell_word(Str text, Arena *arena);
const char *shell_word_of(const char *text, Arena *arena);

// The line that a message proposes: "vernier curves 'my log.csv' b.csv". A NULL ends the words.
const char *shell_line(Arena *arena, const char *command, ...) __attribute__((sentinel));

#endif
