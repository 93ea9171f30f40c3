// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_SHELL_WORD_H
#define VERNIER_BASE_SHELL_WORD_H

#include "base/arena.h"
#include "base/str.h"

// One word for a shell, in quotes where it needs them: "dump", "'my dump'", "'it'\''s'". In `arena`
// or the text itself.
Str shell_word(Str text, Arena *arena);
const char *shell_word_of(const char *text, Arena *arena);

// The line that a message proposes: SHELL_LINE(arena, "curves", a, b) is
// "vernier curves 'my log.csv' b.csv". Without a command (NULL) the words follow at once.
#define SHELL_LINE(arena, command, ...) \
    shell_line((arena), (command), (const char *const[]){__VA_ARGS__, NULL})
const char *shell_line(Arena *arena, const char *command, const char *const *words);

#endif
