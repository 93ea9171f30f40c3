// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_MONITOR_INSPECT_LOG_H
#define VERNIER_READ_MONITOR_INSPECT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

// Statistics logs of NVIDIA-DL-Framework-Inspect, which TransformerEngine and Megatron write: a
// statistic a line, "INFO - decoder.1.mlp.fc1_activation_max \t iteration=000002 \t value=4.3188".

#define INSPECT_KIND   "inspect"
#define INSPECT_FOLDER "nvdlfw_inspect_statistics_logs"

// "nvdlfw_inspect_globalrank-3.log": the rank.
bool inspect_log_name(Str name, int64_t *rank);
bool inspect_log_is(Str text);  // whatever it is called: by its first line

// The log as a monitor's table, in `arena`: a row a layer, tensor and iteration in the order in
// which they came first, with columns name, step, scope (the tensor) and a column a statistic (the
// first 64; l2_norm is called norm, as elsewhere). Of a statistic that comes again the last value
// stands. Lines of another form are passed over; those whose value is no number are counted. Empty
// if no line is one.
Str inspect_log_table(Str text, Arena *arena, uint64_t *bad, uint64_t *bad_line);

#endif
