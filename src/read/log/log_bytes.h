// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LOG_BYTES_H
#define VERNIER_READ_LOG_LOG_BYTES_H

#include "base/file.h"

// The bytes of a log wherever it comes from: a file, mapped; "-", the standard input; a pipe of
// the shell; any of them compressed with gzip.

enum { LOG_STREAM_BYTES_MAX = 1 << 30 };

typedef struct LogBytes {
    File file;  // closed by log_bytes_close
    Str text;   // of the file or of the arena
} LogBytes;

// Streams and unpacked text beyond LOG_STREAM_BYTES_MAX are refused; a gzip stream that breaks off
// gives what stands before, with a partial notice.
bool log_bytes_open(const char *path, Arena *arena, LogBytes *out, Notices *notices, Error *err);
void log_bytes_close(LogBytes *bytes);

// True for "-" and for a pipe that the shell opened (/dev/fd/63, as <(command) gives). A named pipe
// is no stream: nobody may ever write into it.
bool log_bytes_is_stream(const char *path);

#endif
