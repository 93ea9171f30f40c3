// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LINE_PATTERN_H
#define VERNIER_READ_LOG_LINE_PATTERN_H

#include "base/line_scan.h"

// The form of a line as literal text with named numbers: "Epoch [{epoch}][{iter}/{total}]". A run
// of blanks stands for any number of blanks, "{{" for a brace; every other character stands for
// itself.

enum { PATTERN_FIELDS_MAX = 32 };

typedef struct PatternMatch {
    Str names[PATTERN_FIELDS_MAX];
    Figure figures[PATTERN_FIELDS_MAX];
    size_t count;
    size_t stop;  // where the rest of the line begins
} PatternMatch;

// True if the braces of the pattern are whole and each holds a name, at most PATTERN_FIELDS_MAX.
bool pattern_is_whole(Str pattern);

// True if the pattern has a field of that name.
bool pattern_names(Str pattern, const char *name);

// Finds the first place of the line that the pattern fits.
bool pattern_match(Str pattern, Str line, PatternMatch *out);

#endif
