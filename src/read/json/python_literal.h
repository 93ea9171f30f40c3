// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_JSON_PYTHON_LITERAL_H
#define VERNIER_READ_JSON_PYTHON_LITERAL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/line_scan.h"
#include "base/str.h"

// A pull reader for JSON and for Python literals, which trainers print for each other: single
// quotes, None, True, the bare NaN and Infinity that a strict JSON parser refuses, and numbers with
// their type, "tensor(2.5)". The caller
// keeps the nesting, so depth costs no stack.

typedef enum LiteralKind {
    LITERAL_NUMBER,
    LITERAL_TEXT,
    LITERAL_BOOL,
    LITERAL_NULL,
    LITERAL_OBJECT,  // at its opening bracket: enter or skip it
    LITERAL_ARRAY,
    LITERAL_BROKEN  // no value here, or the text ends inside of it
} LiteralKind;

typedef struct Literal {
    LiteralKind kind;
    Figure figure;  // LITERAL_NUMBER; NaN and infinities are numbers
    Str text;       // LITERAL_TEXT, without quotes, escapes undone
} Literal;

typedef struct LiteralReader {
    Str text;
    size_t at;
    bool broken;   // a syntax error at `at`; nothing more is given
    Arena *arena;  // for texts with escapes
} LiteralReader;

LiteralReader literal_open(Str text, size_t at, Arena *arena);

// Steps over '{' or '['. False if something else is there.
bool literal_enter(LiteralReader *reader, char bracket);
// The next key of the open object, and moves to its value; false after the closing bracket.
bool literal_member(LiteralReader *reader, Str *key);
// Moves to the next element of the open array; false after the closing bracket.
bool literal_element(LiteralReader *reader);
// Reads a scalar, or tells that a container stands here.
Literal literal_value(LiteralReader *reader);
// Skips one whole value, containers included.
bool literal_skip(LiteralReader *reader);
// Reads the array that stands here: its first `max` scalars, other elements are skipped. How many.
size_t literal_scalars(LiteralReader *reader, Literal *out, size_t max);

#endif
