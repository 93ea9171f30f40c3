// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_NOTICE_H
#define VERNIER_BASE_NOTICE_H

#include "base/account.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/redact.h"
#include "base/str.h"

// One bad thing among good ones: it is recorded, counted and shown in the report, and the work
// goes on. The same text about the same file is counted, not repeated; its place is that of the
// first time.
typedef enum NoticeLevel {
    NOTICE_INFO,
    NOTICE_TOLD,  // the same, said without being asked: it decides how something is read
    NOTICE_WARNING,
    NOTICE_UNMET,  // the same of what was asked for and not done: --quiet does not hide it
    NOTICE_ERROR,
    NOTICE_LEVEL_COUNT
} NoticeLevel;

typedef struct Notice {
    NoticeLevel level;
    Str file;       // empty without a file
    uint64_t line;  // 0: unknown
    int64_t byte;   // -1: unknown
    Str text;
    uint64_t count;  // how often it happened, at least 1
    bool partial;    // part of this input could not be read (exit code 4)
} Notice;

typedef struct Notices {
    Arena *arena;
    const Redaction *redaction;  // what is left out of files and texts; NULL: nothing
    Notice *items;
    size_t count, capacity;
    Account account;  // of the values of the same inputs
    Str title;        // of the run, --title; empty: none
} Notices;

void notices_init(Notices *notices, Arena *arena);

// Text first translated by the caller with tr(). Keep what varies (a name, a number) out of the
// text where many of a kind can come, so that they are counted as one.
void notices_add(Notices *notices, NoticeLevel level, Where where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// As above at level NOTICE_WARNING, and marks the input as partly unreadable: one value more in the
// account that was seen and not understood.
void notices_partial(Notices *notices, Where where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// An Error that costs only part of the work: recorded as NOTICE_ERROR and partial.
void notices_add_error(Notices *notices, const Error *err);

bool notices_any_partial(const Notices *notices);

// Appends all of `from`, in order, and its account. `from` may have another arena; texts are
// copied.
void notices_join(Notices *notices, const Notices *from);

// The same, and `from` is empty afterwards.
void notices_move(Notices *notices, Notices *from);

// Only those that are not there yet, for an input that was read again, whose values are in the
// account already. True if there was one.
bool notices_join_new(Notices *notices, const Notices *from);

#endif
