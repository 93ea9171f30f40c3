// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_JSON_COLUMNS_H
#define VERNIER_READ_LOG_JSON_COLUMNS_H

#include "base/arena.h"
#include "base/array.h"
#include "read/json/python_literal.h"
#include "read/log/points.h"

// The lists of numbers in a JSON document, a column each.

typedef struct JsonCell {
    int64_t x;  // of a keyed column
    Figure figure;
} JsonCell;

typedef struct JsonColumn {
    Str key;     // the series
    Str member;  // as the object calls it
    size_t at;   // byte of the list
    bool keyed;  // its cells have a step each
    JsonCell *items;
    size_t count, capacity;
} JsonColumn;

typedef struct JsonColumns {
    JsonColumn *items;
    size_t count, capacity;
    Str loss;  // the column that the user says is the loss; or empty
} JsonColumns;

// Reads a list whose numbers, also in quotes, are the cells of a new column; others are absent.
void json_column_read(LiteralReader *reader, Arena *arena, JsonColumns *columns, Str key,
                      Str member);

// Adds a cell with its step to the last column, or to a new one where that has another name.
void json_column_add(Arena *arena, JsonColumns *columns, Str key, size_t at, int64_t x,
                     Figure figure);

// [10, 2.5] or [time, 10, 2.5] as a step and a value; the time is NaN where there is none. False,
// with the list passed over, where it is none of both; if strict, steps are whole and times those
// of day.
bool json_pair_read(LiteralReader *reader, bool strict, int64_t *step, Figure *value, double *time);

// {"step": 10, "value": 2.5} and {"x": 10, "y": 2.5}; false with the reader after other objects.
bool json_point_read(LiteralReader *reader, int64_t *step, Figure *value);

// The column of steps, or NULL.
const JsonColumn *json_columns_step(const JsonColumns *columns);

// A measure or an evaluation of it.
bool json_is_series(Str name);

// Whether the lists without steps are rows: by the column of steps, or numbered where no list has
// steps of its own, or a loss is among them and none among those with steps.
bool json_columns_are_placed(const JsonColumns *columns);

// Lists make a table if one of them is a known series, the step or what the user calls the loss.
bool json_columns_are_table(const JsonColumns *columns);

// A column with steps of its own keeps them, unless its keys number rows, of which one cell is the
// step, as pandas writes them.
bool json_column_is_by_rows(const JsonColumn *column, const JsonColumn *steps);

// {"x": [0, 10], "y": [2.5, 2.25]} and, below the name of a series, {"step": [], "value": [],
// "timestamp": []}: the columns from `first` on become one by steps that is called `name`, where
// they are such and none is a measure.
void json_columns_join_axes(JsonColumns *columns, size_t first, Str name);

#endif
