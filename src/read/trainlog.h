// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TRAINLOG_H
#define VERNIER_READ_TRAINLOG_H

#include "base/notice.h"
#include "read/lines.h"
#include "read/part.h"

// A text log of a trainer: every line is offered to the dialects, so one file may hold several
// (spec/curves.md §4). Prefixes of launchers are passed over, ranks in them are used.

// The log while it is read.
typedef struct TrainLog {
    const char *path;
    Arena *arena;
    Parts *parts;       // one for each rank that prints here
    int64_t file_rank;  // from the file name, -1: none
    size_t first_part;  // the parts before belong to other files
    Notices *notices;
    Str line;  // as it stands, without escapes
    uint64_t number;
    Part *part;          // of the rank of this line
    const char *format;  // of the dialect that took the line
    uint64_t found;      // records
    uint64_t damaged, damaged_line;
    uint64_t unfinished_line;  // of a last line that breaks off; 0: none

    // Progress bars: the last (step, total) before a dict, and how often each total came.
    int64_t bar_step;
    struct BarTotal {
        int64_t total;
        uint64_t count;
    } totals[8];
    size_t total_count;
    int64_t last_total, last_step;  // of the last bar of any kind; total 0: none yet
    int64_t dict_count;             // dicts without any bar
    uint64_t unnumbered;

    // A local-norm list that is still open, and lists that wait for their step line.
    bool in_list, has_pending;
    NormList pending;
    Str sizes;  // the text behind norm_size, or empty

    size_t time_place;  // where the line before had its time
    double bar_time;    // what the last progress bar says has passed; NaN: none

    uint64_t overflow_lines;
    int64_t skipped_before;  // the cumulative counter of DeepSpeed
} TrainLog;

// A dialect takes a line or leaves it. `strong` ones identify a file as a log by one line.
typedef struct Dialect {
    const char *format;
    bool strong;
    bool (*take)(TrainLog *log);
} Dialect;

bool mindformers_take(TrainLog *log);
bool megatron_take(TrainLog *log);
bool huggingface_take(TrainLog *log);
bool deepspeed_take(TrainLog *log);
bool keyvalue_take(TrainLog *log);
// Lists of local norms, which stand before the step line that they belong to.
bool norm_list_take(TrainLog *log);

// The part of the line's rank; made when it is new, with the dialect's format.
Part *trainlog_part(TrainLog *log, const char *format);
// A record of that part begins at this line: pending norms get its step.
void trainlog_begin(TrainLog *log, Part *part, int64_t step, int kind);
// Ends it and counts it.
bool trainlog_end(TrainLog *log, Part *part);
// Gives pending local norms the global norm of the record just ended.
void trainlog_norm(Part *part, double global_norm);

// True if one of the first lines is that of a known trainer.
bool trainlog_recognise(Str text, Arena *arena);

// Adds a part for each rank found. False if no line holds a record: the error names the patterns
// that were tried and the closest line.
bool trainlog_read(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                   Notices *notices, Error *err);

#endif
