// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_EVENT_RECORDS_H
#define VERNIER_READ_LOG_EVENT_RECORDS_H

#include "base/notice.h"
#include "read/log/log_part.h"

// TensorBoard event files: framed records with checksums, each one Event message
// (docs/spec/curves.md §3.2).

// Adds one part with a series for each tag of scalars. A file that ends inside a record is read up
// to its last whole one; a wrong checksum or a broken message ends the reading with a partial
// notice. Fails if not one record is whole.
bool event_file_read(const char *path, Str bytes, Arena *arena, Parts *out, Notices *notices,
                     Error *err);

#endif
