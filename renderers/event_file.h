// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_EVENT_FILE_H
#define VERNIER_RENDERERS_EVENT_FILE_H

#include <stdint.h>

#include "base/sink.h"

// TensorBoard event files: records with masked CRC-32C checks, each one protocol buffer of an
// Event. Scalars are written in the simple form, as 32-bit floats (docs/monitor.md).

typedef struct EventFile {
    Sink *out;
    double wall_time;
    Arena *arena;
    StrBuf event, summary;
} EventFile;

// Writes the version record. `wall_time` (seconds) is in every record, so that the same input
// gives the same bytes.
void event_file_begin(EventFile *file, Sink *out, double wall_time, Arena *arena);

void event_file_scalar(EventFile *file, Str tag, int64_t step, double value);

#endif
