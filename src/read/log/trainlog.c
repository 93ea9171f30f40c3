// SPDX-License-Identifier: Apache-2.0
#include "read/log/trainlog.h"

#include <math.h>

#include "base/array.h"

#include "read/log/log_time.h"

// A rank at the very start of the line: "[default7]:", "[rank7]:", "[rank-7/8]", "[1,7]<stdout>:",
// "7: ".
// `stop` is where it ends.
static int64_t prefix_rank(Str line, size_t *stop)
{
    static const char *const openings[] = {"[default", "[rank-", "[rank", "[1,", "[Rank "};
    Scan scan = scan_of(line);
    int64_t rank;
    scan_blanks(&scan);
    if (scan_uint(&scan, &rank)) {
        *stop = scan.at;
        return scan_word(&scan, ": ") && rank < 1000000 ? rank : -1;
    }
    if (scan.at == line.size || line.data[scan.at] != '[')
        return -1;
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        Scan at = scan;
        if (scan_word(&at, openings[i]) && scan_uint(&at, &rank)) {
            *stop = at.at;
            return scan_char(&at, ']') || scan_char(&at, '/') ? rank : -1;
        }
    }
    return -1;
}

static int64_t line_rank(const TrainLog *log)
{
    size_t stop;
    int64_t rank = prefix_rank(log->prefix.size ? log->prefix : log->line, &stop);
    return rank < 0 ? log->file_rank : rank;
}

Str trainlog_below(const TrainLog *log)
{
    return str_slice(log->shapes.text, log->stop, log->shapes.text.size);
}

void trainlog_role(TrainLog *log)
{
    if (log->census && !log->has_role)
        census_role(log->census, log->line, &log->role);
    log->has_role = true;
}

static Part *find_part(const TrainLog *log, int64_t rank, bool of_epochs)
{
    NameId id = log->ranks ? names_find(log->ranks, names_number(&rank)) : NAME_NONE;
    return id == NAME_NONE ? NULL : log->rank_parts[id].of[of_epochs];
}

Part *trainlog_find(const TrainLog *log, bool of_epochs)
{
    return find_part(log, line_rank(log), of_epochs);
}

const Part *trainlog_twin(const TrainLog *log, const Part *part)
{
    return find_part(log, part->rank, !part->of_epochs);
}

static Part *make_part(TrainLog *log, bool of_epochs, const char *format)
{
    int64_t rank = line_rank(log);
    log->ranks = log->ranks ? log->ranks : names_new(log->arena);
    NameId id = names_add(log->ranks, names_number(&rank));
    Part *part = part_new(log->parts, log->path, rank, format, log->arena);
    part->of_epochs = of_epochs;
    ARRAY_REACH(log->arena, log->rank_parts, log->rank_parts_count, id)[id].of[of_epochs] = part;
    return part;
}

Part *trainlog_part_of_epochs(TrainLog *log, const char *format)
{
    log->part = trainlog_find(log, true);
    if (!log->part)
        log->part = make_part(log, true, format);
    return log->part;
}

Part *trainlog_part(TrainLog *log, const char *format)
{
    if (log->part) {
        if (log->part->record_count == 0)
            log->part->format = format;
        return log->part;
    }
    log->part = trainlog_find(log, false);
    if (!log->part)
        log->part = make_part(log, false, format);
    return log->part;
}

bool trainlog_counts(const TrainLog *log)
{
    uint64_t stepless = log->stepless ? log->stepless->record_count : 0;
    return log->found > stepless + log->evaluated + 1;
}

static void begin_at(TrainLog *log, Part *part, int64_t step, int kind, double time)
{
    if (part->record_count == 0 && isnan(part->start_time))
        part->start_time = time;
    part_begin(part, step, kind, log->number);
    log->last_x = step;
    part_add_time(part, time);
    if (log->has_pending) {
        log->pending.step = step;
        if (part->norms.count < NORM_LISTS_MAX)
            *ARRAY_PUSH(log->arena, &part->norms) = log->pending;
        log->has_pending = false;
        log->sizes = STR("");
    }
}

// When the line was written.
static double time_of(TrainLog *log)
{
    double time = log->prefix.size ? log_time(log->prefix, &log->time_place) : NAN;
    return isnan(time) ? log_time(log->line, &log->time_place) : time;
}

void trainlog_event(TrainLog *log, EventKind kind, int64_t step, int64_t rank, bool once)
{
    enum { TEXT_MAX = 200, EVENTS_BACK = 16 };
    size_t count = log->happened.count;
    for (size_t i = count; once && i > 0 && i + EVENTS_BACK > count; i--)
        if (log->happened.items[i - 1].kind == kind && log->happened.items[i - 1].step == step)
            return;
    bool any = count > 0;
    const Event *last = any ? &log->happened.items[count - 1] : NULL;
    Str text = str_slice(str_trim(log->line), 0, TEXT_MAX);
    bool same = any && last->kind == kind && last->step == step;
    bool below = same && last->line + 1 == log->number && str_equal(last->text, text);
    log->overflow_lines += kind == EVENT_OVERFLOW || kind == EVENT_SKIP;
    if (below || (same && rank >= 0 && last->rank >= 0 && last->rank != rank))
        return;
    *ARRAY_PUSH(log->arena, &log->happened) = (Event){.kind = kind,
                                                      .step = step,
                                                      .rank = rank,
                                                      .count = 1,
                                                      .text = str_copy(log->arena, text),
                                                      .file = log->path,
                                                      .line = log->number};
}

// In the order of the lines.
static void insert_event(TrainLog *log, Part *part, const Event *event)
{
    ARRAY_PUSH(log->arena, &part->events);
    size_t at = part->events.count - 1;
    for (; at > 0 && part->events.items[at - 1].line > event->line; at--)
        part->events.items[at] = part->events.items[at - 1];
    part->events.items[at] = *event;
    if (event->rank < 0)
        part->events.items[at].rank = part->rank;
}

void trainlog_tell_events(TrainLog *log)
{
    Part *part = log->parts->count > log->first_part ? log->parts->items[log->first_part] : NULL;
    for (size_t i = 0; part && i < log->happened.count; i++)
        insert_event(log, part, &log->happened.items[i]);
}

void trainlog_begin(TrainLog *log, Part *part, int64_t step, int kind)
{
    begin_at(log, part, step, kind, time_of(log));
}

// Gives pending local norms the global norm of the record just ended.
static void give_norm(Part *part, double global_norm)
{
    for (size_t i = 0; i < part->norms.count; i++)
        if (part->norms.items[i].step == part->last_step && isnan(part->norms.items[i].global_norm))
            part->norms.items[i].global_norm = global_norm;
}

bool trainlog_end(TrainLog *log, Part *part)
{
    bool any = part_end(part);
    log->found += any;
    if (!any && log->damaged++ == 0)
        log->damaged_line = log->number;
    PartSeries *norm = part->norms.count ? part_find(part, "grad_norm") : NULL;
    if (norm && norm->record == part->record && norm->points.count)
        give_norm(part, norm->points.items.value[norm->points.count - 1]);
    return any;
}

// What says which rank a line is of, or would with other digits.
static Str rank_text(Str line)
{
    size_t stop;
    if (prefix_rank(line, &stop) >= 0)
        return str_slice(line, 0, stop);
    Scan scan = scan_of(line);
    int64_t number;
    scan_blanks(&scan);
    bool listed = scan_char(&scan, '[');
    if (!scan_uint(&scan, &number) || !scan_char(&scan, listed ? ',' : ':'))
        return STR("");
    scan_uint(&scan, &number);
    return str_slice(line, 0, scan.at);
}

static bool are_digits(const char *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_digit(at[i]))
            return false;
    return true;
}

// "2026-01-31": no line without one says when it was written, and all lines of a shape have one.
static bool has_date(Str line)
{
    for (size_t at = str_find_char(line, '-', 4); at != SIZE_MAX && at + 6 <= line.size;
         at = str_find_char(line, '-', at + 1)) {
        const char *dash = line.data + at;
        if (dash[3] == '-' && are_digits(dash - 4, 4) && are_digits(dash + 1, 2) &&
            are_digits(dash + 4, 2))
            return true;
    }
    return false;
}

void trainlog_plain(TrainLog *log, Part *part, const LogPlace *place)
{
    log->reading = line_reading(place, part);
    log->reading.padded = true;
    log->reading.has_date = has_date(log->line) || has_date(log->prefix);
    log->reading.fixed[log->reading.fixed_count++] = rank_text(log->line);
}

bool trainlog_again(TrainLog *log, const LineShape *shape, int64_t step)
{
    const LineReading *reading = &shape->reading;
    log->part = reading->part;
    double time = reading->has_date ? time_of(log) : NAN;
    begin_at(log, log->part, step, reading->kind, time);
    part_add_again(log->part, reading->fields, reading->field_count, reading->beside_loss);
    return trainlog_end(log, log->part);
}
