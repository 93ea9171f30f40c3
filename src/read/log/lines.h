// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LINES_H
#define VERNIER_READ_LOG_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "read/log/line_prefix.h"
#include "read/log/log_words.h"

// The lines of a text as a program printed it: broken at LF, CR LF and lone CR (progress bars),
// without escape sequences.

enum { LINE_BYTES_MAX = 1 << 20 };

typedef struct Lines {
    Str text;
    uint64_t line;        // number of the line just given, from 1, counted at line feeds
    uint64_t long_line;   // the first line over LINE_BYTES_MAX, 0 without one
    uint64_t long_count;  // how many; they are skipped
    bool continued;       // the line just given ended in a lone CR: the bar is drawn again
    size_t at, feed, carriage, escape;  // the next of these bytes
    uint64_t next_line;
    LinePrefix prefix;      // that is dropped in front of each line
    Str dropped;            // of the line just given
    const LogWords *words;  // its words of training are given in English; NULL: they are
    Arena *arena;
    char *scratch, *english;
    size_t capacity, english_capacity;
    StrBuf object;     // that was joined last
    size_t no_object;  // none begins before here
} Lines;

// `text` stays borrowed.
void lines_open(Lines *lines, Str text, Arena *arena);

// The next line, which may be empty; valid until the next call. False at the end.
bool lines_next(Lines *lines, Str *out);

// Where several processes print the same lines next to each other, but for few that one prints
// alone: how many, and the text of one of them; 0: there are no such.
uint64_t text_unfold(Str text, Arena *arena, Str *out, uint64_t *left_out);

// The whole text without escape sequences.
Str text_without_escapes(Str text, Arena *arena);

// True if an object over several lines begins with the line just given, "{'loss': 1.5," to
// " 'step': 1}": *line becomes the whole of it, on one line, and lines_next goes on after it. One
// with a line of another kind between its own, such as a record, is none: its lines come singly.
bool lines_join_object(Lines *lines, Str *line);

// What a program prints: as UTF-8, without escape sequences and without what a runtime puts in
// front of every line. What has none of these is given as it is.
Str text_plain(Str bytes, Arena *arena);

#endif
