// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_SINK_H
#define VERNIER_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// Where output goes: a file that appears whole or not at all, memory, or standard output. Writing
// never reports an error at once; sink_commit does.
typedef struct Sink Sink;

// A temporary file next to `path`, renamed over it by sink_commit and removed by sink_discard. An
// existing symbolic link at `path` is replaced, not followed.
Sink *sink_file(const char *path, Error *err);  // NULL on failure
Sink *sink_stdout(void);
Sink *sink_memory(Arena *arena);

void sink_write(Sink *sink, const void *bytes, size_t size);
void sink_str(Sink *sink, Str text);
void sink_text(Sink *sink, const char *text);
void sink_printf(Sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

// For libraries that write a file by name: the path of the temporary file. Only for sink_file
// sinks, and only before anything was written through the sink; NULL otherwise.
const char *sink_path(Sink *sink);

// Ends the output and frees the sink. False with the reason if any write failed; the old file is
// kept then.
bool sink_commit(Sink *sink, Error *err);

// For sink_memory: the bytes so far, in its arena.
Str sink_bytes(const Sink *sink);

// Gives up the output: nothing appears. Frees the sink; NULL is allowed.
void sink_discard(Sink *sink);

// Removes the temporary files of all open sinks; safe to call from a signal handler.
void sink_remove_all_temporary(void);
// The same of another file, from here on; gives its place for sink_keep_at_end, or -1.
int sink_remove_at_end(const char *path);
void sink_keep_at_end(int place);

// Removes the temporary files that processes which were killed left in the folder: those of this
// user, which no living process holds, and whose files `is_own` knows by name.
void sink_remove_abandoned(const char *folder, bool (*is_own)(void *context, Str name),
                           void *context);

// Makes the folder and its parents.
bool folder_make(const char *path, Error *err);

#endif
