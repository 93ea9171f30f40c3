// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MSPROBE_MSPROBE_CELLS_H
#define VERNIER_COMPARE_MSPROBE_MSPROBE_CELLS_H

#include "base/number.h"
#include "read/dump/dump.h"

// The cells of msProbe's row report (docs/spec/compare.md §3, §4): values as Python prints them,
// the difference and the relative difference of two values, checksums of values without one.

typedef enum MsprobeKind {
    MSPROBE_NA,           // "N/A": no partner, nothing to subtract
    MSPROBE_NONE,         // "None"
    MSPROBE_NAN,          // "Nan"
    MSPROBE_INT,          // integer
    MSPROBE_UINT,         // natural
    MSPROBE_REAL,         // number, infinities included
    MSPROBE_BOOL,         // integer 0 or 1
    MSPROBE_TEXT,         // text
    MSPROBE_BIGINT,       // text holds the digits, number the rounded value
    MSPROBE_PERCENT,      // number, in percent
    MSPROBE_DIFFERS,      // "Diff": two texts, or a text and a number
    MSPROBE_UNSUPPORTED,  // "unsupported": no tensor metric is possible
    MSPROBE_SHAPES,       // "shape unmatched"
    MSPROBE_ZERO          // "0": equal texts under rules msprobe26, whatever the column
} MsprobeKind;

typedef struct MsprobeCell {
    MsprobeKind kind;
    double number;
    union {
        int64_t integer;
        uint64_t natural;
    };
    Str text;
} MsprobeCell;

// How integers of a side's statistics are shown: msProbe's table turns them into floats when the
// columns hold nothing but numbers (docs/spec/compare.md §3, column coercion).
typedef struct MsprobeColumns {
    bool real[STAT_COUNT];     // integers are shown as floats
    bool integer[STAT_COUNT];  // every value of the column is an integer
} MsprobeColumns;

// Over all slots of a dump. Linear.
MsprobeColumns msprobe_columns(const Dump *dump);

// `columns` NULL: by the kind of the JSON value. `slot` NULL: N/A.
MsprobeCell msprobe_stat(const Dump *dump, const MsprobeColumns *columns, const Slot *slot,
                         Stat stat);

enum { MSPROBE_TEXT_BYTES = NUMBER_BYTES + 2 };
// The text of a cell; `buffer` holds it where it is a number.
Str msprobe_cell_text(const MsprobeCell *cell, char buffer[MSPROBE_TEXT_BYTES]);

// A number that takes part in arithmetic: integers and reals, infinities included, no bool.
bool msprobe_is_number(const MsprobeCell *cell, double *out);

// A percent as a fraction; false for every other cell.
bool msprobe_fraction(const MsprobeCell *cell, double *out);

// Which formula.
typedef enum MsprobeFormula {
    MSPROBE_FORMULA_26,      // the row report of generation 26
    MSPROBE_FORMULA_8,       // that of generation 8, and both graph tools
    MSPROBE_FORMULA_VERNIER  // as 26, subtracted without the detour over texts
} MsprobeFormula;

// The number in a text as msProbe's table library reads it: at most 17 digits, leading zeros
// counted, summed up in double and scaled by a power of ten. It misses the nearest double by an ulp
// now and then, which shows in small differences of large values.
double msprobe_read_number(Str text);

typedef struct MsprobeDifference {
    MsprobeCell difference, relative;
} MsprobeDifference;

// docs/spec/compare.md §4.1 and §4.2. `integers`: both columns hold integers only, so the
// difference is printed as one.
MsprobeDifference msprobe_difference(MsprobeFormula formula, const MsprobeCell *target,
                                     const MsprobeCell *golden, bool integers);

// Equal as Python texts: 3 and 3.0 are not.
bool msprobe_same_text(const MsprobeCell *a, const MsprobeCell *b);

// Equal as Python values: 3 and 3.0 are, so are True and 1.
bool msprobe_same_value(const MsprobeCell *a, const MsprobeCell *b);

// The checksum cell: the recorded one, the group of a process group, the value of a source or
// destination rank, else CRC-32 of the value's Python text; empty for None
// (docs/spec/compare.md §2.1).
Str msprobe_checksum(const Dump *dump, const Slot *slot, char buffer[MSPROBE_TEXT_BYTES]);

#endif
