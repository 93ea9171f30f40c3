// SPDX-License-Identifier: Apache-2.0

// Lines whose counters are in a form of their own, "Epoch [1][50/200]", with pairs after it, and
// lines that say what happened: a form is one row of templates/logs.forms.

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "read/log/line_pattern.h"
#include "read/log/line_sections.h"
#include "read/log/trainlog_dialects.h"
#include "read/log/trainlog_keyvalue.h"

static bool is_counter(Str name)
{
    return STR_IN(name, "epoch", "epoch0", "epochs", "iter", "total", "step", "max", "from",
                  "speed", "sentences", "rank");
}

static bool field_of(const PatternMatch *match, const char *name, int64_t *out, const char **text)
{
    for (size_t i = 0; i < match->count; i++)
        if (str_equal(match->names[i], str_of(name)) && match->figures[i].value >= 0 &&
            number_can_count(match->figures[i].value)) {
            *out = (int64_t)match->figures[i].value;
            *text = match->figures[i].text;
            return true;
        }
    return false;
}

static LogPlace place_of(const PatternMatch *match)
{
    LogPlace place = {0};
    place.from_zero = field_of(match, "epoch0", &place.epoch, &place.epoch_text);
    place.has_epoch = place.from_zero || field_of(match, "epoch", &place.epoch, &place.epoch_text);
    place.has_step = field_of(match, "iter", &place.step, &place.step_text);
    if (!field_of(match, "total", &place.total, &place.total_text))
        place.total = 0;
    if (field_of(match, "step", &place.step, &place.step_text))
        place.has_step = true;
    return place;
}

static size_t fields_of(const PatternMatch *match, NameMemo *names, Pair *pairs, size_t count)
{
    for (size_t i = 0; i < match->count && count < PAIRS_MAX; i++)
        if (!is_counter(match->names[i]))
            pairs[count++] = (Pair){.key = match->names[i],
                                    .figure = match->figures[i],
                                    .facts = name_facts(names, match->names[i]),
                                    .marked = true};
    return count;
}

// The values of the form and the pairs after it; a counter that never begins anew wins.
static size_t values_of(const PatternMatch *match, TrainLog *log, Pair *pairs, LogPlace *place)
{
    size_t count = line_pairs(str_slice(log->line, match->stop, log->line.size), log->names, pairs);
    for (size_t i = 0; i < count; i++)
        if (str_equal(pairs[i].key, STR("num_updates")) && pairs[i].figure.value >= 0 &&
            number_can_count(pairs[i].figure.value))
            *place = (LogPlace){.has_step = true,
                                .step = (int64_t)pairs[i].figure.value,
                                .step_text = pairs[i].figure.text};
    return fields_of(match, log->names, pairs, count);
}

// The bars above may say the epoch.
static bool step_of_training(TrainLog *log, LogPlace place, int64_t *x)
{
    if (place.has_step && !place.has_epoch && place.total && log->has_bar_epoch) {
        place.has_epoch = true;
        place.epoch = log->bar_epoch;
    }
    if (!epoch_counter_next(&log->counter, &place, log->arena, x))
        return false;
    log->has_heading = false;
    return true;
}

bool heading_again(TrainLog *log, LineShape *shape)
{
    int64_t x;
    return step_of_training(log, shape->reading.place, &x) && trainlog_again(log, shape, x);
}

// Whether the line counts elsewhere too: "epoch: 1 Training [10/40] step: 50".
static bool counts_elsewhere(TrainLog *log, const LogPlace *place)
{
    Pair pairs[PAIRS_MAX];
    size_t count = line_pairs(log->line, log->names, pairs);
    for (size_t i = 0; i < count; i++)
        if (pairs[i].facts.step ||
            (!place->has_epoch && str_equal_nocase(pairs[i].key, STR("epoch"))))
            return true;
    return false;
}

static bool take_form(TrainLog *log, const LineForm *form, const PatternMatch *match)
{
    Pair pairs[PAIRS_MAX];
    LogPlace place = place_of(match);
    int64_t x;
    size_t count = values_of(match, log, pairs, &place);
    bool evaluation = form->role == FORM_EVALUATION, evaluates;
    if (form->role == FORM_PASSED)
        return true;
    if ((form->role == FORM_BARE && counts_elsewhere(log, &place)) ||
        (form->role == FORM_MEASURED && !pairs_measure(pairs, count, &evaluates)))
        return false;
    if (form->role == FORM_HEADING) {
        bool measure;
        if (pairs_measure(pairs, count, &measure) || measure)
            return false;
        log->has_heading = true;
        log->heading_line = log->number;
        log->heading_x = place.step;
        return true;
    }
    if (evaluation) {
        Part *part = trainlog_part(log, form->name);
        // Of the batches of an evaluation only the last line has its results.
        if (part->record_count == 0 || (place.total && place.step < place.total))
            return true;
        x = place.has_step && !place.has_epoch && place.total == 0 ? place.step : part->last_step;
    } else if (!step_of_training(log, place, &x)) {
        return false;
    }
    log->has_heading = false;
    if (!pairs_store(log, form->name, x, evaluation, pairs, count))
        return false;
    if (!evaluation)
        trainlog_plain(log, log->part, &place);
    return true;
}

// "250 train 5.12", "250 val 6.01", "250 hella 0.25", and nothing else on the line: what
// build-nanogpt writes. A word that is of neither counts once a loss was seen.
static bool take_three_words(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    int64_t step;
    Pair pair = {.marked = true};
    if (!scan_uint(&scan, &step) || !scan_char(&scan, ' '))
        return false;
    size_t from = scan.at;
    while (scan.at < log->line.size && log->line.data[scan.at] != ' ')
        scan.at++;
    Str word = str_slice(log->line, from, scan.at);
    if (word.size == 0 || is_digit(word.data[0]) || !scan_char(&scan, ' ') ||
        !scan_figure(&scan, &pair.figure) || !scan_done(&scan) ||
        (isfinite(pair.figure.value) && pair.figure.decimals == 0))
        return false;
    bool training = str_equal(word, STR("train")), evaluation = is_evaluation_word(word);
    if (!training && !evaluation && !log->has_three_words)
        return false;
    log->has_three_words = true;
    pair.key = training ? STR("loss") : evaluation ? STR("eval_loss") : word;
    pair.facts = name_facts(log->names, pair.key);
    return pairs_store(log, "nanogpt", step, !training, &pair, 1);
}

// A value, or a step and its value: "2.5", "(10, 2.5)".
static bool take_listed(Scan *scan, int64_t *x, Figure *out)
{
    if (!scan_char(scan, '('))
        return scan_figure(scan, out);
    return scan_int(scan, x) && scan_word(scan, ", ") && scan_figure(scan, out) &&
           scan_char(scan, ')');
}

// "losses = [2.5, 2.25]", "train_losses: [(10, 2.5), (20, 2.25)]" to the end of the line, as Python
// prints what a loop kept: numbered where no step is there. Beside other records it says them
// again.
static bool take_printed_list(TrainLog *log)
{
    Str line = str_trim(log->line);
    size_t open = str_find_char(line, '[', 0), stop = open == SIZE_MAX ? 0 : open;
    if (!str_ends(line, STR("]")) || log->has_heading || trainlog_counts(log))
        return false;  // below a counter it is of that step
    while (stop > 0 &&
           (line.data[stop - 1] == ' ' || line.data[stop - 1] == ':' || line.data[stop - 1] == '='))
        stop--;
    size_t from = stop;
    while (from > 0 && line.data[from - 1] != ' ')
        from--;
    Pair pair = {.key = str_slice(line, from, stop), .marked = true}, before[PAIRS_MAX];
    pair.facts = name_facts(log->names, pair.key);
    Scan all = {line, open + 1}, scan = all;
    int64_t count = 0, x = 0;
    if (stop == open || !(pair.facts.measure || pair.facts.evaluation) ||
        line_pairs(str_slice(line, 0, from), log->names, before))
        return false;
    while (take_listed(&scan, &x, &pair.figure) && scan_word(&scan, ", "))
        count++;
    if (count == 0 || !scan_char(&scan, ']') || !scan_done(&scan))
        return false;
    if (!log->stepless)
        log->stepless = part_new(log->parts, log->path, INT64_MIN, "text", log->arena);
    log->numbers_lines = log->numbers_lines || line.data[all.at] != '(';
    log->shapes_again++;
    for (x = 1; take_listed(&all, &x, &pair.figure); x++) {
        log->part = log->stepless;
        pairs_store(log, "text", x, false, &pair, 1);
        scan_word(&all, ", ");
    }
    return true;
}

bool pattern_take(TrainLog *log)
{
    PatternMatch match;
    for (size_t i = 0; i < log->wish->pattern_count; i++) {
        if (!pattern_match(log->wish->patterns[i], log->line, &match))
            continue;
        Pair pairs[PAIRS_MAX];
        LogPlace place = place_of(&match);
        size_t count = fields_of(&match, log->names, pairs, 0);
        Part *part = trainlog_part(log, "pattern");
        int64_t x = (int64_t)part->record_count + 1;
        epoch_counter_next(&log->counter, &place, log->arena, &x);
        return pairs_store(log, "pattern", x, false, pairs, count);
    }
    return false;
}

static bool take_event(TrainLog *log, const LineForm *form)
{
    PatternMatch match;
    const char *text;
    int64_t step, rank = -1;
    if (!pattern_match(form->pattern, log->line, &match))
        return false;
    field_of(&match, "rank", &rank, &text);
    if (!field_of(&match, "step", &step, &text))
        step = log->last_x == INT64_MIN ? 1 : log->last_x + (form->event != EVENT_ABORT);
    trainlog_event(log, form->event, step, rank);
    return true;
}

bool events_take(TrainLog *log)
{
    static const char *const marks[] = {
        "verflow",    "kip",     "VERFLOW", "NaN",        "is nan",    "is inf",  "became",
        "loss,",      "not run", "OOM",     "of memory",  "or nan",    "reached", "stopping",
        "not finite", "restart", "save",    "checkpoint", "Unexpected"};
    if (str_starts(log->line, STR("{")))
        return false;
    bool marked = log->wish && log->wish->events.count;
    for (size_t i = 0; !marked && i < sizeof marks / sizeof *marks; i++)
        marked = str_find(log->line, str_of(marks[i]), 0) != SIZE_MAX;
    uint32_t kinds = 0;  // of which the line says something
    for (size_t i = 0; marked && i < log->events.count; i++)
        if (!(kinds >> log->events.items[i].event & 1) && take_event(log, &log->events.items[i]))
            kinds |= UINT32_C(1) << log->events.items[i].event;
    for (size_t i = 0; marked && log->wish && i < log->wish->events.count; i++)
        if (take_event(log, &log->wish->events.items[i]))
            kinds |= UINT32_C(1) << log->wish->events.items[i].event;
    return kinds != 0;
}

// Every form has a letter that no number has.
static bool has_letter(Str line)
{
    for (size_t i = 0; i < line.size; i++) {
        unsigned char c = (unsigned char)(line.data[i] | 0x20);
        if (c >= 'a' && c <= 'z' && c != 'e')
            return true;
    }
    return false;
}

bool heading_take(TrainLog *log)
{
    PatternMatch match;
    if (!has_letter(log->line))
        return take_three_words(log);
    for (size_t i = 0; i < log->forms.count; i++)
        if (pattern_match(log->forms.items[i].pattern, log->line, &match))
            return take_form(log, &log->forms.items[i], &match);
    return take_three_words(log) || take_printed_list(log);
}
