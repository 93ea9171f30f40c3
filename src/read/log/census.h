// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_CENSUS_H
#define VERNIER_READ_LOG_CENSUS_H

#include "read/log/epoch_counter.h"
#include "read/log/lines.h"

// The census of a log: its lines by shape, which is the text between their numbers, and of each
// number of a shape what it does from line to line. From the counts follow the roles: which number
// counts, in which epoch, which lines head others, which stand above all records, which only repeat
// what a line above says, and whether several processes print the same lines. No format is known
// here, and no name but those of evaluations.

typedef struct Census Census;

typedef struct CensusRole {
    uint64_t count;    // lines of the shape
    bool counts;       // `place` is what a number of the line counts
    bool falls;        // one that counts begins anew with each epoch, of the line or of its heading
    bool is_above;     // the shape stands above the first record alone
    bool is_echo;      // its values are always those of a line above
    bool is_heading;   // it only counts, in step with records that do not
    bool has_heading;  // it does not count, and such a line does
    bool is_once;      // no two lines of the shape have the same count
    bool leads;        // no other whole number of the line rises as often as what it counts
    bool is_summary;   // it counts one by one, in far fewer lines than those of another shape
    bool is_most;      // of all that count and hold values it is the commonest
    bool is_footer;    // it only counts, after the heading of its block
    bool is_other;     // of an evaluation, since lines of another shape are those of training
    bool is_record;    // it comes again and again, with values
    bool names_epoch;  // its number is the epoch of counters that fall
    LogPlace place;
} CensusRole;

// Counts the lines of the text that was opened, of its first 256 KiB.
Census *census_take(const Lines *opened, Arena *arena);

// The role of a line; false: no line of its shape was counted. A line that names the epoch of those
// below it is kept for them.
bool census_role(Census *census, Str line, CensusRole *out);

// True if a line of that number may stand above all records, or any line repeats others.
bool census_sets_aside(const Census *census, uint64_t line);

// Whether all records say "test" or "dev": so the run is called.
bool census_is_called(const Census *census);

// Whether any record has a loss by that name; true where there is no record.
bool census_names_loss(const Census *census);

// A number of a line.
typedef struct CensusNumber {
    Str text;
    double value;
    bool whole;    // digits alone
    bool of_many;  // "/N" follows it
    bool divides;  // it is that N
    bool clock;    // a part of a date or a time
    Str word;      // the letters in front
} CensusNumber;

enum { CENSUS_NUMBERS_MAX = 24 };

typedef struct CensusNumbers {
    CensusNumber items[CENSUS_NUMBERS_MAX];
    size_t count;
    const CensusNumber *counter;  // what counts, or NULL
    const CensusNumber *epoch;    // with which it begins anew, or NULL
    uint64_t line;                // where the line stands; 0: there is none
} CensusNumbers;

// A line that comes closest to a record: one of the shape with a loss, or a count and a value, that
// comes most often.
Str census_closest(const Census *census, CensusNumbers *out);

// Shapes with a rising count and a value, each at least this often.
enum { CENSUS_RECORDS_LEAST = 2 };

#endif
