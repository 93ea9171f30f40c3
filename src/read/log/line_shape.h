// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LINE_SHAPE_H
#define VERNIER_READ_LOG_LINE_SHAPE_H

#include "read/log/epoch_counter.h"
#include "read/log/log_part.h"

// Most lines of a log are a line before with other numbers. A shape keeps what stands between the
// numbers of a line that its reader took as one record, and what each number was: a field, the
// step, the epoch, the steps of an epoch, or nothing. Where the next line has this shape only its
// numbers are read.
//
// What the reader decides by anything else in the line is then decided in the
// same way: every byte is the same but digits, and digits that are in names, after another number
// without a blank, or in `fixed` are the same too or as many.

enum { SHAPES_MAX = 8, SHAPE_BYTES_MAX = 4096, SHAPE_PIECES_MAX = 160, SHAPE_FIXED_MAX = 4 };

// What a reader says of the line that it took.
typedef struct LineReading {
    bool plain;      // it is one record, and nothing else happened that depends on a value
    LogPlace place;  // as it is in the line, with the places of its digits
    Part *part;
    int kind;
    bool beside_loss;
    const PartField *fields;  // of the record; `memo` is the reader's own
    size_t field_count;
    bool padded;                 // any number of blanks means the same as one in front of a number
    bool has_date;               // the line may say when it was written
    bool table;                  // commas part cells: they belong to no number
    Str fixed[SHAPE_FIXED_MAX];  // texts whose digits matter although they are no field
    size_t fixed_count;
} LineReading;

typedef struct ShapePiece ShapePiece;

typedef struct LineShape {
    int owner;            // the reader's own number for who took the line
    LineReading reading;  // of the line at hand; its fields are those below
    PartField *fields;
    size_t present;  // of them: how many are not absent
    char *text;
    ShapePiece *pieces;
    size_t piece_count;
} LineShape;

typedef struct LineShapes {
    Str text;  // most lines are in it: what lies after such a line may be looked at
    LineShape *items[SHAPES_MAX], *spare;
    size_t recent, next;
    uint64_t attempts, fitted;
} LineShapes;

// The reading of a record that the part ended just now.
LineReading line_reading(const LogPlace *place, Part *part);

// Keeps the shape of the line and returns it. NULL where other numbers might be read in another
// way.
LineShape *shapes_learn(LineShapes *shapes, Str line, const LineReading *reading, int owner,
                        Arena *arena);

// Stores the record of the line at hand, at that step and line, in its part.
bool shape_store(const LineShape *shape, int64_t step, uint64_t line);

// The shape of that owner that the line has, with its place and fields read, or NULL.
LineShape *shapes_find(LineShapes *shapes, Str line, int owner);

// The same for the line that begins at `at` of the text and ends with a line end, which is given.
LineShape *shapes_find_ahead(LineShapes *shapes, size_t at, int owner, Str *line);

#endif
