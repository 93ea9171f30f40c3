// SPDX-License-Identifier: Apache-2.0
#include "read/trainlog.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "read/log_time.h"

// In the order in which they are tried; the loosest pattern comes last.
static const Dialect dialects[] = {
    {"megatron",    true,  megatron_take   },
    {"mindformers", true,  mindformers_take},
    {"deepspeed",   true,  deepspeed_take  },
    {"huggingface", true,  huggingface_take},
    {"mindformers", false, norm_list_take  },
    {"text",        true,  keyvalue_take   },
};
enum { DIALECT_COUNT = sizeof dialects / sizeof *dialects };

// A rank at the very start of the line: "[default7]:", "[rank7]:", "[rank-7/8]", "[1,7]<stdout>:",
// "7: ".
static int64_t prefix_rank(Str line)
{
    static const char *const openings[] = {"[default", "[rank-", "[rank", "[1,", "[Rank "};
    Scan scan = scan_of(line);
    int64_t rank;
    scan_blanks(&scan);
    if (scan_uint(&scan, &rank))
        return scan_word(&scan, ": ") && rank < 1000000 ? rank : -1;
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        Scan at = scan;
        if (scan_word(&at, openings[i]) && scan_uint(&at, &rank))
            return scan_char(&at, ']') || scan_char(&at, '/') ? rank : -1;
    }
    return -1;
}

Part *trainlog_part(TrainLog *log, const char *format)
{
    if (log->part) {
        if (log->part->record_count == 0)
            log->part->format = format;
        return log->part;
    }
    int64_t rank = prefix_rank(log->line);
    rank = rank < 0 ? log->file_rank : rank;
    for (size_t i = log->first_part; i < log->parts->count && !log->part; i++)
        if (log->parts->items[i]->rank == rank)
            log->part = log->parts->items[i];
    if (!log->part)
        log->part = part_new(log->parts, log->path, rank, format, log->arena);
    return log->part;
}

void trainlog_begin(TrainLog *log, Part *part, int64_t step, int kind)
{
    double time = log_time(log->line, &log->time_place);
    if (part->record_count == 0 && isnan(part->start_time))
        part->start_time = time;
    part_begin(part, step, kind, log->number);
    part_add_time(part, time);
    if (log->has_pending) {
        log->pending.step = step;
        if (part->norms.count < 16)
            *ARRAY_PUSH(log->arena, &part->norms) = log->pending;
        log->has_pending = false;
        log->sizes = STR("");
    }
}

bool trainlog_end(TrainLog *log, Part *part)
{
    bool any = part_end(part);
    log->found += any;
    if (!any && log->damaged++ == 0)
        log->damaged_line = log->number;
    PartSeries *norm = part_find(part, "grad_norm");
    if (norm && norm->record == part->record && norm->points.count)
        trainlog_norm(part, norm->points.items[norm->points.count - 1].value);
    return any;
}

void trainlog_norm(Part *part, double global_norm)
{
    for (size_t i = 0; i < part->norms.count; i++)
        if (part->norms.items[i].step == part->last_step && isnan(part->norms.items[i].global_norm))
            part->norms.items[i].global_norm = global_norm;
}

// `first` is the dialect that took the line before: the next line is likely of the same.
static int take_line(TrainLog *log, int first)
{
    log->part = NULL;
    if (log->in_list && norm_list_take(log))
        return first;
    if (first >= 0 && dialects[first].take(log))
        return first;
    for (int i = 0; i < DIALECT_COUNT; i++)
        if (i != first && dialects[i].take(log))
            return i;
    return -1;
}

bool trainlog_recognise(Str text, Arena *arena)
{
    Parts parts = {0};
    Notices notices;
    notices_init(&notices, arena);
    TrainLog log = {
        .path = "", .arena = arena, .parts = &parts, .bar_time = NAN, .notices = &notices};
    Lines lines;
    lines_open(&lines, str_slice(text, 0, 256 << 10), arena);
    for (int count = 0; count < 400 && lines_next(&lines, &log.line); count++) {
        int taken = take_line(&log, -1);
        if (taken >= 0 && dialects[taken].strong)
            return true;
    }
    return false;
}

static bool looks_close(Str line)
{
    static const char *const words[] = {"loss", "iteration", "step"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_find(line, str_of(words[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

static bool nothing_found(const char *path, Str text, Arena *arena, Error *err)
{
    Lines lines;
    lines_open(&lines, text, arena);
    Str line;
    uint64_t number = 0;
    while (number == 0 && lines_next(&lines, &line))
        if (looks_close(line))
            number = lines.line;
    error_set(err, ERR_INPUT, number ? WHERE_LINE(path, number) : WHERE_FILE(path), "%s",
              number ? tr("no training record; this line comes closest")
                     : tr("no training record in this file"));
    return error_hint(err, "%s",
                      tr("tried: 'iteration I/I |', '{ Epoch:[ I/ I], step:[ I/ I]', "
                         "'{ step:[ I/ I],', {'loss': …}, 'step=I, skipped=I, lr=[', "
                         "'steps: I loss: N', 'step: I … loss: N', CSV, TSV, JSON, event file"));
}

// A line of a process that was killed, or still runs: a number at its end may be cut. One that ends
// as records do is whole.
static bool breaks_off(const TrainLog *log, const Lines *lines, Str text)
{
    if (lines->at < text.size || text.data[text.size - 1] == '\n')
        return false;
    Str line = str_trim(log->line);
    return line.size && memchr("|}])%T", line.data[line.size - 1], 6) == NULL;
}

static void report(const TrainLog *log, const Lines *lines)
{
    if (log->unfinished_line)
        notices_add(log->notices, NOTICE_WARNING, WHERE_LINE(log->path, log->unfinished_line), "%s",
                    tr("the last line has no end and is left out (still being written?)"));
    if (lines->long_count)
        notices_partial(log->notices, WHERE_LINE(log->path, lines->long_line), "%s",
                        tr("lines of more than 1 MiB are skipped"));
    if (log->damaged)
        notices_partial(log->notices, WHERE_LINE(log->path, log->damaged_line),
                        tr_count(log->damaged, "%llu step line holds no number",
                                 "%llu step lines hold no number, from this line"),
                        (unsigned long long)log->damaged);
    if (log->unnumbered)
        notices_add(log->notices, NOTICE_WARNING, WHERE_FILE(log->path), "%s",
                    tr("the records carry no step; they are numbered 1, 2, 3, …"));
    for (size_t i = log->first_part; i < log->parts->count; i++)
        if (log->parts->items[i]->ignored_series)
            notices_add(log->notices, NOTICE_WARNING, WHERE_FILE(log->path), "%s",
                        tr("only the first 4,096 names of series are kept"));
}

bool trainlog_read(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                   Notices *notices, Error *err)
{
    TrainLog log = {.path = path,
                    .arena = arena,
                    .parts = out,
                    .file_rank = file_rank,
                    .bar_time = NAN,
                    .first_part = out->count,
                    .notices = notices};
    Lines lines;
    lines_open(&lines, text, arena);
    int last = -1;
    while (lines_next(&lines, &log.line)) {
        log.number = lines.line;
        if (breaks_off(&log, &lines, text)) {
            log.unfinished_line = log.number;
            break;
        }
        int taken = take_line(&log, last);
        last = taken >= 0 ? taken : last;
    }
    report(&log, &lines);
    return log.found ? true : nothing_found(path, text, arena, err);
}
