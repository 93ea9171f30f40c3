// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LINE_GUESS_H
#define VERNIER_READ_LOG_LINE_GUESS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// Gives the error a hint, and false: a pattern (line_pattern.h) to begin with for a line that no
// dialect takes. Its first number with a point is {loss}, the whole number before it {step}; times,
// rates and dates are neither. Where the line has no such number, or is empty, how one looks.
// Of lines of `text`, which may be empty, it says how many the pattern fits; one that fits none is
// not proposed.
bool line_guess_hint(Str line, Str text, Arena *arena, Error *err);

#endif
