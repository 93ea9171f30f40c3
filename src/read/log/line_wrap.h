// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LINE_WRAP_H
#define VERNIER_READ_LOG_LINE_WRAP_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

// A log that was copied from a terminal: lines are broken where its columns end, amid words and
// numbers.

// Joins them again if the text is such a one, and gives the columns it was broken at; 0, and `out`
// untouched, if it is none. A line keeps its number, empty ones follow it for those that it took
// in. Looks at three places of the text; only one that is joined is copied into the arena.
size_t text_unwrap(Str text, Arena *arena, Str *out);

#endif
