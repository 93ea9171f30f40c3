// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_ROWS_H
#define VERNIER_READ_DUMP_DUMP_ROWS_H

#include "base/error.h"
#include "read/dump/dump.h"

// Makes the records of a dump from inputs that are tables: one row a tensor, rows of one op not
// always together. Ops are in the order of their first row, slots in the order of the rows.

enum { ROW_EXTRAS = 3 };

typedef struct DumpRow {
    uint32_t op;  // index in the ops
    Slot slot;
    NameId keys[ROW_EXTRAS], texts[ROW_EXTRAS];  // SlotExtra to be; NAME_NONE: none
} DumpRow;

typedef struct DumpRows {
    Dump *dump;
    Arena *arena;    // of the records
    Arena *scratch;  // of the rows
    Op *ops;
    size_t op_count, op_capacity;
    DumpRow *rows;
    size_t row_count, row_capacity;
    size_t extra_count;
    uint32_t *op_of_name;
    size_t name_capacity;
} DumpRows;

// Begins `out`, a dump of `path` of `bytes` bytes with the names `names`; of what is added only the
// records live in `arena`, and only once dump_rows_finish has put them there.
void dump_rows_init(DumpRows *rows, const char *path, uint64_t bytes, Names *names, Arena *arena,
                    Arena *scratch, Dump *out);

// The next row of the op `name`, which is made if it is new; `offset` is its byte in the file.
// Valid until the next call.
Slot *dump_rows_add(DumpRows *rows, Str name, uint64_t offset);

Op *dump_rows_op(DumpRows *rows);  // of the row added last

// Adds a field to the row added last, which has fewer than ROW_EXTRAS.
void dump_rows_extra(DumpRows *rows, Str key, Str text);

// Puts the slots of each op together.
void dump_rows_finish(DumpRows *rows);

// The same, for a format without tensors in files: says what the dump is, and releases `scratch`
// with all that is in it. False, with the error, where there is no tensor.
bool dump_rows_end(DumpRows *rows, Framework framework, const char *level, Error *err);

// A statistic as a table writes it: "null", "True", "3", "-1.5", "nan", "inf"; empty: absent.
void dump_rows_stat(DumpRows *rows, Slot *slot, Stat stat, Str text);

// An argument that is no tensor, as its repr: "None", "True", "3", "relu".
void dump_rows_plain(DumpRows *rows, Slot *slot, Str text);

// Of the rows that name one file only the last keeps it: the file was written over.
void dump_rows_keep_last_files(DumpRows *rows);

#endif
