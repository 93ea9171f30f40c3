// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_LINE_SCAN_H
#define VERNIER_BASE_LINE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// A cursor over one line, for patterns like "step: *I / *I". Every function moves past what it
// takes and returns true, or stays where it is and returns false.

// A number as it was printed. `decimals` are the digits after the point; with an exponent they
// count from the leading digit, so 1.25e-03 has 2.
typedef struct Figure {
    double value;
    int decimals;
    bool exponent;
    const char *text;  // where it is in the scanned text; NULL: in a copy, or computed
} Figure;

typedef struct Scan {
    Str text;
    size_t at;
} Scan;

static inline Scan scan_of(Str text)
{
    return (Scan){.text = text};
}

// Blanks and tabs.
static inline void scan_blanks(Scan *scan)
{
    while (scan->at < scan->text.size &&
           (scan->text.data[scan->at] == ' ' || scan->text.data[scan->at] == '\t'))
        scan->at++;
}

static inline bool scan_char(Scan *scan, char c)
{
    bool hit = scan->at < scan->text.size && scan->text.data[scan->at] == c;
    scan->at += hit;
    return hit;
}

static inline Str scan_rest(const Scan *scan)
{
    return str_slice(scan->text, scan->at, scan->text.size);
}

bool scan_word(Scan *scan, const char *word);
bool scan_uint(Scan *scan, int64_t *out);  // digits that fit into 63 bits
bool scan_int(Scan *scan, int64_t *out);
// A decimal number, or nan, inf, infinity in any case with an optional sign.
bool scan_figure(Scan *scan, Figure *out);
// The size of the number that `rest` begins with, read into `out`, or 0. So many bytes from its
// beginning on may be looked at, at least its own: where there are more, the last number of a line
// is read as fast as others.
size_t figure_at(Str rest, size_t readable, Figure *out);
// The same for a number of 7 to 19 digits next to zeros in front, where FIGURE_LONG_BYTES may be
// looked at; 0 for others.
size_t figure_long(const char *text, size_t readable, Figure *out);
// The same with thousands separators, "1,048,576", as programs print for people.
bool scan_grouped(Scan *scan, Figure *out);
bool scan_find(Scan *scan, const char *word);  // moves after the next `word`
bool scan_done(const Scan *scan);              // only blanks are left

// The whole text, outer blanks aside, as a figure.
bool figure_of_text(Str text, Figure *out);

// Half a unit of the last printed place: what a printed value may be off by.
double figure_resolution(Figure figure);

#endif
