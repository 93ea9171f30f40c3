// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TABLE_CSV_FILE_H
#define VERNIER_READ_TABLE_CSV_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/notice.h"
#include "base/str.h"

// A table of text, row by row, with columns found by name: CSV, TSV, semicolons or blanks. Rows end
// at LF, CR LF or a lone CR; cells may be quoted, with "" for a quote and with line ends inside.
// Holds one row at a time, so memory does not grow with the file.
//
//     Csv csv;
//     csv_open(&csv, path, text, ',', arena);
//     if (csv_next(&csv)) csv_take_header(&csv);
//     int step = csv_column(&csv, "step");
//     while (csv_next(&csv)) … csv_cell(&csv, step) …
//     csv_report(&csv, notices);

enum { CSV_CELLS_MAX = 16384, CSV_QUOTED_BYTES_MAX = 1 << 20 };

typedef struct Csv {
    const char *path;
    char separator;  // ' ' stands for a run of blanks and tabs

    // The header, once taken. Names are copies.
    const Str *names;
    size_t column_count;  // 0 without a header

    // The row that csv_next gave; cells are valid until the next call, outer blanks removed.
    const Str *cells;
    size_t count;
    uint64_t line;      // its first line, from 1
    bool unfinished;    // the last row, and the file does not end in a line end
    bool after_header;  // the header came again just before it: the writer was started again

    // Counted for csv_report.
    uint64_t row_count, ragged_count, ragged_line, repeated_headers, open_quotes, open_quote_line;

    Str text;
    size_t at, feed;
    uint64_t next_line;
    Arena *arena;
    Str *room;
    size_t capacity;
    char *scratch;
    size_t scratch_size, scratch_capacity;
} Csv;

// `separator` 0: the one of tab, semicolon, comma and blanks that gives equal counts above 1 in the
// first 20 lines; a comma if none does. `text` stays borrowed; a byte-order mark is skipped.
void csv_open(Csv *csv, const char *path, Str text, char separator, Arena *arena);

// Steps over the next line, which has no quotes, as over a row. Its end is no part of it.
void csv_pass_line(Csv *csv, Str line);

// The next row that is not blank, not a comment ("#" in the first column, only while there is no
// header) and not the header again. False at the end. A row whose length differs from the header's
// is given all the same: `count` tells, and it is counted unless it is the unfinished last one.
bool csv_next(Csv *csv);

// Makes the row just given the header.
void csv_take_header(Csv *csv);

// Index of a column, letter case ignored, or -1. Of repeated names the first.
int csv_column(const Csv *csv, const char *name);

// The cell of the row, or the empty text where the row is shorter or column is -1.
Str csv_cell(const Csv *csv, int column);

// True if the row is as long as the header.
bool csv_row_is_whole(const Csv *csv);

// Notices on ragged rows, repeated headers and quotes that never end, once a file with counts.
void csv_report(const Csv *csv, Notices *notices);

// Adds a cell as it is in a line, in quotes where it needs them.
void csv_add_cell(StrBuf *out, Str text);

#endif
