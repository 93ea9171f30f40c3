// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TABLE_EVENT_STREAM_H
#define VERNIER_READ_TABLE_EVENT_STREAM_H

#include "base/line_scan.h"
#include "base/notice.h"

// The scalars of a TensorBoard event file: framed records with checksums, each one Event message
// (docs/spec/curves.md §3.2).
//
//     EventStream stream = {.bytes = bytes};
//     while (event_stream_next(&stream))
//         while (event_stream_value(&stream, &tag, &figure)) … stream.step …

typedef enum EventState { EVENT_GOOD, EVENT_CUT, EVENT_BAD } EventState;

typedef struct EventStream {
    Str bytes;
    size_t at, size;   // the record at work, and where reading stopped
    EventState state;  // EVENT_CUT: the file ends inside a record; EVENT_BAD: a damaged one
    uint64_t count;    // of whole records before it
    int64_t step;
    double time;  // seconds since 1970; NaN: not recorded
    Str summary;  // what is left of the event
} EventStream;

// True if the bytes begin with a record whose length has the right checksum.
bool event_stream_is(Str bytes);
bool event_stream_next(EventStream *stream);
// The next scalar of the event; other values are passed over. `tag` is part of the bytes.
bool event_stream_value(EventStream *stream, Str *tag, Figure *figure);
// Says where the records broke off, if they did.
void event_stream_report(const EventStream *stream, const char *path, Notices *notices);

#endif
