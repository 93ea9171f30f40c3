// SPDX-License-Identifier: Apache-2.0

// Lines whose counters are in a form of their own, "Epoch [1][50/200]", with pairs after it, and
// lines that say what happened: a form is one row of templates/logs.forms.

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/number.h"
#include "read/known_rows.h"
#include "read/log/line_pattern.h"
#include "read/log/line_sections.h"
#include "read/log/log_forms.h"
#include "read/log/trainlog_dialects.h"
#include "read/log/trainlog_keyvalue.h"

static bool is_counter(Str name)
{
    return STR_IN(name, "epoch", "epoch0", "epochs", "iter", "total", "step", "max", "from",
                  "speed", "sentences", "rank", "skipped", "threshold", "limit");
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
    place.within = place.has_epoch && place.has_step && place.total;
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

// Of fields that count what happened instead of measuring it.
typedef struct ToldFields {
    int64_t counts[3];
    Str texts[3];
} ToldFields;

static const struct {
    const char *name;
    EventKind kind;
} told_fields[] = {{"number of skipped iterations", EVENT_SKIP},
                   {"number of nan iterations", EVENT_NAN},
                   {"overflow cond", EVENT_OVERFLOW}};
enum { TOLD_FIELDS = sizeof told_fields / sizeof *told_fields };

// The next such mark outside of brackets, or the end.
static size_t field_stop(Str text, char mark)
{
    int depth = 0;
    for (size_t at = 0; at < text.size; at++) {
        char c = text.data[at];
        depth += (c == '[' || c == '(') - (c == ']' || c == ')');
        if (c == mark && depth <= 0)
            return at;
    }
    return text.size;
}

// "2.5", "157149ms", "2.5/2.25" and "[2.5/2.25]" with the mean; "[1 31049]" is mangled.
static bool field_value(Str text, Figure *out)
{
    static const char *const units[] = {"ms", "s", "%", "T"};
    Scan scan = scan_of(text);
    Figure mean;
    bool listed = scan_char(&scan, '[');
    scan_blanks(&scan);
    if (!scan_figure(&scan, out))
        return false;
    scan_blanks(&scan);
    if (scan_char(&scan, '/') && !scan_figure(&scan, &mean))
        return false;
    scan_blanks(&scan);
    if (listed && !scan_char(&scan, ']'))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (scan_word(&scan, units[i]))
            break;
    scan_blanks(&scan);
    scan_char(&scan, '}');
    return scan_done(&scan);
}

static bool take_told(ToldFields *told, Str key, Str value)
{
    for (size_t i = 0; i < TOLD_FIELDS; i++) {
        Figure figure;
        if (!str_equal(key, str_of(told_fields[i].name)))
            continue;
        bool number = figure_of_text(value, &figure) && number_can_count(figure.value);
        told->counts[i] = number ? (int64_t)figure.value : str_starts(value, STR("True"));
        told->texts[i] = value;
        return true;
    }
    return false;
}

static bool ends_so(TrainLog *log)
{
    trainlog_role(log);
    return log->role.is_record;
}

// Fields "name: value" between marks; names have blanks, and one of GLM has no colon.
static size_t field_pairs(TrainLog *log, Str rest, const LineForm *form, Pair *pairs,
                          ToldFields *told)
{
    size_t count = 0;
    bool bars = form->fields == '|';
    while (rest.size && count < PAIRS_MAX) {
        size_t stop = field_stop(rest, form->fields);
        Str field = str_trim(str_slice(rest, 0, stop));
        // Text after the last bar of training is cut off, but where lines end so again and again.
        bool loose = bars && stop == rest.size && form->role == FORM_TRAINING && !ends_so(log);
        rest = str_slice(rest, stop + 1, rest.size);
        size_t colon = bars ? str_rfind_char(field, ':') : str_find_char(field, ':', 0);
        if (colon == SIZE_MAX && bars)
            colon = str_rfind_char(field, ' ');
        Str key = str_trim(str_slice(field, 0, colon));
        Str value = str_trim(str_slice(field, colon + 1, field.size));
        if (colon == SIZE_MAX || loose || take_told(told, key, value))
            continue;
        Pair pair = {.key = key, .facts = name_facts(log->names, key), .marked = true};
        // Where a stage has no norm the eager trainer prints "NaN"; "nan" is a norm that is none.
        bool none = str_equal(key, STR("grad_norm")) && str_starts(value, STR("NaN"));
        pair.absent = !field_value(value, &pair.figure) || none;
        if (!pair.absent || !bars)
            pairs[count++] = pair;
    }
    return count;
}

static void tell_fields(TrainLog *log, Part *part, const ToldFields *told)
{
    for (size_t i = 0; i < TOLD_FIELDS; i++) {
        part->tells_skips = part->tells_skips || told->texts[i].size;
        if (told->counts[i] > 0) {
            part_event(part, told_fields[i].kind, part->last_step, (uint64_t)told->counts[i],
                       log->number, str_of(told_fields[i].name));
            log->reading.plain = false;
        } else if (told->texts[i].size && log->reading.plain) {
            log->reading.fixed[log->reading.fixed_count++] = told->texts[i];
        }
    }
}

static void take_local_norm(TrainLog *log, Part *part, int64_t step, Str name, Figure figure)
{
    NormLists *lists = &part->norms;
    NormList *list = lists->count ? &lists->items[lists->count - 1] : NULL;
    if (!list || list->step != step || list->maybe_squares) {
        if (lists->count >= NORM_LISTS_MAX)
            return;
        list = ARRAY_PUSH(log->arena, lists);
        *list = (NormList){.step = step, .global_norm = NAN};
    }
    *ARRAY_PUSH(log->arena, list) = (LocalNorm){
        .name = str_copy(log->arena, name), .value = figure.value, .decimals = figure.decimals};
}

// Values of a step, or of the last one, that are no record.
static bool take_beside(TrainLog *log, const LineForm *form, const LogPlace *place,
                        const Pair *pairs, size_t count)
{
    static const Str local = {"local_norm/", 11};
    Part *part = trainlog_part(log, form->name);
    int64_t x, last = part->last_step;
    bool any = false, counts = epoch_counter_next(&log->counter, place, log->arena, &x);
    for (size_t i = 0; i < count; i++) {
        Str key = pairs[i].key;
        if (pairs[i].absent)
            continue;
        any = true;
        if (!counts) {
            part_add_late(part, str_cstr(log->arena, key), pairs[i].figure);
        } else if (str_starts(key, local)) {
            take_local_norm(log, part, x, str_slice(key, local.size, key.size), pairs[i].figure);
            log->found++;
        } else {
            trainlog_begin(log, part, x, -1);
            part_add(part, key, pairs[i].figure);
            trainlog_end(log, part);
            part->last_step = last > x ? last : x;
        }
    }
    return any;
}

static void take_limits(const PatternMatch *match, Part *part)
{
    for (size_t i = 0; i < match->count; i++)
        if (str_equal(match->names[i], STR("threshold")))
            part->skip_threshold = match->figures[i].value;
        else if (str_equal(match->names[i], STR("limit")))
            part->skip_limit = (uint64_t)match->figures[i].value;
}

// A line that counts all steps that were skipped: the rise is what happened, where no other line
// says it.
static void tell_skipped(TrainLog *log, Part *part, const PatternMatch *match)
{
    int64_t skipped;
    const char *text;
    if (!field_of(match, "skipped", &skipped, &text))
        return;
    part->tells_skips = true;
    if (skipped > log->skipped_before && log->overflow_lines == 0)
        part_event(part, EVENT_SKIP, part->last_step, (uint64_t)(skipped - log->skipped_before),
                   log->number, log->line);
    log->reading.plain = log->reading.plain && skipped == log->skipped_before;
    log->reading.fixed[log->reading.fixed_count++] = (Str){text, 1};
    log->skipped_before = skipped;
}

// The values of the form and the pairs or fields after it; a counter that never begins anew wins.
static size_t values_of(const PatternMatch *match, TrainLog *log, const LineForm *form, Pair *pairs,
                        LogPlace *place, ToldFields *told)
{
    Str rest = str_slice(log->line, match->stop, log->line.size);
    if (form->fields)
        return field_pairs(log, rest, form, pairs, told);
    size_t count = line_pairs(rest, log->names, pairs);
    for (size_t i = 0; i < count; i++)
        if (str_equal(pairs[i].key, STR("num_updates")) && pairs[i].figure.value >= 0 &&
            number_can_count(pairs[i].figure.value))
            *place = (LogPlace){.has_step = true,
                                .step = (int64_t)pairs[i].figure.value,
                                .step_text = pairs[i].figure.text};
    return fields_of(match, log->names, pairs, count);
}

bool heading_again(TrainLog *log, LineShape *shape)
{
    const LogPlace *place = &shape->reading.place;
    int64_t x;
    if (!pairs_step(log, *place, &x) || !trainlog_again(log, shape, x))
        return false;
    if (place->within && place->total < INT32_MAX)
        shape->reading.part->steps_per_epoch = place->total;
    return true;
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

// Records of the first rows are expected to have the same fields, each among themselves.
static int form_kind(const TrainLog *log, const LineForm *form)
{
    enum { OWN_KINDS = 8 };
    ptrdiff_t row = form - log->forms.items;
    return row < OWN_KINDS ? (int)row : KIND_TEXT;
}

static bool take_form(TrainLog *log, const LineForm *form, const PatternMatch *match)
{
    Pair pairs[PAIRS_MAX];
    LogPlace place = place_of(match);
    int64_t x;
    ToldFields told = {0};
    size_t count = values_of(match, log, form, pairs, &place, &told);
    bool evaluation = form->role == FORM_EVALUATION, evaluates;
    if (form->role == FORM_PASSED || form->role == FORM_BESIDE)
        take_limits(match, trainlog_part(log, form->name));
    if (form->role == FORM_PASSED)
        return true;
    if (form->role == FORM_BESIDE)
        return take_beside(log, form, &place, pairs, count);
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
        bool own = place.has_step && !place.has_epoch && place.total == 0;
        if ((part->record_count == 0 && !own) || (place.total && place.step < place.total))
            return true;
        x = own ? place.step : part->last_step;
    } else if (!pairs_step(log, place, &x)) {
        return false;
    }
    log->has_heading = false;
    log->kind = form->fields || form->role == FORM_TRAINING ? form_kind(log, form) : KIND_TEXT;
    if (!pairs_store(log, form->name, x, evaluation, pairs, count))
        return form->fields != 0;
    if (evaluation)
        return true;
    trainlog_plain(log, log->part, &place);
    if (place.within && place.total < INT32_MAX)
        log->part->steps_per_epoch = place.total;
    tell_fields(log, log->part, &told);
    tell_skipped(log, log->part, match);
    return true;
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
// prints what a loop kept: numbered where no step is there. Next to other records it says them
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
    if (form->set_count || !pattern_match(form->pattern, log->line, &match))
        return false;
    Part *part = trainlog_find(log, false);
    LogPlace place = place_of(&match);
    field_of(&match, "rank", &rank, &text);
    if (part)
        take_limits(&match, part);
    bool before = form->is_at_last || form->event == EVENT_ABORT, none = log->last_x == INT64_MIN;
    if (place.has_step)
        step = place.step + (part && place.epoch > 1 && place.epoch < INT32_MAX
                                 ? (place.epoch - 1) * part->steps_per_epoch
                                 : 0);
    else
        step = none ? 1 : log->last_x + !before;
    if (!(none && form->is_at_last))
        trainlog_event(log, form->event, step, rank, place.has_step || form->is_at_last);
    return true;
}

bool events_take(TrainLog *log)
{
    static const char *const marks[] = {
        "verflow",    "kip",      "VERFLOW",    "NaN",     "is nan",    "is inf",
        "became",     "loss,",    "not run",    "OOM",     "of memory", "or nan",
        "reached",    "stopping", "not finite", "restart", "save",      "checkpoint",
        "Unexpected", "hreshold", "terminate",  "Finish"};
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

static bool is_word_byte(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '-';
}

// Whether the word is in the line, in any case; '_' stands for a blank, '~' for any end.
static bool has_word(Str line, Str word)
{
    bool open = str_ends(word, STR("~")), other = word.data[0] & 0x80;
    word.size -= open;
    for (size_t at = 0; at + word.size <= line.size; at++) {
        size_t k = 0;
        if (!other && at > 0 && is_word_byte(line.data[at - 1]))
            continue;
        while (k < word.size &&
               (line.data[at + k] | 0x20) == (word.data[k] == '_' ? ' ' : word.data[k] | 0x20))
            k++;
        char behind = at + k < line.size ? line.data[at + k] : ' ';
        if (k == word.size && (open || other || !(is_word_byte(behind) || behind == '=')))
            return true;
    }
    return false;
}

static bool has_word_of(Str line, uint64_t starts, const FormWords *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->items[i].start & starts && has_word(line, words->items[i].text))
            return true;
    return false;
}

static uint64_t line_starts(Str line)
{
    uint64_t bits = 0;
    for (size_t at = 0; at < line.size; at++)
        if (at == 0 || !is_word_byte(line.data[at - 1]) || line.data[at] & 0x80)
            bits |= form_start(str_slice(line, at, line.size));
    return bits;
}

bool event_words_take(TrainLog *log)
{
    enum { SENTENCE_BYTES = 300 };
    Str line = log->line;
    uint64_t starts = line.size <= SENTENCE_BYTES ? line_starts(line) : 0;
    for (size_t i = 0; starts && i < log->events.count; i++) {
        const LineForm *form = &log->events.items[i];
        size_t found = 0;
        while (found < form->set_count && has_word_of(line, starts, &form->sets[found]))
            found++;
        if (found == 0 || found < form->set_count || has_word_of(line, starts, &form->none))
            continue;
        Pair pairs[PAIRS_MAX];
        size_t count = line_pairs(line, log->names, pairs);
        int64_t rank = -1,
                step = log->last_x == INT64_MIN ? 1 : log->last_x + (form->event != EVENT_ABORT);
        bool counted = false;
        for (size_t k = 0; k < count; k++) {
            bool whole = pairs[k].figure.decimals <= 0 && number_can_count(pairs[k].figure.value);
            int64_t value = whole ? (int64_t)pairs[k].figure.value : 0;
            rank = whole && str_equal_nocase(pairs[k].key, STR("rank")) ? value : rank;
            counted = counted || (whole && pairs[k].facts.step);
            step = whole && pairs[k].facts.step ? value : step;
        }
        trainlog_event(log, form->event, step, rank, counted);
        return true;
    }
    return false;
}

// Forms that may stand among other text have a letter that no number has.
static bool has_letter(Str line)
{
    for (size_t i = 0; i < line.size; i++) {
        unsigned char c = (unsigned char)(line.data[i] | 0x20);
        if (c >= 'a' && c <= 'z' && c != 'e')
            return true;
    }
    return false;
}

// Whether nothing but a form's match is on the line, and what it measures has a point.
static bool is_alone(Str line, const PatternMatch *match)
{
    Str behind = str_trim(str_slice(line, match->stop, line.size));
    for (size_t i = 0; i < match->count; i++)
        if (!is_counter(match->names[i]) && isfinite(match->figures[i].value) &&
            match->figures[i].decimals == 0)
            return false;
    return behind.size == 0;
}

bool heading_take(TrainLog *log)
{
    PatternMatch match;
    bool letter = has_letter(log->line);
    for (size_t i = 0; i < log->forms.count; i++) {
        const LineForm *form = &log->forms.items[i];
        if ((letter || form->is_alone) && pattern_match(form->pattern, log->line, &match) &&
            (!form->is_alone || is_alone(log->line, &match)))
            return take_form(log, form, &match);
    }
    return letter && take_printed_list(log);
}
