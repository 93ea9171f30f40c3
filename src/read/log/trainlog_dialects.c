// SPDX-License-Identifier: Apache-2.0
#include "read/log/trainlog_dialects.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "read/log/line_guess.h"
#include "read/log/line_sections.h"
#include "read/log/log_forms.h"
#include "read/log/log_words.h"
#include "read/log/trainlog_keyvalue.h"

// In the order in which they are tried; the loosest pattern comes last.
static const Dialect dialects[] = {
    {"huggingface", true, huggingface_take, huggingface_again},
    {"mindformers", false, norm_list_take, NULL},
    {"bar", true, bars_take, bars_again},
    {"heading", true, heading_take, heading_again},
    {"box", false, box_take, NULL},
    {"text", true, keyvalue_take, keyvalue_again},
};
enum { DIALECT_COUNT = sizeof dialects / sizeof *dialects };

// The line has a shape that its dialect knows. Only one that is asked first, so that no other takes
// note of the line before. Shapes take a comma for one of thousands.
static bool take_again(TrainLog *log, int first)
{
    bool evaluates = log->evaluates && first == DIALECT_COUNT - 1;
    if (first < 0 || log->in_list || evaluates || log->parts->parses_all ||
        log->names->decimal_comma)
        return false;
    LineShape *shape = shapes_find(&log->shapes, log->line, first + 1);
    // The rank may are in what was dropped in front.
    bool same = !shape || !log->prefix_ranks || trainlog_find(log, false) == shape->reading.part;
    return shape && same && dialects[first].again(log, shape);
}

// What a line below a bar says follows it.
static bool take(TrainLog *log, int dialect)
{
    if (dialects[dialect].take == keyvalue_take)
        bars_end(log);
    return dialects[dialect].take(log);
}

static bool take_first(TrainLog *log, int first)
{
    if (!take(log, first))
        return false;
    if (log->reading.plain && !log->parts->parses_all)
        log->learnt = shapes_learn(&log->shapes, log->line, &log->reading, first + 1, log->arena);
    return true;
}

// Before any record a word of an evaluation is one of the settings.
static void note_phase(TrainLog *log)
{
    LineHeading heading = line_heading(log->line);
    if (heading == HEADING_NONE)
        return;
    log->evaluates = heading == HEADING_EVALUATION && log->found;
    if (heading != HEADING_EVALUATION)
        log->trains = heading == HEADING_TRAINING;
}

// A setting stands above all records and gives no loss; what repeats the values of a line above is
// no record. Bars and what heads records are neither.
static bool is_aside(TrainLog *log)
{
    Pair pairs[PAIRS_MAX];
    if (log->role.is_echo)
        return true;
    if (!log->role.is_above || log->role.is_heading || log->role.names_epoch)
        return false;
    size_t count = line_pairs(log->line, log->names, pairs);
    for (size_t i = 0; i < count; i++)
        if (pairs[i].facts.loss || pairs[i].facts.evaluation)
            return false;
    return count > 0;
}

// What stands for the value of a loss or norm that is named here; NULL: none is, or in quotes, as
// in a dict, whose reader counts such values itself.
static Str named_value(Str line, size_t at)
{
    Str key = str_slice(line, at, at + 4);
    if (!str_equal_nocase(key, STR("loss")) && !str_equal_nocase(key, STR("norm")))
        return (Str){NULL, 0};
    for (at += 4; at < line.size && line.data[at] == ' ';)
        at++;
    if (at == line.size || (line.data[at] != ':' && line.data[at] != '='))
        return (Str){NULL, 0};
    for (at++; at < line.size && line.data[at] == ' ';)
        at++;
    size_t end = at;
    while (end < line.size && !strchr(" ,;|}])=:", line.data[end]))
        end++;
    // "loss= grad_norm=1.5": the next name.
    if (end < line.size && (line.data[end] == '=' || line.data[end] == ':'))
        end = at;
    return str_slice(line, at, end);
}

// "loss: |", "grad_norm=<hidden>": neither a number nor a word that loops print for none. A word in
// a line that is no record is a setting.
static bool names_no_number(Str line, bool record)
{
    static const char *const words[] = {"none", "null", "n/a", "nan", "inf", "∞", "skip", "over"};
    for (size_t i = 0; i + 4 < line.size; i++) {
        Str value = named_value(line, i);
        bool number = value.data == NULL || (!record && value.size);
        for (size_t k = 0; k < value.size && !number; k++) {
            number = value.data[k] >= '0' && value.data[k] <= '9';
            for (size_t w = 0; w < sizeof words / sizeof *words && !number; w++) {
                Str word = str_of(words[w]);
                number = str_equal_nocase(str_slice(value, k, k + word.size), word);
            }
        }
        if (!number)
            return true;
    }
    return false;
}

static bool counts_steps(TrainLog *log)
{
    Pair pairs[PAIRS_MAX];
    size_t count = line_pairs(log->line, log->names, pairs);
    for (size_t i = 0; i < count; i++)
        if (pairs[i].facts.step)
            return true;
    return false;
}

// Whether the dialect asks of any line what its words are.
static bool is_loose(int dialect)
{
    return dialects[dialect].take == box_take || dialects[dialect].take == keyvalue_take ||
           dialects[dialect].take == huggingface_take;
}

// `first` is the dialect that took the line before: the next line is likely of the same.
static int take_line(TrainLog *log, int first)
{
    log->part = NULL;
    log->kind = KIND_TEXT;
    box_close(log);
    log->reading.plain = false;
    if (take_again(log, first))
        return first;
    log->learnt = NULL;
    if (log->wish && log->wish->pattern_count) {
        if (events_take(log))
            return -1;
        if (pattern_take(log))
            return 0;
        event_words_take(log);
        return -1;
    }
    if (log->in_list && norm_list_take(log))
        return first;
    // Lines of the stricter forms are asked for their role as long as one may stand above the
    // records, or repeat another.
    log->has_role = false;
    log->role = (CensusRole){0};
    bool loose = first < 0 || first == DIALECT_COUNT - 1;
    if (log->census && (loose || census_sets_aside(log->census, log->number)))
        trainlog_role(log);
    if (events_take(log)) {
        note_phase(log);
        return -1;
    }
    bool aside = is_aside(log);
    if (first >= 0 && !(aside && is_loose(first)) && take_first(log, first))
        return first;
    for (int i = 0; i < DIALECT_COUNT; i++) {
        if (i != first && !(aside && is_loose(i)) && take(log, i))
            return i;
    }
    trainlog_role(log);
    if (log->role.is_heading && log->heading_line != log->number)
        pairs_head(log, &log->role.place);
    if (log->role.is_most)
        log->unread_line = log->unread++ ? log->unread_line : log->number;
    if (!event_words_take(log))
        note_phase(log);
    return -1;
}

// An object over several lines is a record if it has a loss and a counter, maybe in the line above
// it, else a setting.
static bool is_record_object(Str object, bool counts)
{
    static const char *const losses[] = {"loss'", "loss\""}, *const counters[] = {"step", "iter",
                                                                                  "epoch"};
    bool loss = false;
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        loss = loss || str_find(object, str_of(losses[i]), 0) != SIZE_MAX;
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        counts = counts || str_find(object, str_of(counters[i]), 0) != SIZE_MAX;
    return loss && counts;
}

// The next line, or the object over several lines that begins with it; objects of settings are
// passed over.
static bool next_line(Lines *lines, TrainLog *log)
{
    while (lines_next(lines, &log->line)) {
        uint64_t number = lines->line;
        log->prefix = lines->dropped;
        bool below = log->dict_line && number == log->dict_line;
        log->number = number;
        bool joined = lines_join_object(lines, &log->line);
        log->stop = lines->at;
        if (!joined || is_record_object(log->line, below))
            return true;
    }
    return false;
}

static bool nothing_found(const char *path, Str text, const Parts *out, Arena *arena, Error *err)
{
    enum { LOOK_BYTES = 4096 };
    if (str_find_char(str_slice(text, 0, LOOK_BYTES), '\0', 0) != SIZE_MAX)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("this is no text"));
    if (!(out->wish && out->wish->pattern_count))
        return line_guess_refuse(path, text, arena, err);
    error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no line fits the --pattern"));
    return error_hint(err, "%s", tr("without --pattern a refusal proposes one that fits"));
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

// More of them than of lines with a step are no repetition of these.
static void tell_dicts(const TrainLog *log)
{
    unsigned long long left = log->dict_left;
    if (left > log->found - log->dict_found + log->dicts_stepped)
        notices_partial(log->notices, WHERE_FILE(log->path),
                        tr_count(left,
                                 "%llu line without a step is left out next to lines with one",
                                 "%llu lines without a step are left out next to lines with one"),
                        left);
    else if (left)
        notices_add(log->notices, NOTICE_TOLD, WHERE_FILE(log->path),
                    tr_count(left, "%llu line without a step is left out next to lines with one",
                             "%llu lines without a step are left out next to lines with one"),
                    left);
}

static void tell_early(const TrainLog *log)
{
    unsigned long long count = log->early_count;
    if (count && log->found)
        notices_add(log->notices, NOTICE_TOLD, WHERE_LINE(log->path, log->early_line),
                    tr_count(count, "%llu evaluation without a step is left out above the records",
                             "%llu evaluations without a step are left out above the records, "
                             "from this line"),
                    count);
}

// The commonest lines that count and hold values were left out, for a few others.
static void tell_unread(const TrainLog *log)
{
    enum { FEW = 2, MORE = 3 };
    unsigned long long count = log->unread;
    if (log->found == 0 || count <= MORE * log->found ||
        (log->found > FEW && !census_names_loss(log->census)))
        return;
    notices_partial(log->notices, WHERE_LINE(log->path, log->unread_line),
                    tr("%llu lines like this one count and hold values, and are not read; "
                       "--pattern says what they hold"),
                    count);
}

static void report(const TrainLog *log, const Lines *lines)
{
    tell_unread(log);
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
    if (2 * log->blank < log->found && log->blank)
        notices_partial(log->notices, WHERE_LINE(log->path, log->blank_line),
                        tr_count(log->blank, "%llu record names a value and holds no number there",
                                 "%llu records name a value and hold no number there, from this "
                                 "line"),
                        (unsigned long long)log->blank);
    if (log->names->cut)
        notices_partial(log->notices, WHERE_FILE(log->path), "%s",
                        tr("only the first 256 numbers of a line are read"));
    tell_dicts(log);
    tell_early(log);
    if (log->unnumbered)
        notices_add(log->notices, NOTICE_WARNING, WHERE_FILE(log->path), "%s",
                    tr("the records carry no step; they are numbered 1, 2, 3, …"));
}

// An evaluation that prints a training loss too is all that some loops log.
static void use_evaluated_loss(Part *part)
{
    PartSeries *evaluated = part_find(part, "eval_train_loss");
    if (evaluated && !part_find(part, "loss")) {
        evaluated->name = STR("loss");
        evaluated->core = true;
    }
}

// "loss 1: 2.5 loss 2: 0.5 total: 3.0": the sum of losses that have other names.
static void use_total(Part *part)
{
    PartSeries *total = part_find(part, "total");
    bool parts = false;
    for (size_t i = 0; i < part->series_count; i++)
        parts = parts || str_starts(part->series[i].name, STR("loss."));
    if (total && parts && !part_find(part, "loss")) {
        total->name = STR("loss");
        total->core = true;
    }
}

// Where nothing is called a loss, what is in its place is.
static void use_fallback(const TrainLog *log, Part *part)
{
    PartSeries *found = NULL;
    for (size_t i = part->series_count; log->names->no_loss && i-- > 0;) {
        PartSeries *series = &part->series[i];
        if (str_starts(series->name, STR("loss")))
            return;
        found = series_facts(series->printed).fallback ? series : found;
    }
    if (found) {
        found->name = STR("loss");
        found->core = true;
    }
}

// Where the error of an evaluation is all that a log measures, such as "eval-rmse" of XGBoost, the
// run is judged by it.
static void use_evaluated_error(Part *part)
{
    PartSeries *found = NULL;
    for (size_t i = part->series_count; i-- > 0;) {
        PartSeries *series = &part->series[i];
        if (series->core || str_equal(series->name, STR("eval_loss")))
            return;
        found = series_facts(series->printed).eval_error ? series : found;
    }
    if (found)
        found->name = STR("eval_loss");
}

static uint64_t loss_count(const Part *part)
{
    size_t most = 0;
    for (size_t i = 0; i < part->series_count; i++) {
        const PartSeries *series = &part->series[i];
        if (series->core && str_starts(series->name, STR("loss")) && series->points.count > most)
            most = series->points.count;
    }
    return most;
}

// True if the rank has lines of the other kind, with steps or of epochs, that give more losses; of
// equally many those with steps are kept.
static bool is_minor(const TrainLog *log, const Part *part)
{
    const Part *other = trainlog_twin(log, part);
    if (!other || other->record_count == 0)
        return false;
    uint64_t own = loss_count(part), losses = loss_count(other);
    return part->record_count == 0 || (part->of_epochs ? own <= losses : own < losses);
}

static void tell_left_out(TrainLog *log, const Part *part)
{
    uint64_t lines = part->record_count;
    for (size_t i = 0; i < part->events.count; i++)
        lines -= part->events.items[i].kind == EVENT_EVAL && lines > 0;
    if (lines && part->of_epochs)
        notices_add(
            log->notices, NOTICE_TOLD, WHERE_FILE(log->path),
            tr_count(lines,
                     "%llu line with an epoch and no step is left out next to lines of steps",
                     "%llu lines with an epoch and no step are left out next to lines of steps"),
            (unsigned long long)lines);
    else if (lines)
        notices_add(log->notices, NOTICE_WARNING, WHERE_FILE(log->path),
                    tr_count(lines, "%llu line with a step is left out next to lines of epochs",
                             "%llu lines with a step are left out next to lines of epochs"),
                    (unsigned long long)lines);
}

// A stray record with a step, or evaluations, next to a run of training without one.
static bool are_stepless(const TrainLog *log)
{
    enum { LEAST_RECORDS = 8 };
    const Part *part = log->stepless;
    bool alone = part && log->found == part->record_count;
    if (alone && log->numbers_lines && log->census && log->shapes_again == 0)
        return false;
    return alone || (part && part->record_count >= LEAST_RECORDS &&
                     part->record_count > log->evaluated && !trainlog_counts(log));
}

static void tell_strays(TrainLog *log, const Part *part)
{
    notices_add(log->notices, NOTICE_WARNING, WHERE_FILE(log->path),
                tr_count(part->record_count,
                         "%llu line with a step is left out next to lines without one",
                         "%llu lines with a step are left out next to lines without one"),
                (unsigned long long)part->record_count);
}

static void finish(TrainLog *log)
{
    bars_finish(log);
    log->line = STR("");
    box_close(log);
    size_t kept = log->first_part;
    bool are_numbered = are_stepless(log);
    for (size_t i = log->first_part; i < log->parts->count; i++) {
        Part *part = log->parts->items[i];
        bool stepless = log->stepless && part == log->stepless;
        if (stepless && !are_numbered) {
            log->found -= log->found == part->record_count ? part->record_count : 0;
            continue;
        }
        if (!stepless && are_numbered && part->record_count) {
            tell_strays(log, part);
            continue;
        }
        if (!stepless && is_minor(log, part)) {
            tell_left_out(log, part);
            continue;
        }
        use_evaluated_loss(part);
        use_total(part);
        use_fallback(log, part);
        use_evaluated_error(part);
        if (stepless)
            part->rank = log->file_rank;
        part->is_numbered = part->is_numbered || (stepless && log->numbers_lines);
        log->unnumbered += stepless && log->numbers_lines;
        log->parts->items[kept++] = part;
    }
    log->parts->count = kept;
    trainlog_tell_events(log);
}

// What the text holds is counted before any line is read; a user's own forms need no counts.
static void open_log(TrainLog *log, Lines *lines, Str text)
{
    bool free = !(log->wish && log->wish->pattern_count);
    log->names = ARENA_NEW(log->arena, NameMemo);
    log->bar_time = NAN;
    log->last_x = INT64_MIN;
    log->shapes.text = text;
    forms_known(log->arena, &log->forms, &log->events);
    lines_open(lines, text, log->arena);
    lines->words = free && log_words_chinese(text) ? log_words_open(log->arena) : NULL;
    lines->prefix = free ? line_prefix_find(text) : PREFIX_NONE;
    log->prefix_ranks = lines->prefix == PREFIX_TASK;
    log->census = free ? census_take(lines, log->arena) : NULL;
    log->names->no_loss = log->census && !census_names_loss(log->census);
}

bool trainlog_recognise(Str text, Arena *arena)
{
    enum { PROBE_BYTES = 64 << 10, PROBE_LINES = 400 };
    Parts parts = {0};
    Notices notices;
    notices_init(&notices, arena);
    TrainLog log = {.path = "", .arena = arena, .parts = &parts, .notices = &notices};
    Lines lines;
    open_log(&log, &lines, str_slice(text, 0, PROBE_BYTES));
    for (int count = 0; count < PROBE_LINES && next_line(&lines, &log); count++) {
        int taken = take_line(&log, -1);
        if (taken >= 0 && dialects[taken].strong)
            return true;
    }
    return false;
}

bool trainlog_read(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                   Notices *notices, Error *err)
{
    TrainLog log = {.path = path,
                    .arena = arena,
                    .parts = out,
                    .file_rank = file_rank,
                    .wish = out->wish,
                    .first_part = out->count,
                    .notices = notices};
    Lines lines;
    open_log(&log, &lines, text);
    Account account = {0};
    int last = -1;
    out->bytes_all = text.size;
    while (next_line(&lines, &log)) {
        out->bytes_read = lines.at;
        if (breaks_off(&log, &lines, text)) {
            log.unfinished_line = log.number;
            break;
        }
        account_see(&account, 1);
        uint64_t happened = log.happened.count, damaged = log.damaged;
        const LineShape *before = log.learnt;
        int taken = take_line(&log, last);
        bool again = taken >= 0 && log.learnt && log.learnt == before;
        if (!again && damaged == log.damaged && names_no_number(log.line, taken >= 0) &&
            (taken >= 0 || counts_steps(&log)))
            log.blank_line = log.blank++ ? log.blank_line : log.number;
        else if (taken < 0 && log.happened.count == happened)
            account_set_aside(&account, ASIDE_TEXT, 1);
        // Once a stricter form was seen, the loosest one takes what no other does.
        bool loose = taken == DIALECT_COUNT - 1 && last >= 0;
        last = taken >= 0 && !loose ? taken : last;
    }
    account_compare_rest(&account);
    account_join(&notices->account, &account);
    finish(&log);
    report(&log, &lines);
    return log.found ? true : nothing_found(path, text, out, arena, err);
}
