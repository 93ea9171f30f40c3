// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TABLE_QUANT_ROWS_H
#define VERNIER_READ_TABLE_QUANT_ROWS_H

#include "read/table/csv_file.h"

// The CSV of torchao's quant_logger: tag, counter_val, fqn, op, max_abs, avg, std, extra; a row a
// tensor.

typedef enum QuantColumn {
    QUANT_TAG,
    QUANT_COUNTER,
    QUANT_MODULE,
    QUANT_OP,
    QUANT_LARGEST,
    QUANT_MEAN,
    QUANT_SPREAD,
    QUANT_EXTRA,
    QUANT_COLUMNS
} QuantColumn;

typedef struct QuantRow {
    Str cells[QUANT_COLUMNS];  // empty where the column is missing
    uint64_t counter;
    size_t place;  // from 1
} QuantRow;

typedef struct QuantRows {
    QuantRow *items;  // by counter
    size_t count, capacity;
} QuantRows;

// By its header.
bool quant_rows_are(Str text);

// Adds the rows after the header; a last row that is cut is left out.
void quant_rows_read(Csv *csv, Arena *arena, QuantRows *out);

// The rows as a table of a monitor, in `arena`: columns name (module, op and tag, joined by dots),
// step, max_abs, avg, std. Rows have no step of their own: it is the number of times that the name
// came before. Rows that do not fit the header are left out and counted, with the
// line of the first. Empty without rows.
Str quant_rows_table(const char *path, Str text, Arena *arena, uint64_t *ragged,
                     uint64_t *ragged_line);

#endif
