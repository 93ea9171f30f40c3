// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LOG_TIME_H
#define VERNIER_READ_LOG_LOG_TIME_H

#include <stdbool.h>

#include "base/str.h"

// The times that logs print, in seconds (docs/spec/curves.md §4.1). Time zones are not looked at:
// only differences within a run and the order of its files count.

// The first "2025-05-06 07:00:01", with a T as well and with ".123" or ",123" after it, of the
// first 128 bytes of a line, as seconds since 1970; NaN if there is none. `*place` is where the
// line before had it (0 at the start) and is looked at first.
double log_time(Str line, size_t *place);

// A duration: "1:02:03", "02:03", "2 days, 1:02:03", "1d 2h 3m 4s".
bool duration_of_text(Str text, double *seconds);

#endif
