// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/console.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/number.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/words.h"
#include "commands/machinery/terminal_text.h"
#include "report/kit/tree_text.h"
#include "verdict/figure_text.h"

double console_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// A terminal that takes escape sequences.
static bool is_terminal(int handle)
{
    const char *term = getenv("TERM");
    return isatty(handle) == 1 && !(term && strcmp(term, "dumb") == 0);
}

// What the user asks for on the command line stands before what the environment asks for.
static bool wants_colour(Str asked, int handle)
{
    const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    if (!str_equal(asked, STR("auto")))
        return str_equal(asked, STR("always"));
    if (no && *no)
        return false;
    if (force && *force && *force != '0')
        return true;
    return is_terminal(handle);
}

static bool output_is_standard(const Options *options)
{
    for (size_t i = 0; i < options_list_count(options, "output"); i++)
        if (str_equal(options_list_item(options, "output", i), STR("-")))
            return true;
    return false;
}

void console_result_aside(Console *console)
{
    console->result_aside = true;
    console->result_colour = console->colour;
    console->result_terminal = isatty(STDERR_FILENO) == 1;
}

Console console_of(const Options *options)
{
    Str colour = options_text(options, "color", "auto");
    Console console = {.quiet = (int)options_list_count(options, "quiet"),
                       .verbose = options_flag(options, "verbose"),
                       .colour = wants_colour(colour, STDERR_FILENO),
                       .links = is_terminal(STDERR_FILENO) && !options_flag(options, "redact"),
                       .result_colour = wants_colour(colour, STDOUT_FILENO),
                       .result_terminal = isatty(STDOUT_FILENO) == 1,
                       .redact = options_flag(options, "redact"),
                       .started = console_now(),
                       .told = options->told};
    if (output_is_standard(options))
        console_result_aside(&console);
    return console;
}

Console console_of_words(int argc, char *const *argv)
{
    int quiet = 0;
    Str colour = STR("auto");
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        Str word = str_of(argv[i]);
        quiet += STR_IN(word, "-q", "--quiet") ? 1 : STR_IN(word, "-qq") ? 2 : 0;
        if (str_starts(word, STR("--color=")))
            colour = str_behind(word, '=');
        else if (str_equal(word, STR("--color")) && i + 1 < argc)
            colour = str_of(argv[i + 1]);
    }
    return (Console){.quiet = quiet, .colour = wants_colour(colour, STDERR_FILENO)};
}

bool console_speaks(const Console *console, int code)
{
    return console->quiet == 0 || (console->quiet == 1 && code != 0);
}

static void print_to(FILE *out, Str text)
{
    Arena *scratch = arena_new();
    Str shown = utf8_display(text, scratch);
    fprintf(out, STR_FMT, STR_ARG(shown));
    arena_release(scratch);
}

static void print_display(Str text)
{
    print_to(stderr, text);
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

int console_code(const Error *err)
{
    static const int codes[] = {[ERR_USAGE] = 2, [ERR_INPUT] = 3, [ERR_OUTPUT] = 5};
    return codes[err->kind];
}

int console_error(const Console *console, const Error *said)
{
    if (console->quiet > 1)
        return console_code(said);
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
    return console_code(err);
}

static void print_notice(const Notice *notice)
{
    static const char *const levels[] = {TR("note"), TR("note"), TR("warning"), TR("warning"),
                                         TR("error")};
    fprintf(stderr, "vernier: %s: ", tr(levels[notice->level]));
    print_place(notice->file, notice->line, notice->byte);
    print_display(notice->text);
    if (notice->count > 1)
        fprintf(stderr, tr(" (%llu times)"), (unsigned long long)notice->count);
    fputc('\n', stderr);
}

// Whether a watch has said it before; notes that it has now.
static bool is_told(Told *told, const Notice *notice)
{
    uint64_t sum = (uint64_t)crc32c(notice->file.data, notice->file.size) << 32 |
                   crc32c(notice->text.data, notice->text.size);
    for (size_t i = 0; told && i < told->count; i++)
        if (told->notices[i] == sum)
            return true;
    if (told && told->count < sizeof told->notices / sizeof *told->notices)
        told->notices[told->count++] = sum;
    return false;
}

// Enough to see what is wrong; the report has them all.
enum { NOTICES_SHOWN = 12 };

void console_notices(const Console *console, const Notices *notices)
{
    size_t shown = 0, hidden = 0;
    for (size_t i = 0; i < notices->count && console->quiet < 2; i++) {
        const Notice *notice = &notices->items[i];
        bool wanted = console->verbose || (!console->quiet && notice->level > NOTICE_INFO) ||
                      notice->level >= NOTICE_UNMET;
        if (!wanted || is_told(console->told, notice))
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
    fprintf(stderr, tr(" in %.2f s"), seconds);
    uint64_t skipped = 0;
    for (size_t i = 0; i < notices->count; i++)
        if (notices->items[i].level > NOTICE_TOLD)
            skipped += notices->items[i].count;
    if (skipped)
        fprintf(stderr, tr_count(skipped, "; %llu problem", "; %llu problems"),
                (unsigned long long)skipped);
    fputc('\n', stderr);
}

// As a link of the terminal (OSC 8), where the file has a place that can be told.
static void print_link(Str path)
{
    char host[256] = "", here[PATH_MAX] = "";
    Arena *scratch = arena_new();
    Str shown = utf8_display(path, scratch);
    bool whole = str_starts(path, STR("/"));
    if (gethostname(host, sizeof host - 1) == 0 && (whole || getcwd(here, sizeof here - 1))) {
        StrBuf link = strbuf_new(scratch);
        for (const char *at = path_join(scratch, whole ? "" : here, path); *at; at++)
            strbuf_printf(&link,
                          (*at >= '-' && *at <= '9') || ((*at | 32) >= 'a' && (*at | 32) <= 'z')
                              ? "%c"
                              : "%%%02X",
                          (unsigned char)*at);
        fprintf(stderr, "\x1b]8;;file://%s" STR_FMT "\x1b\\" STR_FMT "\x1b]8;;\x1b\\", host,
                STR_ARG(strbuf_str(&link)), STR_ARG(shown));
    } else {
        fprintf(stderr, STR_FMT, STR_ARG(shown));
    }
    arena_release(scratch);
}

void console_written(const Console *console, const OutputTarget *target)
{
    const OutputMade *made = target->made;
    if (console->quiet || !made || made->files == 0)
        return;
    Arena *arena = arena_new();
    Str path = outputs_first_file(target, arena);
    fprintf(stderr, "%s: ", tr("report"));
    if (console->links)
        print_link(path);
    else
        print_display(console->redact ? path_base(path) : path);
    if (made->files > 1)
        fprintf(stderr, tr(" (%s files, %.1f MB)"),
                str_cstr(arena, figure_count(made->files, arena)), (double)made->bytes / 1e6);
    fputc('\n', stderr);
    arena_release(arena);
}

static void print_tree(const Console *console, Table *tree, FILE *out)
{
    Arena *scratch = arena_new();
    Str text = tree_text(tree, terminal_columns(fileno(out)), console->result_colour, scratch);
    fwrite(text.data, 1, text.size, out);
    arena_release(scratch);
}

bool console_verdict(const Console *console, const Verdict *verdict, Table *tree, Error *err)
{
    FILE *out = console->result_aside ? stderr : stdout;
    if (console->result_colour)
        fputs(verdict->style == STYLE_ERROR ? "\x1b[1;31m" : "\x1b[1m", out);
    print_to(out, verdict->sentence);
    fputs(console->result_colour ? "\x1b[0m\n" : "\n", out);
    if (tree && console->result_terminal && !console->quiet)
        print_tree(console, tree, out);
    if (fflush(out) == 0 && !ferror(out))
        return true;
    return error_set(err, ERR_OUTPUT, NOWHERE, "%s",
                     tr("the verdict cannot be written to standard output"));
}
