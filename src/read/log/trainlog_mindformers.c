// SPDX-License-Identifier: Apache-2.0

// MindFormers: the classic step line, the eager trainer's, training-state lines, data skip, aborts,
// checkpoints (docs/spec/curves.md §4.2, patterns M1 … M12).

#include <math.h>
#include <string.h>

#include "read/log/trainlog_dialects.h"

enum { KIND_CLASSIC = 10, KIND_EAGER = 11 };

// "word: ?[ I/ I]": what Epoch and step share, and where its numbers stand.
static bool scan_progress(Scan *scan, const char *word, int64_t *now, int64_t *total,
                          const char *texts[2])
{
    Scan at = *scan;
    if (!scan_word(&at, word) || !scan_char(&at, ':'))
        return false;
    scan_char(&at, ' ');
    if (!scan_char(&at, '['))
        return false;
    scan_blanks(&at);
    texts[0] = at.text.data + at.at;
    if (!scan_uint(&at, now))
        return false;
    scan_blanks(&at);
    if (!scan_char(&at, '/'))
        return false;
    scan_blanks(&at);
    texts[1] = at.text.data + at.at;
    if (!scan_uint(&at, total) || !scan_char(&at, ']'))
        return false;
    *scan = at;
    return true;
}

// Steps are counted through the epochs.
static bool global_step(const LogPlace *place, int64_t *step)
{
    if (place->epoch < 1 || place->epoch > INT32_MAX || place->total > INT32_MAX ||
        place->step > INT32_MAX)
        return false;
    *step = (place->epoch - 1) * place->total + place->step;
    return true;
}

// "Epoch:[ I/ I], step:[ I/ I]"
static bool scan_epoch_step(Scan *scan, LogPlace *place)
{
    int64_t epochs;
    const char *epoch_texts[2], *step_texts[2];
    Scan at = *scan;
    *place = (LogPlace){.has_step = true, .has_epoch = true};
    if (!scan_progress(&at, "Epoch", &place->epoch, &epochs, epoch_texts) ||
        !scan_word(&at, ", ") ||
        !scan_progress(&at, "step", &place->step, &place->total, step_texts))
        return false;
    place->epoch_text = epoch_texts[0];
    place->step_text = step_texts[0];
    place->total_text = step_texts[1];
    *scan = at;
    return true;
}

// The position of the next comma outside of brackets, or the end.
static size_t field_stop(Str text)
{
    int depth = 0;
    size_t comma = str_find_char(text, ',', 0);
    Str plain = str_slice(text, 0, comma);
    if (str_find_char(plain, '[', 0) == SIZE_MAX && str_find_char(plain, '(', 0) == SIZE_MAX)
        return plain.size;
    for (size_t at = 0; at < text.size; at++) {
        char c = text.data[at];
        depth += c == '[' || c == '(';
        depth -= c == ']' || c == ')';
        if (c == ',' && depth <= 0)
            return at;
    }
    return text.size;
}

// The next "key: value"; what has no colon is passed over. False at the end.
static bool next_field(Str *rest, Str *key, Str *value)
{
    while (rest->size) {
        size_t stop = field_stop(*rest);
        Str field = str_slice(*rest, 0, stop);
        *rest = str_slice(*rest, stop + 1, rest->size);
        size_t colon = str_find_char(field, ':', 0);
        if (colon == SIZE_MAX)
            continue;
        *key = str_trim(str_slice(field, 0, colon));
        *value = str_trim(str_slice(field, colon + 1, field.size));
        return true;
    }
    return false;
}

// A number with a unit after it: "157149ms", "3.023T".
static bool plain_value(Str text, Figure *out)
{
    Scan scan = scan_of(text);
    if (!scan_figure(&scan, out))
        return false;
    scan_blanks(&scan);
    if (!scan_word(&scan, "ms"))
        scan_char(&scan, 'T');
    scan_blanks(&scan);
    scan_char(&scan, '}');
    return scan_done(&scan);
}

// "[44.313248]", "[now/mean]": the first number; "[1 31049]" is mangled and no value.
static bool bracket_value(Str text, Figure *out)
{
    Scan scan = scan_of(text);
    Figure mean;
    scan_char(&scan, '[');
    scan_blanks(&scan);
    if (!scan_figure(&scan, out))
        return false;
    scan_blanks(&scan);
    if (scan_char(&scan, '/') && !scan_figure(&scan, &mean))
        return false;
    scan_blanks(&scan);
    if (!scan_char(&scan, ']'))
        return false;
    scan_blanks(&scan);
    scan_char(&scan, '}');
    return scan_done(&scan);
}

static void take_field(TrainLog *log, Part *part, Str key, Str value, bool eager)
{
    Figure figure;
    if (str_equal(key, STR("overflow cond"))) {
        if (str_starts(value, STR("True")))
            part_event(part, EVENT_OVERFLOW, part->last_step, 1, log->number,
                       STR("overflow cond: True"));
        return;
    }
    // The eager trainer prints "NaN" where a stage has no norm, and "nan" for a norm that is none.
    bool none = eager && str_equal(key, STR("grad_norm")) && str_starts(value, STR("NaN"));
    bool good = value.size && value.data[0] == '[' ? bracket_value(value, &figure)
                                                   : plain_value(value, &figure);
    if (good && !none)
        part_add(part, key, figure);
    else
        part_add_absent(part, key);
}

static void take_fields(TrainLog *log, Part *part, Str rest, bool eager)
{
    Str key, value;
    while (next_field(&rest, &key, &value))
        take_field(log, part, key, value, eager);
}

static bool take_record(TrainLog *log, Part *part, Scan scan, int64_t step, const LogPlace *place)
{
    size_t events = part->events.count;
    bool eager = !place->has_epoch;
    trainlog_begin(log, part, step, eager ? KIND_EAGER : KIND_CLASSIC);
    take_fields(log, part, scan_rest(&scan), eager);
    if (trainlog_end(log, part) && part->events.count == events)
        trainlog_plain(log, part, place);
    return true;
}

static bool take_classic(TrainLog *log, Scan scan, int64_t step, const LogPlace *place)
{
    Part *part = trainlog_part(log, "mindformers");
    part->steps_per_epoch = place->total;
    scan_char(&scan, ',');
    return take_record(log, part, scan, step, place);
}

bool mindformers_again(TrainLog *log, LineShape *shape)
{
    const LogPlace *place = &shape->reading.place;
    int64_t step = place->step;
    if (place->has_epoch && !global_step(place, &step))
        return false;
    if (place->has_epoch)
        shape->reading.part->steps_per_epoch = place->total;
    trainlog_again(log, shape, step);
    return true;
}

static void take_local_norm(TrainLog *log, Part *part, int64_t step, Str name, Figure figure)
{
    NormLists *lists = &part->norms;
    NormList *list = lists->count ? &lists->items[lists->count - 1] : NULL;
    if (!list || list->step != step || list->maybe_squares) {
        if (lists->count >= 16)
            return;
        list = ARRAY_PUSH(log->arena, lists);
        *list = (NormList){.step = step, .global_norm = NAN};
    }
    *ARRAY_PUSH(log->arena, list) = (LocalNorm){
        .name = str_copy(log->arena, name), .value = figure.value, .decimals = figure.decimals};
}

// "Epoch:[ I/ I], step:[ I/ I] tag: N"
static bool take_state(TrainLog *log, Scan scan, int64_t step)
{
    Str rest = str_trim(scan_rest(&scan));
    size_t colon = str_rfind_char(rest, ':');
    Figure figure;
    if (colon == SIZE_MAX || !figure_of_text(str_slice(rest, colon + 1, rest.size), &figure))
        return false;
    Str tag = str_trim(str_slice(rest, 0, colon));
    Part *part = trainlog_part(log, "mindformers");
    if (str_starts(tag, STR("local_norm/"))) {
        take_local_norm(log, part, step, str_slice(tag, 11, tag.size), figure);
        log->found++;
        return true;
    }
    int64_t last = part->last_step;
    trainlog_begin(log, part, step, -1);
    part_add(part, tag, figure);
    trainlog_end(log, part);
    part->last_step = last > step ? last : step;
    return true;
}

static bool take_step_line(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    LogPlace place;
    int64_t step, total;
    const char *texts[2];
    if (!scan_find(&scan, "step:") || str_find_char(log->line, '[', scan.at) > scan.at + 1)
        return false;
    scan = scan_of(log->line);
    if (scan_find(&scan, "Epoch:")) {
        size_t at = scan.at -= strlen("Epoch:");
        if (!scan_epoch_step(&scan, &place) || !global_step(&place, &step))
            return false;
        size_t brace = at && log->line.data[at - 1] == ' ' ? at - 1 : at;
        // Early versions print their fields without braces; a state comes after a blank.
        bool classic = (brace && log->line.data[brace - 1] == '{') ||
                       (scan.at < log->line.size && log->line.data[scan.at] == ',');
        return classic ? take_classic(log, scan, step, &place) : take_state(log, scan, step);
    }
    scan_find(&scan, "{");
    scan_char(&scan, ' ');
    if (!scan_progress(&scan, "step", &step, &total, texts) || !scan_char(&scan, ','))
        return false;
    place = (LogPlace){.has_step = true, .step = step, .step_text = texts[0]};
    return take_record(log, trainlog_part(log, "mindformers"), scan, step, &place);
}

static bool take_embedding(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    Figure figure;
    if (!scan_find(&scan, "embedding_local_norm:"))
        return false;
    scan_blanks(&scan);
    if (!scan_figure(&scan, &figure) || !scan_done(&scan))
        return false;
    part_add_late(trainlog_part(log, "mindformers"), "embedding_local_norm", figure);
    return true;
}

static bool has_event(const Part *part, EventKind kind, int64_t step)
{
    for (size_t i = part->events.count; i > 0 && i + 16 > part->events.count; i--)
        if (part->events.items[i - 1].kind == kind && part->events.items[i - 1].step == step)
            return true;
    return false;
}

static void add_once(TrainLog *log, Part *part, EventKind kind, int64_t step)
{
    if (!has_event(part, kind, step))
        part_event(part, kind, step, 1, log->number, log->line);
}

// "opt_global_step: I, skip_data_grad_norm_threshold: N, is_skip: [ True]": the step printed last.
static bool take_skip(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    Figure threshold;
    if (!scan_find(&scan, "skip_data_grad_norm_threshold:"))
        return false;
    scan_blanks(&scan);
    if (!scan_figure(&scan, &threshold) || !scan_find(&scan, "is_skip:"))
        return false;
    Part *part = trainlog_part(log, "mindformers");
    part->skip_threshold = threshold.value;
    if (scan_find(&scan, "True") && part->last_step != INT64_MIN)
        add_once(log, part, EVENT_SKIP, part->last_step);
    return true;
}

// "Current global norm [N] of step I has been I consecutive times greater than threshold: N", with
// ", stop training" where the run ends.
static bool take_consecutive(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    int64_t step, times;
    Figure threshold;
    if (!scan_find(&scan, "Current global norm") || !scan_find(&scan, " of step ") ||
        !scan_uint(&scan, &step) || !scan_word(&scan, " has been ") || !scan_uint(&scan, &times) ||
        !scan_word(&scan, " consecutive times greater than threshold"))
        return false;
    Part *part = trainlog_part(log, "mindformers");
    scan_char(&scan, ':');
    scan_blanks(&scan);
    if (scan_figure(&scan, &threshold))
        part->skip_threshold = threshold.value;
    add_once(log, part, EVENT_SKIP, step);
    if (scan_word(&scan, ", stop training")) {
        part->skip_limit = (uint64_t)times;
        add_once(log, part, EVENT_ABORT, step);
    }
    return true;
}

// The watch that excludes the data skip (M10) and the not-a-number stop (M11).
static bool take_stop(TrainLog *log)
{
    static const char *const anchors[] = {"greater equal than threshold", "terminate training"};
    for (size_t i = 0; i < sizeof anchors / sizeof *anchors; i++) {
        if (str_find(log->line, str_of(anchors[i]), 0) == SIZE_MAX)
            continue;
        Part *part = trainlog_part(log, "mindformers");
        if (part->last_step == INT64_MIN)
            return true;
        if (i == 1)
            add_once(log, part, EVENT_NAN, part->last_step);
        add_once(log, part, EVENT_ABORT, part->last_step);
        return true;
    }
    return false;
}

// "Finish saving ckpt of epoch I step I"
static bool take_checkpoint(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    int64_t epoch, step;
    if (!scan_find(&scan, "Finish saving ckpt of epoch ") || !scan_uint(&scan, &epoch) ||
        !scan_word(&scan, " step ") || !scan_uint(&scan, &step) || epoch < 1 || epoch > INT32_MAX)
        return false;
    Part *part = trainlog_part(log, "mindformers");
    step += (epoch - 1) * part->steps_per_epoch;
    part_event(part, EVENT_CHECKPOINT, step, 1, log->number,
               str_slice(log->line, str_find(log->line, STR("Finish"), 0), log->line.size));
    return true;
}

bool mindformers_take(TrainLog *log)
{
    return take_step_line(log) || take_embedding(log) || take_skip(log) || take_consecutive(log) ||
           take_stop(log) || take_checkpoint(log);
}

// ---- Local norms

// Local norms printed as a list in front of the step line that they belong to (M5):
//     norm_size: (I, I, …)
//     local_norm:
//     [N N … over several lines]
// and "print torch local norm:" with a list of tensor(N, device=…).

enum { NORMS_MAX = 100000 };

static void open_list(TrainLog *log)
{
    log->in_list = true;
    log->has_pending = false;
    log->pending = (NormList){.global_norm = NAN, .maybe_squares = true};
}

// The i-th number of "(I, I, …)", 0 where there is none; unknown where entries were left out.
static void take_sizes(TrainLog *log)
{
    Scan scan = scan_of(log->sizes);
    int64_t size;
    for (size_t i = 0; !log->pending.elided && i < log->pending.count; i++) {
        scan_blanks(&scan);
        if (!scan_uint(&scan, &size))
            return;
        log->pending.items[i].elements = (uint64_t)size;
        scan_char(&scan, ',');
    }
}

static void close_list(TrainLog *log)
{
    log->in_list = false;
    log->has_pending = log->pending.count > 0;
    take_sizes(log);
}

static void push_norm(TrainLog *log, Figure figure)
{
    if (log->pending.count < NORMS_MAX)
        *ARRAY_PUSH(log->arena, &log->pending) =
            (LocalNorm){.value = figure.value, .decimals = figure.decimals};
}

// Takes the numbers of one line of the list; false if the line is something else.
static bool take_numbers(TrainLog *log, Scan scan)
{
    while (!scan_done(&scan)) {
        Figure figure;
        scan_blanks(&scan);
        if (scan_char(&scan, '[') || scan_char(&scan, ','))
            continue;
        if (scan_char(&scan, ']')) {
            close_list(log);
            return true;
        }
        if (scan_word(&scan, "...")) {
            log->pending.elided = true;
            continue;
        }
        bool tensor = scan_word(&scan, "tensor(");
        if (!scan_figure(&scan, &figure))
            return false;
        push_norm(log, figure);
        if (tensor && !scan_find(&scan, ")"))
            return false;
    }
    return true;
}

// The list that begins behind an anchor, on the same line or on the next.
static bool begin_list(TrainLog *log, Scan scan)
{
    open_list(log);
    if (take_numbers(log, scan))
        return true;
    log->in_list = false;
    return false;
}

bool norm_list_take(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    if (log->in_list) {
        size_t before = log->pending.count;
        if (take_numbers(log, scan))
            return true;
        log->pending.count = before;  // broken by another text, whose time is no norm
        close_list(log);
        return false;
    }
    if (!scan_find(&scan, "norm"))
        return false;
    scan = scan_of(log->line);
    if (scan_find(&scan, "norm_size:")) {
        if (!scan_find(&scan, "("))
            return false;
        log->sizes = str_copy(log->arena, scan_rest(&scan));
        return true;
    }
    scan = scan_of(log->line);
    if (scan_find(&scan, "torch local norm:"))
        return begin_list(log, scan);
    size_t at = str_find(log->line, STR("local_norm:"), 0);
    bool whole = at != SIZE_MAX && (at == 0 || log->line.data[at - 1] == ' ');
    return whole && begin_list(log, (Scan){log->line, at + strlen("local_norm:")});
}
