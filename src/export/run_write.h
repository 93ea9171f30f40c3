// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_RUN_WRITE_H
#define VERNIER_EXPORT_RUN_WRITE_H

#include "base/sink.h"
#include "model/run/series.h"

// Writes the series of a run as JSON Lines: an object a step, {"step": 1, "loss": 10.7}; a series
// without a value there is left out, NaN and infinities are texts.
void run_write_lines(const Run *run, Sink *out);

#endif
