// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COLLECTOR_H
#define VERNIER_COMMANDS_COLLECTOR_H

#include <cjson/cJSON.h>

#include "base/notice.h"
#include "scene/report.h"

// Takes all that a command would write and print, so that a study can join several commands in one
// report. Everything is copied: the command's own memory may go. Not for several threads: each part
// of a command that runs in one of its own has its own collector, joined later in the order of the parts.

typedef struct CollectedFigure {
    Str file;              // base name: "curves"
    Str caption;           // as on the command's own page
    const Scene *picture;  // with the verdict on top, for a file of its own; or NULL
    const Scene *on_page;  // without it; or NULL
} CollectedFigure;

typedef struct Collector {
    Arena *arena;
    struct CollectedFigures {
        CollectedFigure *items;
        size_t count, capacity;
    } figures;
    struct CollectedTables {
        Table **items;
        size_t count, capacity;
    } tables;         // the sheets of the command's workbook
    Str summary;      // the text of summary.json
    Verdict verdict;  // empty if there was none
    Notices notices;
    Error err;
    bool failed;  // `err` says why the command gave up
    int code;     // exit code
} Collector;

// summary.json, or NULL if there is none. The caller ends it with cJSON_Delete.
cJSON *collector_parse(const Collector *collector);

// Tables longer than this are cut, and say so.
enum { COLLECTED_ROWS_MAX = 5000 };

void collector_init(Collector *collector, Arena *arena);

void collector_picture(Collector *collector, const char *file, const Scene *scene);
void collector_report(Collector *collector, const Report *report);
void collector_tables(Collector *collector, Table *const *tables, size_t count);
void collector_verdict(Collector *collector, const Verdict *verdict);

// Adds the figures and tables of `part`, which may go afterwards.
void collector_join(Collector *collector, const Collector *part);

const CollectedFigure *collector_figure(const Collector *collector, Str file);  // NULL: none
Table *collector_table(const Collector *collector, Str name);                   // NULL: none

#endif
