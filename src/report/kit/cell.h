// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_KIT_CELL_H
#define VERNIER_REPORT_KIT_CELL_H

#include "compare/judge/op_error.h"
#include "scene/table.h"

// What most cells of tables hold. Texts live in `arena`; numbers stay numbers, with the text that
// readers see next to them.

#define NO_CELL ((Cell){.kind = CELL_EMPTY})

Cell cell_word(const char *word);  // marked with TR
Cell cell_code(Str text);
Cell cell_strong(Str text);
Cell cell_dash(void);         // "—": there is none
Cell cell_side(bool target);  // "golden" with its disc, "target" with its triangle
Cell cell_status(Status status, bool inherited);  // the word in the colour of the status
Cell cell_titled(Cell cell, Str title);           // with a tooltip
Cell cell_linked(Cell cell, Str link);            // Cell.link; empty: none
Cell cell_in(Cell cell, CellStyle style);

Cell cell_count(uint64_t count, Arena *arena);         // "51,204"
Cell cell_count_or_dot(uint64_t count, Arena *arena);  // "·" for 0
Cell cell_int(int64_t number, Arena *arena);           // "51204", "-1": ranks, steps of dumps
Cell cell_step(int64_t step, Arena *arena);            // "51,204", "-1"
Cell cell_value(double value);  // with all its digits; NaN, Inf and -Inf in words
// `digits` significant ones; NaN in words too.
Cell cell_digits(double value, int digits, Arena *arena);
Cell cell_figure(double value, Arena *arena);   // 3 digits as in pictures, "—" for NaN
Cell cell_percent(double share, Arena *arena);  // the share as a number, shown in per cent
Cell cell_error(double error, Arena *arena);    // a relative error, in the words of figure_error

// The number of a side of an op, or the word in its place.
Cell cell_op_error(ErrorWord word, double error, Arena *arena);

CellStyle style_of_status(Status status, bool inherited);

#endif
