// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/console.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/utf8.h"
#include "base/words.h"

double console_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool wants_colour(void)
{
    const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    if (no && *no)
        return false;
    if (force && *force && *force != '0')
        return true;
    return isatty(STDERR_FILENO) == 1;
}

Console console_of(const Options *options)
{
    return (Console){.quiet = options_flag(options, "quiet"),
                     .verbose = options_flag(options, "verbose"),
                     .colour = wants_colour(),
                     .redact = options_flag(options, "redact"),
                     .started = console_now()};
}

static void print_display(Str text)
{
    Arena *scratch = arena_new();
    Str shown = utf8_display(text, scratch);
    fprintf(stderr, STR_FMT, STR_ARG(shown));
    arena_release(scratch);
}

static void print_place(Str file, uint64_t line, int64_t byte)
{
    if (file.size == 0)
        return;
    print_display(file);
    if (line)
        fprintf(stderr, ":%" PRIu64, line);
    if (byte >= 0) {
        fputs(": ", stderr);
        fprintf(stderr, tr("byte %lld"), (long long)byte);
    }
    fputs(": ", stderr);
}

Error console_redacted(const Error *err)
{
    static const Redaction folders = {0};
    Arena *scratch = arena_new();
    Error out = *err;
    Str file = err->file[0] ? redact_path(&folders, str_of(err->file), scratch) : STR("");
    Str text = redact_text(&folders, str_of(err->text), scratch);
    Str hint = redact_text(&folders, str_of(err->hint), scratch);
    snprintf(out.file, sizeof out.file, STR_FMT, STR_ARG(file));
    snprintf(out.text, sizeof out.text, STR_FMT, STR_ARG(text));
    snprintf(out.hint, sizeof out.hint, STR_FMT, STR_ARG(hint));
    arena_release(scratch);
    return out;
}

int console_error(const Console *console, const Error *said)
{
    static const int codes[] = {[ERR_USAGE] = 2, [ERR_INPUT] = 3, [ERR_OUTPUT] = 5};
    Error shown = console->redact ? console_redacted(said) : *said;
    const Error *err = &shown;
    fprintf(stderr, "vernier: %s%s%s: ", console->colour ? "\x1b[1;31m" : "", tr("error"),
            console->colour ? "\x1b[0m" : "");
    print_place(str_of(err->file), err->line, err->byte);
    print_display(str_of(err->text));
    fputc('\n', stderr);
    if (err->hint[0]) {
        fprintf(stderr, "  %s: ", tr("hint"));
        print_display(str_of(err->hint));
        fputc('\n', stderr);
    }
    return codes[err->kind];
}

static void print_notice(const Notice *notice)
{
    static const char *const levels[] = {TR("note"), TR("warning"), TR("error")};
    fprintf(stderr, "vernier: %s: ", tr(levels[notice->level]));
    print_place(notice->file, notice->line, notice->byte);
    print_display(notice->text);
    if (notice->count > 1)
        fprintf(stderr, tr(" (%llu times)"), (unsigned long long)notice->count);
    fputc('\n', stderr);
}

// Enough to see what is wrong; the report has them all.
enum { NOTICES_SHOWN = 12 };

void console_notices(const Console *console, const Notices *notices)
{
    size_t shown = 0, hidden = 0;
    for (size_t i = 0; i < notices->count; i++) {
        const Notice *notice = &notices->items[i];
        bool wanted = console->verbose || (!console->quiet && notice->level > NOTICE_INFO) ||
                      notice->level == NOTICE_ERROR;
        if (!wanted)
            continue;
        if (!console->verbose && shown == NOTICES_SHOWN) {
            hidden++;
            continue;
        }
        print_notice(notice);
        shown++;
    }
    if (hidden)
        fprintf(stderr, tr("vernier: note: %zu more; --verbose prints them all\n"), hidden);
}

void console_add_read(ReadTotals *totals, const ReadFact *read)
{
    totals->files += read->file.size > 0;
    totals->bytes += read->bytes;
    totals->ops += read->ops;
}

static void print_files(const ReadTotals *totals)
{
    fprintf(stderr,
            totals->rows
                ? tr_count(totals->files, "read %llu file, %.1f MB", "read %llu files, %.1f MB")
            : totals->weights
                ? tr_count(totals->files, "read %llu checkpoint, %.1f MB",
                           "read %llu checkpoints, %.1f MB")
                : tr_count(totals->files, "read %llu dump, %.1f MB", "read %llu dumps, %.1f MB"),
            (unsigned long long)totals->files, (double)totals->bytes / 1e6);
}

static void print_content(const ReadTotals *totals)
{
    char count[NUMBER_BYTES];
    number_count(totals->ops, count);
    fprintf(stderr,
            totals->rows      ? tr_count(totals->ops, ", %s row", ", %s rows")
            : totals->weights ? tr_count(totals->ops, ", %s weight", ", %s weights")
                              : tr_count(totals->ops, ", %s op", ", %s ops"),
            count);
}

void console_read_line(const Console *console, const ReadTotals *totals, const Notices *notices)
{
    if (console->quiet)
        return;
    double seconds = totals->seconds > 0 ? totals->seconds : console_now() - console->started;
    print_files(totals);
    print_content(totals);
    fprintf(stderr, tr(" in %.2f s (%.0f MB/s)"), seconds,
            seconds > 0 ? (double)totals->bytes / 1e6 / seconds : 0);
    uint64_t skipped = 0;
    for (size_t i = 0; i < notices->count; i++)
        if (notices->items[i].level > NOTICE_INFO)
            skipped += notices->items[i].count;
    if (skipped)
        fprintf(stderr, tr_count(skipped, "; %llu problem", "; %llu problems"),
                (unsigned long long)skipped);
    fputc('\n', stderr);
}

void console_verdict(const Console *console, const Verdict *verdict)
{
    const char *colour = "";
    if (console->colour)
        colour = verdict->style == STYLE_ERROR ? "\x1b[1;31m" : "\x1b[1m";
    fputs(colour, stderr);
    print_display(verdict->sentence);
    fputs(console->colour ? "\x1b[0m\n" : "\n", stderr);
}
