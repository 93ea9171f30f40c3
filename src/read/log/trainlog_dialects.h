// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_TRAINLOG_DIALECTS_H
#define VERNIER_READ_LOG_TRAINLOG_DIALECTS_H

#include "read/log/trainlog.h"

// A text log of a trainer: every line is offered to the dialects, so one file may hold several
// (docs/spec/curves.md §4). Prefixes of launchers are passed over, ranks in them are used.

// A dialect takes a line or leaves it. `strong` ones identify a file as a log by one line.
typedef struct Dialect {
    const char *format;
    bool strong;
    bool (*take)(TrainLog *log);
    // Takes a line of the shape of one that was taken before, and does the same (trainlog_plain).
    // NULL: the dialect says of no line that it is plain.
    bool (*again)(TrainLog *log, LineShape *shape);
} Dialect;

bool huggingface_take(TrainLog *log);
bool huggingface_again(TrainLog *log, LineShape *shape);
bool keyvalue_take(TrainLog *log);
bool keyvalue_again(TrainLog *log, LineShape *shape);
bool pattern_take(TrainLog *log);  // the forms that the user gave
bool heading_take(TrainLog *log);
bool events_take(TrainLog *log);  // lines that say what happened
// The same by sets of words, of a line that is no record.
bool event_words_take(TrainLog *log);
bool heading_again(TrainLog *log, LineShape *shape);
bool bars_take(TrainLog *log);
// Moves after "N/M [T<"; `head` is where N begins, `elapsed` is T.
bool bars_next(Scan *scan, LogPlace *place, size_t *head, Str *elapsed);
bool bars_again(TrainLog *log, LineShape *shape);
// Stores a bar that came to its end: what a line below says follows it.
void bars_end(TrainLog *log);
void bars_finish(TrainLog *log);
// Whether a bar is in the line, "4/10 [00:01<00:02".
bool box_take(TrainLog *log);
// Stores the open box where the line at hand is no part of it.
void box_close(TrainLog *log);
// Lists of local norms, which stand before the step line that they belong to.
bool norm_list_take(TrainLog *log);

// True if one of the first lines is that of a known trainer.
bool trainlog_recognise(Str text, Arena *arena);

// Adds a part for each rank found. False if no line holds a record: the error names the patterns
// that were tried and the closest line.
bool trainlog_read(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                   Notices *notices, Error *err);

#endif
