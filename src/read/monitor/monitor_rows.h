// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_MONITOR_MONITOR_ROWS_H
#define VERNIER_READ_MONITOR_MONITOR_ROWS_H

#include <string.h>

#include "read/monitor/monitor_files.h"
#include "read/table/csv_file.h"

// The rows of one monitor series file, in order. Reads in chunks: memory is bounded by the longest
// line. Rows of the usual shape are read directly; every other row goes through read/csv.
//
//     MonitorRows rows;
//     if (!monitor_rows_open(&rows, file, arena, err)) …
//     MonitorRow row;
//     while (monitor_rows_next(&rows, &row)) …
//     monitor_rows_close(&rows, notices);

enum { MONITOR_OPS_MAX = 64, MONITOR_KNOWN_MAX = 8192 };
#define MONITOR_NONE INT64_MIN  // no stage, no micro step

// A not-a-number with bits of its own, which no arithmetic and no parser makes.
#define MONITOR_ABSENT_BITS UINT64_C(0x7FF8AB5E00000000)

typedef enum MonitorGeneration { MONITOR_LEGACY, MONITOR_FIRST, MONITOR_SECOND } MonitorGeneration;

// A column of numbers. `side` is "input" or "output" in legacy files, where a row holds the
// statistics of both.
typedef struct MonitorOp {
    Str name, side;
} MonitorOp;

// Valid until the next row. `values` has one number an op, by MonitorRows.ops; a cell that is empty
// or unreadable is MONITOR_ABSENT (monitor_is_absent).
typedef struct MonitorRow {
    int64_t stage, step, micro;
    Str name, scope;
    const double *values;
    uint64_t line;
    uint32_t known;  // 0, or a number below MONITOR_KNOWN_MAX that in this file stands for the name
} MonitorRow;

double monitor_absent(void);

static inline bool monitor_is_absent(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == MONITOR_ABSENT_BITS;
}

typedef struct MonitorRows {
    const MonitorFile *file;
    MonitorGeneration generation;
    MonitorOp ops[MONITOR_OPS_MAX];
    size_t op_count;
    uint64_t row_count, byte_count;
    bool
        general_only;  // set after opening: no row is read directly; for tests, the result is equal

    // Private from here.
    Csv csv;
    int descriptor;  // -1: the bytes are at hand
    Str packed;      // of a file in an archive, what is not taken yet
    char *buffer;
    size_t capacity, filled, cut;
    bool at_end, failed, broken;
    struct MonitorColumn *columns;
    size_t column_count, tail_column;  // from tail_column on nothing is looked at
    size_t head_column, name_column;   // from one to the other: cells that a name has always
    bool head_has_stage;
    struct MonitorGuess *guesses;
    size_t guess_count, guess_at;
    Arena *arena;
    double values[MONITOR_OPS_MAX];
    uint64_t ragged, ragged_line, bad_cells, bad_cell_line, shifted, shifted_line, unfinished_line;
    uint64_t repeated_column;
    struct EventStream *events;  // NULL, or where the records of an event file ended
    Error error;
} MonitorRows;

// Fails if the file cannot be opened or its header does not have a name or step column.
bool monitor_rows_open(MonitorRows *rows, const MonitorFile *file, Arena *arena, Error *err);
bool monitor_rows_next(MonitorRows *rows, MonitorRow *row);

// The most digits after a point in the numbers of the first rows, to be asked before the first row
// is taken; *numbers grows by how many were looked at.
int monitor_rows_decimals(MonitorRows *rows, size_t *numbers);

// Closes the file and reports what could not be used: once a file, with its first line and a count.
void monitor_rows_close(MonitorRows *rows, Notices *notices);

// A number as monitors and their Python print it: decimals, nan, inf, 1.#INF, tensor(1.), [44.3].
// An empty cell and None are absent. False if it is none of these.
bool monitor_number(Str text, double *out);

#endif
