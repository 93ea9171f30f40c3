// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LOG_WRAPPER_H
#define VERNIER_READ_LOG_LOG_WRAPPER_H

#include "base/arena.h"
#include "base/str.h"

// Logs that stand inside of something else.

// Lines of JSON with the printed line as a text in them: {"log": "…\n", "stream": …} of containers,
// {"message": …} of loggers, also in a "record". Gives the lines themselves, one a line of the
// file; what is no such object stays. False if the first object has no such text.
bool wrapper_unpack_json(Str text, Arena *arena, Str *out);

// One JSON array of such objects, as a cloud gives out what a job has printed: the lines, one an
// object. False if none has one.
bool wrapper_unpack_array(Str text, Arena *arena, Str *out);

// The first table of a Markdown text with a step or an epoch and a loss, a norm or a rate, as rows
// parted by tabs, each at its own line. Later tables of the same header that go on after its last
// step are added. `unread` is the line of the first such table that is left out, 0 where all are
// read. False if there is none.
bool wrapper_unpack_markdown(Str text, Arena *arena, Str *out, uint64_t *unread);

#endif
