// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_TRAINLOG_H
#define VERNIER_READ_LOG_TRAINLOG_H

#include "base/names.h"
#include "base/notice.h"
#include "read/log/census.h"
#include "read/log/epoch_counter.h"
#include "read/log/line_shape.h"
#include "read/log/lines.h"
#include "read/log/log_part.h"
#include "read/log/name_memo.h"

// A text log of a trainer while it is read, and how a dialect puts its records into it.

enum { KIND_TEXT = 40 };

typedef struct TrainLog {
    const char *path;
    Arena *arena;
    Parts *parts;  // one for each rank that prints here
    Names *ranks;  // their numbers, as bytes, or NULL: none yet; by id the parts:
    struct RankParts {
        Part *of[2];  // of lines with steps, with an epoch alone; or NULL
    } * rank_parts;
    size_t rank_parts_count;
    int64_t file_rank;  // from the file name, -1: none
    size_t first_part;  // the parts before belong to other files
    Notices *notices;
    Str line;           // as it stands, without escapes
    Str prefix;         // what a runtime put in front of it
    bool prefix_ranks;  // it is the number of a task
    uint64_t number;
    size_t stop;         // byte of the text where it ends
    int kind;            // of the records of its form
    Part *part;          // of the rank of this line
    uint64_t found;      // records
    uint64_t evaluated;  // those of evaluations that have a step
    uint64_t damaged, damaged_line;
    uint64_t blank, blank_line;        // records that name a value and hold no number there
    uint64_t unread, unread_line;      // lines of the commonest record that none took
    uint64_t early_count, early_line;  // evaluations without a step above all records
    uint64_t unfinished_line;          // of a last line that breaks off; 0: none

    // Progress bars of dicts: the last step of that of the training, and its length; 0: unknown.
    int64_t bar_step, training_bar;
    int64_t last_total, last_step;  // of the last bar of any kind; total 0: none yet
    int64_t dict_count;             // dicts without any bar
    double dict_loss, dict_epoch;   // of the last one without a step
    uint64_t dicts_stepped;         // of training, with a step of their own
    uint64_t dict_found;            // records of dicts
    uint64_t dict_left;             // dicts without a step next to lines with one
    uint64_t fractional;            // dicts whose epoch has a fraction
    // Dicts above their bars: whether they are, and the step of the last one.
    bool dicts_begun, bars_below;
    bool bars_elsewhere;  // the bars are none of the training: no dict stands between two of them
    int64_t below_step, below_gap;
    uint64_t unnumbered;

    // A local-norm list that is still open, and lists that wait for their step line.
    bool in_list, has_pending;
    NormList pending;
    Str sizes;  // the text after norm_size, or empty

    Census *census;   // or NULL
    CensusRole role;  // of the line, by trainlog_role; zeroed: its shape is unknown
    bool has_role;
    LineForms forms, events;  // those of templates/logs.forms
    int64_t last_x;           // step of the last record of any part; INT64_MIN: none yet
    Events happened;          // by lines that are no records, until finish
    const LogWish *wish;      // or NULL
    NameMemo *names;          // what the keys of lines mean
    EpochCounter counter;     // of lines with an epoch
    EpochCounter epochs;      // of lines with an epoch and no step
    // A line that only counts: the lines below it belong to its step.
    bool has_heading, heading_is_epoch;
    int64_t heading_x;
    uint64_t heading_line;
    // "step: 100 | output:" opens a dict on the line below; 0: none.
    uint64_t dict_line;
    int64_t dict_x;
    Str counter_name;        // what training counts is called: "Learner Steps"; a copy
    int64_t training_total;  // M of the last step "N/M" of training
    bool evaluates;          // a line above said that an evaluation begins: "=== Evaluation ==="
    bool trains;             // the last training was headed, too: "Train:"
    bool numbers_lines;      // some record of it has no step but its number
    uint64_t shapes_again;   // records without any counter whose shape comes again
    Part *stepless;          // records without any counter (trainlog_counts)
    Str columns;             // the header of a table whose rows are bars, or empty
    bool has_bar_epoch;      // "Epoch 3/10" stood alone on a line
    int64_t bar_epoch;       // that of what follows
    struct Box *box;         // a table among the lines, or NULL
    struct BarRecord *bar;   // the last redraw of a progress bar's step, not yet stored

    LineReading reading;  // of the line, by the dialect that took it
    LineShapes shapes;
    const LineShape *learnt;  // from the last line that was not of a known shape

    size_t time_place;  // where the line before had its time
    double bar_time;    // what the last progress bar says has passed; NaN: none

    uint64_t overflow_lines;
    int64_t skipped_before;  // the cumulative counter of DeepSpeed
} TrainLog;

// The text of the file below the line.
Str trainlog_below(const TrainLog *log);
// Looks up the role of the line, once.
void trainlog_role(TrainLog *log);
// The part of the line's rank; made when it is new, with the dialect's format.
Part *trainlog_part(TrainLog *log, const char *format);
// The part of the line's rank, or NULL: of lines with an epoch and no step, or of all others.
Part *trainlog_find(const TrainLog *log, bool of_epochs);
// The part of the same rank whose lines count in the other way, or NULL.
const Part *trainlog_twin(const TrainLog *log, const Part *part);
// That of lines with an epoch and no step, for this line; made when it is new. Where both kinds of
// lines give losses, the part with fewer of them is left out.
Part *trainlog_part_of_epochs(TrainLog *log, const char *format);
// True if more records of training than a stray one have a counter: those without one are dropped.
bool trainlog_counts(const TrainLog *log);
// A record of that part begins at this line: pending norms get its step.
void trainlog_begin(TrainLog *log, Part *part, int64_t step, int kind);
// What the line says happened, at that step, to that rank or, -1, to the one that prints it; said
// again by another process, or `once` of a step, it counts once.
void trainlog_event(TrainLog *log, EventKind kind, int64_t step, int64_t rank, bool once);
// Gives what happened to the parts from the first one of the file on.
void trainlog_tell_events(TrainLog *log);
// Ends it and counts it.
bool trainlog_end(TrainLog *log, Part *part);
// The line is a record by itself and has a shape that other lines may have too: `place` says where
// its counters stand. After trainlog_end.
void trainlog_plain(TrainLog *log, Part *part, const LogPlace *place);
// The record of a line of that shape.
bool trainlog_again(TrainLog *log, const LineShape *shape, int64_t step);

#endif
