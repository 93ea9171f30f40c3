// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_MONITOR_MONITOR_COLUMNS_H
#define VERNIER_READ_MONITOR_MONITOR_COLUMNS_H

#include "base/decimal.h"
#include "read/monitor/monitor_rows.h"

// Inside of the reader of monitor rows: what a column is, and the direct way through a row.

typedef enum ColumnKind {
    COLUMN_SKIP,
    COLUMN_STAGE,
    COLUMN_NAME,
    COLUMN_STEP,
    COLUMN_MICRO,
    COLUMN_SCOPE,
    COLUMN_OP
} ColumnKind;

typedef struct MonitorColumn {
    ColumnKind kind;
    size_t op;
} MonitorColumn;

// Rows come in the same order at every step: what a row ends with and what it is about is guessed
// from the last step and compared, instead of being looked for.
typedef struct MonitorGuess {
    Str name;
    Str head;       // the cells from head_column to the name
    Str tail;       // the cells that are not looked at, up to and with the line end
    int64_t stage;  // in the head, where it is there
} MonitorGuess;

enum { MONITOR_GUESSES_MAX = MONITOR_KNOWN_MAX / 2 };

// What the buffer has after the text: numbers are looked at in whole words.
enum { MONITOR_PADDING = DECIMAL_PADDING };

// A row of the usual shape, straight from the text at csv.at, which moves past it. The text must
// end in a line end. False leaves everything to the general way.
bool monitor_direct_row(MonitorRows *rows, MonitorRow *row);

#endif
