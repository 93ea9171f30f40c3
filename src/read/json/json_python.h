// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_JSON_JSON_PYTHON_H
#define VERNIER_READ_JSON_JSON_PYTHON_H

#include "base/str.h"

// JSON values as Python prints them, which is how msProbe's reports show scalars and how it takes
// the checksum of one.

// The digits of a JSON number: integers as they are, reals as repr() gives them.
void python_number(Str digits, StrBuf *out);

// repr() of a string: in single quotes unless only a single quote occurs in it; what Python does
// not print is escaped.
void python_string(Str text, StrBuf *out);

// A real number as written in JSON; Python's NaN, Infinity and -Infinity included.
double python_real(Str digits);

#endif
