// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_RECORD_OBJECT_H
#define VERNIER_READ_LOG_RECORD_OBJECT_H

#include "read/json/python_literal.h"
#include "read/log/epoch_counter.h"
#include "read/log/log_part.h"
#include "read/log/name_memo.h"

// One JSON object or Python dict that a trainer logged: its numbers, its step, and what it is about
// (docs/spec/curves.md §4.4).

enum { RECORD_EPOCH_MAX = 1000000000 };  // beyond it a number is no epoch

typedef struct RecordField {
    Str key;
    Figure figure;
    bool absent;         // null
    uint32_t depth;      // 1: of the object itself, not of a container in it
    uint32_t container;  // which object of the record it is a member of
    size_t place;        // among the object's fields
} RecordField;

typedef struct RecordObject {
    RecordField *items;
    size_t count, capacity;
    NameMemo *names;  // what the keys mean
    bool has_step, has_epoch;
    int64_t step, epoch;
    const char *step_text, *epoch_text;  // their digits; NULL: they do not stand by themselves
    uint64_t fractional;                 // epochs with a fraction so far, over all objects read
    bool has_elapsed;
    double elapsed;          // seconds since the start of the run
    bool is_training;        // has a loss, a norm or a rate
    bool is_measured;        // has a loss or a norm
    bool is_evaluation;      // has eval_…
    bool is_all_evaluation;  // {"mode": "val"}: its step counts something else
    bool is_named;           // {"name": "loss", "value": 2.5}: one series of a step
    bool names_loss;         // {"loss": "mse"}: a setting, or a record that does not have its loss
    bool is_summary;         // the last record of a run: means over all of it, no point
} RecordObject;

// Reads the object at the reader; containers of metrics ("data", "train", "val") are flattened, of
// others ("optim", "Loss/loss") what a curve is drawn of is taken, settings are skipped; the
// object's own members go before theirs. What is in "val" or next to {"mode": "val"} is of an
// evaluation; {"name": "loss", "value": 2.5} is a loss, in a list too. A step may be the list
// [epoch, step].
//
// Texts that are numbers count as numbers. False if the object is broken off; what
// was read before is kept. `out` may be used again; keys live as long as the reader's text.
bool record_object_read(LiteralReader *reader, Arena *arena, RecordObject *out);

// What the record says of its place, as record_object_step takes it.
LogPlace record_object_place(const RecordObject *record);

// True if the record is one of training by its names alone, so that one of the same names with
// other numbers is.
bool record_object_is_plain(const RecordObject *record);

// Its step: where the counter begins anew with each epoch, over all epochs; without one, the epoch,
// if whole epochs are all that was printed. False: it has neither.
bool record_object_step(const RecordObject *record, EpochCounter *counter, Arena *arena,
                        int64_t *out);

// Adds it to the part as a record at `step`, with the event of an evaluation. False for a summary
// or an object without a number.
bool record_object_store(const RecordObject *record, Part *part, int64_t step, uint64_t line);

#endif
