// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LINE_GUESS_H
#define VERNIER_READ_LOG_LINE_GUESS_H

#include "base/arena.h"
#include "base/str.h"

// A pattern (line_pattern.h) to begin with for a line that no dialect takes: its first number with
// a point is {loss}, the whole number before it {step}; times and dates are neither. Empty: the
// line has no such number.
Str line_guess(Str line, Arena *arena);

#endif
