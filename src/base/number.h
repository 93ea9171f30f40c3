// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_NUMBER_H
#define VERNIER_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// The only place where numbers become text and back. Nothing here depends on the locale.

enum { NUMBER_BYTES = 40, NUMBER_PLACES_BYTES = 400 };

// Python's float text: the shortest digits that read back exactly; "2.0", "1e-05", "1e+16", "inf",
// "-inf", "nan". Exponent form below 1e-4 and from 1e16. Returns the length; `out` is ended by NUL.
int number_python(double value, char out[NUMBER_BYTES]);

// For JSON: the shortest digits that read back exactly, "2" for 2.0; non-finite values become the
// JSON strings "NaN", "Infinity", "-Infinity" with their quotes.
int number_json(double value, char out[NUMBER_BYTES]);

// For workbooks: as number_json, but at most ten digits of a fraction. They tell any two float32
// from each other and are off by less than 1e-9.
int number_sheet(double value, char out[NUMBER_BYTES]);

// `digits` digits after the point, no trailing zeros, no "-0": for coordinates. "12.5", "12".
int number_fixed(double value, int digits, char out[NUMBER_BYTES]);

// `digits` digits after the point, zeros too: what printf gives for "%.*f" of a finite value.
// Returns the length.
int number_places(double value, int digits, char out[NUMBER_PLACES_BYTES]);

// 3 significant digits for pictures and tables: "0.153", "7.06e-04", "1.20e+04", "0". Plain from
// 1e-3 to below 1e4, else d.dde-XX. NaN, Inf, -Inf in words.
int number_short(double value, char out[NUMBER_BYTES]);

// The same with `digits` significant digits: 6 for raw values, 8 where the digits are the evidence.
// Trailing zeros are dropped in the plain form for 6 and up.
int number_significant(double value, int digits, char out[NUMBER_BYTES]);

// A relative difference, in sentences (2 digits), pictures and tables (3) in the same way:
// "3.06e-02" below 0.1, so that a column of them is read by its exponents; "0.153", "1.00" from
// there on.
int number_error(double value, int digits, char out[NUMBER_BYTES]);

// "51,204"
int number_count(uint64_t value, char out[NUMBER_BYTES]);

// Reads a decimal number at the start of `text`: [-+]digits[.digits][e[-+]digits], correctly
// rounded to double. Gives the number of bytes read, 0 if there is no number. "inf", "nan" are not
// numbers here; 1e999 gives infinity, 1e-999 zero.
size_t number_parse(Str text, double *out);

// Whether a double tells whole numbers of this size from their neighbours: below 9e15, just under
// 2^53. What is larger, infinite or no number is taken for no count, step or index.
static inline bool number_can_count(double value)
{
    return value > -9e15 && value < 9e15;
}

// The whole text as a number; also "nan", "inf", "-inf", "infinity" in any case.
bool number_of_text(Str text, double *out);

#endif
