// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LOG_PART_H
#define VERNIER_READ_LOG_LOG_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/line_scan.h"
#include "base/notice.h"
#include "base/str.h"
#include "read/log/points.h"

// What one file says about one process of one run, as records in the order of the file. Nothing is
// joined or judged here (model/run/series.h does that).

// How numbers were printed: how many, and the most digits after the point.
typedef struct PartDigits {
    uint64_t count;
    int most;
} PartDigits;

typedef struct PartSeries {
    Str name, printed;
    Points points;
    bool core;
    PartDigits digits[2];  // of plain numbers, and of those with an exponent
    uint64_t record;       // number of the record that last gave it a point
    size_t refined;        // so many points were there when the last one got more digits
    uint64_t awaited;      // the kinds of records that are to have it, a bit each
} PartSeries;

typedef enum EventKind {
    EVENT_SKIP,
    EVENT_OVERFLOW,
    EVENT_NAN,
    EVENT_ABORT,
    EVENT_CHECKPOINT,
    EVENT_CHECKPOINT_UNHEALTHY,
    EVENT_RESTART,
    EVENT_EVAL,
    EVENT_ALARM,
    EVENT_ERROR,
    EVENT_KIND_COUNT
} EventKind;

const char *event_kind_text(EventKind kind);  // "skip", …

typedef struct Event {
    int64_t step;
    EventKind kind;
    int64_t rank;    // -1: unknown
    uint64_t count;  // how many the line stands for
    Str text;        // what the file says, cut to one line
    const char *file;
    uint64_t line;
} Event;

typedef struct Events {
    Event *items;
    size_t count, capacity;
} Events;

// A printed list of per-weight gradient norms.
typedef struct LocalNorm {
    Str name;  // empty: only its place in the list is known
    double value;
    uint64_t elements;  // 0: unknown
    int decimals;
} LocalNorm;

typedef struct NormList {
    int64_t step;
    double global_norm;  // of the same step; NaN if it is not printed
    bool maybe_squares;  // a print of M5; true norms otherwise
    bool elided;         // the printer left out entries
    LocalNorm *items;
    size_t count, capacity;
} NormList;

typedef struct NormLists {
    NormList *items;
    size_t count, capacity;
} NormLists;

enum { NORM_LISTS_MAX = 16 };  // of a part

// A value of a record, as part_add got it.
typedef struct PartField {
    size_t memo;  // what the part knows of that name
    Figure figure;
    bool absent;
    Str printed;  // valid as long as the line
} PartField;

// Second values of one series at steps that it has already.
typedef struct Apart {
    uint64_t count, not_numbers;  // where one of both is no finite number
    double sum, squares;          // of the other differences
    double level;                 // and of the sizes of the first values
} Apart;

// Counts one: `value` is the first, `other` the second, of which none is absent.
void apart_add(Apart *apart, double value, double other);

// True if the others are no scatter around the values: NaN or Inf next to a number, or apart by
// more than 1 % on average and by three times what scatter explains, or by half of them.
bool apart_lasts(const Apart *apart);

// Says of records of one step again that they are lastingly apart, which makes a verdict PARTIAL.
void apart_tell(const Apart *apart, Where where, Notices *notices);

typedef struct Part {
    Arena *arena;
    const struct Parts *parts;  // that it belongs to
    const char *path;
    Str run;                       // name of the run inside the file, or empty
    const struct Part *evaluates;  // the part of training next to which its file stands, or NULL
    int64_t rank;                  // -1: unknown
    const char *format;            // "megatron"
    const char *x_unit;            // "step" or "samples"
    double start_time;             // seconds of the first record, for order only; NaN: unknown
    PartSeries *series;
    size_t series_count, series_capacity;
    Events events;
    NormLists norms;
    Points times;  // of records, in seconds; only differences and the order count
    uint64_t record_count;
    bool of_epochs;                    // lines with an epoch and no step, next to those with steps
    bool is_measured;                  // a record object of it had a loss or a norm
    bool is_numbered;                  // its records carry no step
    bool tells_skips;                  // a record counts the steps that were skipped, if only 0
    int64_t steps_per_epoch;           // 0: unknown
    int64_t last_step;                 // of the last record; INT64_MIN before the first
    double skip_threshold;             // as printed by the data skip; NaN: not printed
    uint64_t skip_limit;               // longest row after which the run stopped; 0: unknown
    uint64_t ignored_series;           // past the limit of series
    uint64_t repeated, repeated_line;  // records that give a value again at one step; the first
    uint64_t again;                    // the last of them
    Apart apart;                       // of those, with another value of a core series
    uint64_t differing_line;           // the first
    uint64_t differs;                  // the last of them

    // The record being read.
    PartField *fields;
    size_t field_count, field_capacity;
    const PartField *given;  // in their place, or NULL
    size_t ended_count;      // so many of them were those of the record that ended last
    int kind;
    bool beside_loss;  // one of its fields is a plain loss
    uint64_t line, record;
    double time;
    struct PartKind *kinds;
    size_t kind_count, kind_capacity;
    struct PartMemo *memos;
    size_t memo_count, memo_capacity, memo_next;
    struct Names *memo_names, *own_names;  // of memos, of series as they were added: ids in order
} Part;

// A form of a line (templates/logs.forms): who writes it, what it is, the pattern.
typedef enum FormRole {
    FORM_TRAINING,
    FORM_BARE,        // training, where the line has no other counter: one that is printed counts
    FORM_MEASURED,    // training, where something after it is measured
    FORM_EVALUATION,  // what it adds next to training counts, at the last step
    FORM_BESIDE,      // values without a record: of {step}, or of the last one
    FORM_PASSED,      // means over an epoch: no record
    FORM_HEADING,     // the lines below it belong to its step
    FORM_EVENT
} FormRole;

enum { FORM_SETS_MAX = 3 };

typedef struct FormWords {
    struct FormWord {
        Str text;
        uint64_t start;  // form_start
    } * items;
    size_t count, capacity;
} FormWords;

typedef struct LineForm {
    const char *name;
    Str pattern;
    // Of an event in any order of words: of each set one is in the line, and none of the last.
    FormWords sets[FORM_SETS_MAX], none;
    size_t set_count;
    FormRole role;
    EventKind event;
    bool is_alone;    // it is all of the line, and its values have a point
    bool is_at_last;  // the event belongs to the last record, not to the next one
    char fields;      // what separates the fields "name: value" after the match; 0: pairs
} LineForm;

typedef struct LineForms {
    LineForm *items;
    size_t count, capacity;
} LineForms;

// Forms of lines that are in a file (log_forms.h).
typedef struct FormFile {
    const char *path;
    const Str *forms;  // of records
    size_t count;
    LineForms events;
} FormFile;

typedef struct FormFiles {
    FormFile *items;
    size_t count, capacity;
} FormFiles;

// What a user says of a log that its text does not.
typedef struct LogWish {
    Str loss;             // name of the series that is judged; empty: the usual ones
    const Str *patterns;  // forms of lines (line_pattern.h); nothing else is read then
    size_t pattern_count;
    LineForms events;     // next to those that are known
    Str columns;          // "step=2,loss=objective": columns of a table; empty: by their names
    FormFiles installed;  // the user's own dialects: the one that fits a log is its patterns
} LogWish;

typedef struct Parts {
    Part **items;
    size_t count, capacity;
    const LogWish *wish;             // or NULL
    bool unopened;                   // the file that was read last could not be opened
    bool parses_all;                 // tests: no line is taken for one like those before
    uint64_t bytes_read, bytes_all;  // of the file being read: how many points may still come
} Parts;

Part *part_new(Parts *parts, const char *path, int64_t rank, const char *format, Arena *arena);

// A record: begin, any number of values, end. Records of one kind (a small number chosen by the
// reader) are expected to have the same fields: a core series that is missing in some of them is
// absent there, but for the latest of very many. Kinds are below 64; -1 expects nothing.
void part_begin(Part *part, int64_t x, int kind, uint64_t line);
void part_add(Part *part, Str printed, Figure figure);
void part_add_absent(Part *part, Str printed);
// A member of an object of the record; NULL: it is null. Of equal names in one object the last one
// counts, as in Python.
void part_add_member(Part *part, Str printed, uint32_t container, const Figure *figure);
// All fields of the open record at once; they stay where they are until it ends.
void part_add_again(Part *part, const PartField *fields, size_t count, bool beside_loss);
// When the open record was written, in seconds; the first one counts.
void part_add_time(Part *part, double seconds);
// True if a value of that name was given before: what is no number next to numbers is a mistake, a
// column of texts is none.
bool part_knows(const Part *part, Str printed);
// True if the record brought anything.
bool part_end(Part *part);

// A single value outside of any record, at the step of the last one.
void part_add_late(Part *part, const char *name, Figure figure);

void part_event(Part *part, EventKind kind, int64_t step, uint64_t count, uint64_t line, Str text);

// The series with that canonical name, or NULL.
PartSeries *part_find(const Part *part, const char *name);

#endif
