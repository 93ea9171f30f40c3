// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_PEER_CELLS_H
#define VERNIER_COMPARE_PEER_CELLS_H

#include "base/number.h"
#include "read/dump.h"

// The cells of the peer's row report (spec/compare.md §3, §4): values as Python prints them, the
// difference and the relative difference of two values, checksums of values without one.

typedef enum PeerKind {
    PEER_NA,           // "N/A": no partner, nothing to subtract
    PEER_NONE,         // "None"
    PEER_NAN,          // "Nan"
    PEER_INT,          // integer
    PEER_UINT,         // natural
    PEER_REAL,         // number, infinities included
    PEER_BOOL,         // integer 0 or 1
    PEER_TEXT,         // text
    PEER_BIGINT,       // text holds the digits, number the rounded value
    PEER_PERCENT,      // number, in percent
    PEER_DIFFERS,      // "Diff": two texts, or a text and a number
    PEER_UNSUPPORTED,  // "unsupported": no tensor metric is possible
    PEER_SHAPES,       // "shape unmatched"
    PEER_ZERO          // "0": equal texts under rules msprobe26, whatever the column
} PeerKind;

typedef struct PeerCell {
    PeerKind kind;
    double number;
    union {
        int64_t integer;
        uint64_t natural;
    };
    Str text;
} PeerCell;

// How integers of a side's statistics are shown: the peer's table turns them into floats when the
// columns hold nothing but numbers (spec/compare.md §3, column coercion).
typedef struct PeerColumns {
    bool real[STAT_COUNT];     // integers are shown as floats
    bool integer[STAT_COUNT];  // every value of the column is an integer
} PeerColumns;

// Over all slots of a dump. Linear.
PeerColumns peer_columns(const Dump *dump);

// `columns` NULL: by the kind of the JSON value. `slot` NULL: N/A.
PeerCell peer_stat(const Dump *dump, const PeerColumns *columns, const Slot *slot, Stat stat);

enum { PEER_TEXT_BYTES = NUMBER_BYTES + 2 };
// The text of a cell; `buffer` holds it where it is a number.
Str peer_cell_text(const PeerCell *cell, char buffer[PEER_TEXT_BYTES]);

// A number that takes part in arithmetic: integers and reals, infinities included, no bool.
bool peer_is_number(const PeerCell *cell, double *out);

// A percent as a fraction; false for every other cell.
bool peer_fraction(const PeerCell *cell, double *out);

// Which formula.
typedef enum PeerFormula {
    PEER_FORMULA_26,      // the row report of generation 26
    PEER_FORMULA_8,       // that of generation 8, and both graph tools
    PEER_FORMULA_VERNIER  // as 26, subtracted without the detour over texts
} PeerFormula;

// The number in a text as the peer's table library reads it: at most 17 digits, leading zeros
// counted, summed up in double and scaled by a power of ten. It misses the nearest double by an ulp
// now and then, which shows in small differences of large values.
double peer_read_number(Str text);

typedef struct PeerDifference {
    PeerCell difference, relative;
} PeerDifference;

// spec/compare.md §4.1 and §4.2. `integers`: both columns hold integers only, so the difference is
// printed as one.
PeerDifference peer_difference(PeerFormula formula, const PeerCell *target, const PeerCell *golden,
                               bool integers);

// Equal as Python texts: 3 and 3.0 are not.
bool peer_same_text(const PeerCell *a, const PeerCell *b);

// Equal as Python values: 3 and 3.0 are, so are True and 1.
bool peer_same_value(const PeerCell *a, const PeerCell *b);

// The checksum cell: the recorded one, the group of a process group, the value of a source or
// destination rank, else CRC-32 of the value's Python text; empty for None (spec/compare.md §2.1).
Str peer_checksum(const Dump *dump, const Slot *slot, char buffer[PEER_TEXT_BYTES]);

#endif
