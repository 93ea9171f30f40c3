// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_PRECHECK_COMPARISON_FIGURE_H
#define VERNIER_READ_PRECHECK_COMPARISON_FIGURE_H

#include "read/precheck/precheck.h"

// The figures by which scripts and tools compare two tensors, whatever they write them in: a line,
// a row of a table, an object of JSON.

enum { FIGURE_KINDS = 4 };

typedef struct ComparisonFigures {
    Str name;
    Str values[FIGURE_KINDS];  // as written; empty: not told
    PrecheckStatus status;     // that the file states, PRECHECK_UNTOLD: none
} ComparisonFigures;

// The kind of figure that a name at `at` of the text means, and how long the name is: "max diff" is
// "MaxDiff", "max_diff", "max-differ…". -1: it means none.
int figure_named(Str text, size_t at, size_t *size);

// Where the first such name of the text begins; SIZE_MAX: it has none.
size_t figure_find(Str text, int *kind, size_t *size);

// How many bytes at the beginning are a number, NaN or Inf; 0: others.
size_t figure_value(Str text, double *value);

// How well a column or key suits as the name of what is compared, 0 best; -1: it is no such.
int figure_name_rank(Str column);

// Whether a column or key is of the word that states the result.
bool figure_is_status(Str column);

// What the figures say. A result that the file states decides; where it states none, the limits of
// the table do. False: the file says nothing.
bool figure_judge(const ComparisonFigures *of, PrecheckFinding *out);

#endif
