// SPDX-License-Identifier: Apache-2.0

// Hugging Face Trainer and relatives on standard output: a dict on a line, whose step stands only
// in the progress bar before it (docs/spec/curves.md §4.4 H1).

#include <math.h>

#include "base/number.h"
#include "read/log/line_pairs.h"
#include "read/log/log_time.h"
#include "read/log/record_object.h"
#include "read/log/trainlog_dialects.h"
#include "read/log/trainlog_keyvalue.h"

static bool next_bar(Scan *scan, int64_t *step, int64_t *total, double *elapsed)
{
    LogPlace place;
    size_t head;
    Str time;
    if (!bars_next(scan, &place, &head, &time))
        return false;
    *step = place.step;
    *total = place.total;
    *elapsed = duration_of_text(time, elapsed) ? *elapsed : NAN;
    return true;
}

// Takes note of the bars in a text. Once a dict of training was seen, bars of another length are
// those of evaluations.
static void note_bars(TrainLog *log, Str text)
{
    Scan scan = scan_of(text);
    if (log->bars_elsewhere || str_find_char(text, '<', 0) == SIZE_MAX)
        return;
    while (next_bar(&scan, &log->last_step, &log->last_total, &log->bar_time))
        if (log->training_bar == 0 || log->training_bar == log->last_total)
            log->bar_step = log->last_step;
}

// The last bar before a training dict is that of the training; the two may stand on one line.
static void trust_last_bar(TrainLog *log)
{
    log->training_bar = log->last_total;
    log->bar_step = log->last_step;
}

static size_t dict_start(Str line)
{
    for (size_t at = str_find_char(line, '{', 0); at != SIZE_MAX;
         at = str_find_char(line, '{', at + 1))
        if (at + 1 < line.size && (line.data[at + 1] == '\'' || line.data[at + 1] == '"'))
            return at;
    return SIZE_MAX;
}

// "step 10: {…}", "step: 10 | steps/sec: 3.1 | output: {…}": the step in front of the dict, but for
// speeds.
static bool step_before(TrainLog *log, Str text, int64_t *out)
{
    Pair pairs[PAIRS_MAX];
    size_t count = line_pairs(text, log->names, pairs);
    while (count && pairs[count - 1].facts.speed)
        count--;
    const Pair *last = count ? &pairs[count - 1] : NULL;
    bool named = last && last->facts.step && !last->figure.decimals && last->figure.value >= 0 &&
                 number_can_count(last->figure.value) && !last->total;
    if (text.size)
        trainlog_role(log);
    const CensusRole *role = &log->role;
    bool counted =
        text.size && role->counts && !role->falls && role->place.step_text < text.data + text.size;
    if (named || counted)
        *out = named ? (int64_t)last->figure.value : role->place.step;
    return named || counted;
}

// The step that the line prints in front of the dict, or the one above that opens it.
static bool printed_step(TrainLog *log, Str before, int64_t *out)
{
    if (step_before(log, before, out))
        return true;
    *out = log->dict_x;
    return log->dict_line && log->number == log->dict_line;
}

// "eval | step: 100 | output: {'validation_loss': 2.5}", "{'valid_loss': 2.5}" below records.
static bool has_eval_loss(TrainLog *log, const RecordObject *record)
{
    for (size_t i = 0; i < record->count; i++)
        if (name_facts(log->names, record->items[i].key).evaluation)
            return true;
    return false;
}

static bool is_validation(TrainLog *log, const RecordObject *record)
{
    return !record->is_training && !record->has_step && has_eval_loss(log, record);
}

// Where the next dict of training begins.
static size_t next_dict(Str rest)
{
    size_t dict = dict_start(rest);
    while (dict != SIZE_MAX && (str_starts(str_slice(rest, dict, rest.size), STR("{'eval_")) ||
                                str_starts(str_slice(rest, dict, rest.size), STR("{\"eval_")))) {
        size_t more = dict_start(str_slice(rest, dict + 1, rest.size));
        dict = more == SIZE_MAX ? more : dict + 1 + more;
    }
    return dict;
}

static bool is_in_text(const TrainLog *log)
{
    Str text = log->shapes.text;
    return (uintptr_t)log->line.data >= (uintptr_t)text.data &&
           (uintptr_t)log->line.data < (uintptr_t)text.data + text.size;
}

// The bar of the training is redrawn from dict to dict; that of weights or of data which are loaded
// stands among none of the next few, and one that is seldom flushed among few of them.
static bool bars_are_elsewhere(const TrainLog *log)
{
    enum { DICTS_AHEAD = 8 };
    Str rest = trainlog_below(log);
    size_t end = 0, dicts = 0, drawn = 0;
    int64_t step, total;
    double elapsed;
    for (; dicts < DICTS_AHEAD; dicts++) {
        Str ahead = str_slice(rest, end, rest.size);
        size_t next = next_dict(ahead);
        if (next == SIZE_MAX)
            break;
        Scan scan = scan_of(str_slice(ahead, 0, next));
        drawn += next_bar(&scan, &step, &total, &elapsed);
        end += next + 1;
    }
    return dicts > 1 && 2 * drawn < dicts;
}

// The first bar between this line and the next dict.
static bool bar_below(const TrainLog *log, int64_t *step)
{
    int64_t total;
    double elapsed;
    Str rest = trainlog_below(log);
    Scan scan = scan_of(str_slice(rest, 0, next_dict(rest)));
    return next_bar(&scan, step, &total, &elapsed);
}

// Where the first dict stands above any bar that has counted, each stands above its own. The last
// one may have none: it is as far from the one before as that from its own.
static bool step_below(TrainLog *log, bool training, int64_t *out)
{
    if (!log->dicts_begun && training) {
        log->dicts_begun = true;
        log->bars_elsewhere = bars_are_elsewhere(log);
        log->bars_below = (log->last_total == 0 || log->last_step == 0) && bar_below(log, out);
    }
    if (!log->bars_below || !training) {
        *out = log->below_step;
        return log->bars_below;
    }
    if (!bar_below(log, out) && __builtin_add_overflow(log->below_step, log->below_gap, out))
        return false;
    log->below_gap = *out - log->below_step;
    log->below_step = *out;
    return true;
}

// Lines of another form say the step: dicts without one say the same again.
static bool is_counted_elsewhere(const TrainLog *log)
{
    uint64_t stepless = log->stepless ? log->stepless->record_count : 0;
    return log->found > log->dict_found + stepless + log->evaluated + 1 ||
           log->dicts_stepped > (uint64_t)log->dict_count + 1;
}

// The record of a logger and the dict that is printed of it have the same loss and the same epoch.
static bool is_said_again(TrainLog *log, double loss, double epoch)
{
    bool again = log->dict_count && loss == log->dict_loss && epoch == log->dict_epoch;
    log->dict_loss = loss;
    log->dict_epoch = again ? NAN : epoch;
    return again;
}

static double value_of(const RecordObject *record, Str key)
{
    double value = NAN;
    for (size_t i = 0; i < record->count; i++)
        value = str_equal(record->items[i].key, key) ? record->items[i].figure.value : value;
    return value;
}

// {"epoch": 1, "train": {"loss": 2.5}, "val": {"loss": 2.7}} is of training, too.
static bool trains(const RecordObject *record)
{
    bool both = record->is_measured && !record->is_all_evaluation;
    return record->is_training && (both || !record->is_evaluation);
}

// `elsewhere`: it has none of its own.
static int64_t dict_step(TrainLog *log, const RecordObject *record, Str before, bool *elsewhere)
{
    int64_t step;
    *elsewhere = false;
    if (record->has_step && record_object_step(record, &log->counter, log->arena, &step)) {
        log->dicts_stepped += trains(record);
        return step;
    }
    if (printed_step(log, before, &step) || step_below(log, trains(record), &step))
        return step;
    if (log->last_total > 0 && !log->bars_elsewhere)
        return log->bar_step;
    Part *part = trainlog_part(log, "huggingface");
    if (!record->is_training && part->record_count > 0 && log->dict_count == 0)
        return part->last_step;
    *elsewhere = is_counted_elsewhere(log) && part->record_count;
    part->is_numbered = !*elsewhere;
    if (*elsewhere) {
        log->unnumbered = 0;
        return part->last_step;
    }
    log->unnumbered++;
    log->dict_count += trains(record) && !is_said_again(log, value_of(record, STR("loss")),
                                                        value_of(record, STR("epoch")));
    return log->dict_count;
}

// "Eval result: epoch 4, metrics: {'loss': 2.5}" is a line of text: its words say of what.
static bool is_of_evaluation(TrainLog *log, Str before, const RecordObject *record)
{
    Pair pairs[PAIRS_MAX];
    return record->is_measured && !record->is_evaluation && !record->has_step &&
           pairs_are_evaluation(log, before, pairs, line_pairs(before, log->names, pairs));
}

// "perf 3: {'rollout/raw_reward': 1.2}" below a dict of training: at its step, or at their own.
static bool take_rewards(TrainLog *log, const RecordObject *record)
{
    Part *part = trainlog_find(log, false);
    bool any = false;
    for (size_t i = 0; i < record->count; i++)
        any = any || name_facts(log->names, record->items[i].key).reward;
    if (!any || !part || part->record_count == 0)
        return false;
    int64_t x = record->has_step && !record->has_epoch ? record->step : part->last_step;
    any = record_object_store(record, part, x, log->number);
    log->found += any;
    log->dict_found += any;
    return any;
}

// {"loss": "mse", "lr": 0.1} is a setting. What counts is a record where it has a norm, or numbers
// that records above have, too: {"loss": "overflow", "grad_norm": 1.5, "epoch": 0.5}.
static bool is_setting(const TrainLog *log, const RecordObject *record)
{
    const Part *part = trainlog_find(log, false);
    bool counts = record->has_step, known = part != NULL;
    for (size_t i = 0; i < record->count; i++) {
        counts = counts || str_equal(record->items[i].key, STR("epoch"));
        known = known && part_knows(part, record->items[i].key);
    }
    return record->names_loss && !(counts && (known || record->is_measured));
}

// A dict that begins with a loss or a step, among such, and is none after it: a value that nobody
// can read.
static bool is_damaged(TrainLog *log, size_t start, const RecordObject *record)
{
    size_t stop = str_find_char(log->line, log->line.data[start + 1], start + 2);
    Part *part = trainlog_find(log, false);
    if (record->is_training || stop == SIZE_MAX || !part || part->record_count == 0)
        return false;
    Str key = str_slice(log->line, start + 2, stop);
    return name_facts(log->names, key).loss || name_facts(log->names, key).step;
}

// No bar may say the step of a dict.
static bool has_no_bars(const TrainLog *log)
{
    return log->last_total == 0 && log->dicts_begun && !log->bars_below;
}

// The dict alone is the line: others of its shape are records, too.
static void note_plain(TrainLog *log, const RecordObject *record, Part *part)
{
    LogPlace place = record_object_place(record);
    if (!is_in_text(log) || !has_no_bars(log) || !record_object_is_plain(record))
        return;
    log->reading = line_reading(&place, part);
    log->reading.padded = true;
}

// `stop` is where its dict ends, after which another may stand.
static bool take_dict(TrainLog *log, size_t *stop)
{
    size_t start = dict_start(log->line);
    *stop = log->line.size;
    if (start == SIZE_MAX) {
        note_bars(log, log->line);
        return false;
    }
    LiteralReader reader = literal_open(log->line, start, log->arena);
    RecordObject record = {.names = log->names, .fractional = log->fractional};
    bool whole = record_object_read(&reader, log->arena, &record);
    // Each line of a dict below a heading is of its step.
    if (!whole && log->has_heading && str_ends(str_trim(log->line), STR(",")))
        return false;
    *stop = whole ? reader.at : *stop;
    if (!whole && is_damaged(log, start, &record)) {
        log->damaged_line = log->damaged++ ? log->damaged_line : log->number;
        return true;
    }
    log->fractional = record.fractional;
    Str before = str_slice(log->line, 0, start);
    if (is_of_evaluation(log, before, &record))
        return false;
    record.is_evaluation = record.is_evaluation || is_validation(log, &record);
    bool training = trains(&record) && !record.is_summary;
    note_bars(log, before);
    if (training)
        trust_last_bar(log);
    if (record.is_summary || is_setting(log, &record))
        return true;
    // A rate alone, without a step, is a setting: optimizer parameters, betas.
    bool setting = !record.is_measured && !record.has_step && !record.names_loss;
    // So are results above all records that are no loss.
    bool early = log->found == 0 && !record.is_training && !has_eval_loss(log, &record);
    if (((!record.is_training || setting) && !record.is_evaluation) || early) {
        bool passed = log->found > 0;
        if (passed)
            take_rewards(log, &record);
        // A line that is one object and no record holds none: {"log_history": [{"loss": 2.5}]}.
        return passed || (whole && start == 0 && *stop == log->line.size);
    }
    Part *part = trainlog_part(log, "huggingface");
    bool elsewhere;
    int64_t x = dict_step(log, &record, before, &elsewhere);
    if (elsewhere && training) {
        log->dict_left++;
        return true;
    }
    bool timed = training && !isnan(log->bar_time) && !log->bars_elsewhere;
    if (!record.has_elapsed && timed) {
        record.has_elapsed = true;
        record.elapsed = log->bar_time;
    }
    bool any = record_object_store(&record, part, x, log->number);
    log->found += any;
    log->dict_found += any;
    if (any && training && start == 0 && *stop == log->line.size)
        note_plain(log, &record, part);
    return any;
}

static double field_value(const LineShape *shape, Str key)
{
    for (size_t i = 0; i < shape->reading.field_count; i++)
        if (str_equal(shape->fields[i].printed, key))
            return shape->fields[i].figure.value;
    return NAN;
}

// The names of a shape are those of the line that it was learnt from, whose text is in the log.
bool huggingface_again(TrainLog *log, LineShape *shape)
{
    const LogPlace *place = &shape->reading.place;
    int64_t x;
    if (!has_no_bars(log) || (!place->has_step && is_counted_elsewhere(log)))
        return false;
    if (place->has_step) {
        if (!epoch_counter_next(&log->counter, place, log->arena, &x))
            return false;
        log->dicts_stepped++;
    } else {
        log->unnumbered++;
        log->dict_count +=
            !is_said_again(log, field_value(shape, STR("loss")), field_value(shape, STR("epoch")));
        x = log->dict_count;
    }
    log->dict_found++;
    return trainlog_again(log, shape, x);
}

// What follows a dict, and after the comma of a list.
static Str behind_dict(Str line, size_t stop)
{
    Str rest = str_trim(str_slice(line, stop, line.size));
    return str_starts(rest, STR(",")) ? str_trim(str_slice(rest, 1, rest.size)) : rest;
}

bool huggingface_take(TrainLog *log)
{
    Str line = log->line;
    size_t stop;
    bool any = take_dict(log, &stop);
    for (Str rest = behind_dict(line, stop); any && str_starts(rest, STR("{"));
         rest = behind_dict(log->line, stop)) {
        log->line = rest;
        take_dict(log, &stop);
    }
    log->line = line;
    return any;
}
