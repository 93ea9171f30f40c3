// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_CONSOLE_H
#define VERNIER_COMMANDS_MACHINERY_CONSOLE_H

#include "base/notice.h"
#include "commands/machinery/options.h"
#include "commands/machinery/outputs.h"
#include "compare/pair_facts.h"
#include "scene/report.h"

// What a command says: on standard error notices, one line about what was read and where the
// reports are; the verdict on standard output, unless an output goes there. Names from dumps are
// shown with control characters escaped.

// What a watch need not say again, for all processes that draw.
typedef struct Told {
    bool report_shown;  // by --open
    size_t count;
    uint64_t notices[1024];  // checksums
} Told;

typedef struct Console {
    // How often --quiet was given: 1: at exit 0 no more than what a setting judged, 2: nothing.
    int quiet;
    bool verbose;
    bool colour, links;    // of what is said on standard error
    bool result_colour;    // of the verdict
    bool result_aside;     // standard output holds an output: the verdict goes to standard error
    bool result_terminal;  // the verdict is read on a terminal
    bool redact;           // files are named by their last part
    double started;        // monotonic seconds
    Told *told;            // of a watch, or NULL
} Console;

Console console_of(const Options *options);

// The verdict goes to standard error, since standard output holds an output.
void console_result_aside(Console *console);

// Of a command line that could not be read: --quiet and --color are looked for word by word.
Console console_of_words(int argc, char *const *argv);

// Whether a run with this exit code says anything.
bool console_speaks(const Console *console, int code);

// The error without folders, hosts and user names.
Error console_redacted(const Error *err);

// The exit code of an error of its kind.
int console_code(const Error *err);

// "vernier: error: FILE:LINE: text", its hint; gives its exit code.
int console_error(const Console *console, const Error *err);

// A watch says each once.
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

// "report: vernier-compare/index.html (9 files, 2.0 MB)", on a terminal a link.
void console_written(const Console *console, const OutputTarget *target);

// The last line; on a terminal `tree` (or NULL) follows it. False, with *err set (output), if it
// could not be written.
bool console_verdict(const Console *console, const Verdict *verdict, Table *tree, Error *err);

#endif
