// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LOG_BYTES_H
#define VERNIER_READ_LOG_LOG_BYTES_H

#include "base/file.h"

// The bytes of a log: of a file, mapped, or what gzip packed in it.

enum { LOG_STREAM_BYTES_MAX = 1 << 30 };

typedef struct LogBytes {
    File file;  // closed by log_bytes_close
    Str text;   // of the file or of the arena
} LogBytes;

// Unpacked text beyond LOG_STREAM_BYTES_MAX is refused; a gzip stream that breaks off
// gives what stands before, with a partial notice.
bool log_bytes_open(const char *path, Arena *arena, LogBytes *out, Notices *notices, Error *err);
void log_bytes_close(LogBytes *bytes);

#endif
