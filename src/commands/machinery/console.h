// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_CONSOLE_H
#define VERNIER_COMMANDS_MACHINERY_CONSOLE_H

#include "base/notice.h"
#include "commands/machinery/options.h"
#include "compare/pair_facts.h"
#include "scene/report.h"

// What a command says on standard error: notices, one line about what was read, the verdict as the
// last line. Names from dumps are shown with control characters escaped.

typedef struct Console {
    bool quiet, verbose, colour;
    bool redact;     // errors name files by their last part
    double started;  // monotonic seconds
} Console;

Console console_of(const Options *options);

// The error without folders, hosts and user names.
Error console_redacted(const Error *err);

// "vernier: error: FILE:LINE: text", its hint; gives the exit code of its kind.
int console_error(const Console *console, const Error *err);

void console_notices(const Console *console, const Notices *notices);

typedef struct ReadTotals {
    uint64_t files, bytes, ops;
    bool rows;       // files with rows were read, not dumps with ops
    bool weights;    // checkpoints with weights
    double seconds;  // that reading took; 0: since the start
} ReadTotals;
double console_now(void);  // monotonic seconds
void console_add_read(ReadTotals *totals, const ReadFact *read);

// What was read, how fast, and what was skipped.
void console_read_line(const Console *console, const ReadTotals *totals, const Notices *notices);
void console_verdict(const Console *console, const Verdict *verdict);

#endif
