// SPDX-License-Identifier: Apache-2.0

// Megatron-LM, MindSpeed, ModelLink and forks: " iteration I/I | key: value | … |"
// (docs/spec/curves.md §4.3). No field is demanded; text behind the last bar is no field.

#include <math.h>
#include <string.h>

#include "read/log/trainlog_dialects.h"

static bool before_word(Str line, size_t at)
{
    if (at == 0)
        return true;
    char c = line.data[at - 1];
    return c == ' ' || c == '\t' || c == ':' || c == ']';
}

// Moves behind "iteration I / I |".
static bool find_head(Str line, Scan *scan, int64_t *step)
{
    *scan = scan_of(line);
    int64_t total;
    while (scan_find(scan, "iteration")) {
        Scan at = *scan;
        // "epoch 1, iteration 3/10" begins anew with each epoch.
        bool within = at.at > 10 && line.data[at.at - 11] == ',';
        if (within || !before_word(line, at.at - 9) || !scan_char(&at, ' '))
            continue;
        scan_blanks(&at);
        if (!scan_uint(&at, step))
            continue;
        scan_blanks(&at);
        if (!scan_char(&at, '/'))
            continue;
        scan_blanks(&at);
        bool good = scan_uint(&at, &total);
        scan_blanks(&at);
        if (good && scan_char(&at, '|')) {
            *scan = at;
            return true;
        }
    }
    return false;
}

// "N", "N/N" (now and average), with a unit.
static bool field_value(Str text, Figure *out)
{
    Scan scan = scan_of(text);
    Figure average;
    scan_blanks(&scan);
    if (!scan_figure(&scan, out))
        return false;
    if (scan_char(&scan, '/') && !scan_figure(&scan, &average))
        return false;
    scan_blanks(&scan);
    if (scan.at == text.size)
        return true;
    if (!scan_word(&scan, "ms") && !scan_word(&scan, "s"))
        scan_word(&scan, "%");
    return scan_done(&scan);
}

typedef struct Counts {
    int64_t skipped, nans;
} Counts;

typedef enum FieldUse { FIELD_VALUE, FIELD_SKIPPED, FIELD_NANS } FieldUse;

static FieldUse use_of(Str key)
{
    return str_equal(key, STR("number of skipped iterations")) ? FIELD_SKIPPED
           : str_equal(key, STR("number of nan iterations"))   ? FIELD_NANS
                                                               : FIELD_VALUE;
}

static void store_field(Part *part, FieldUse use, Str key, Figure figure, Counts *counts)
{
    int64_t count = figure.value > 0 && figure.value < 1e15 ? (int64_t)figure.value : 0;
    if (use == FIELD_VALUE)
        part_add(part, key, figure);
    else if (use == FIELD_SKIPPED)
        counts->skipped = count;
    else
        counts->nans = count;
}

// How a field of this log begins, up to its colon: the same text is not looked up again. One that
// goes on as more than a number takes the general way.
typedef struct FieldHead {
    Str text;  // " lm loss:"
    Str key;   // "lm loss"
    FieldUse use;
} FieldHead;

enum { HEADS_MAX = 32 };

static void note_head(TrainLog *log, Str text)
{
    if (log->head_count == HEADS_MAX)
        return;
    FieldHead *head = ARRAY_ADD(log->arena, log->heads, log->head_count, log->head_capacity);
    head->text = str_copy(log->arena, text);
    head->key = str_trim(str_slice(head->text, 0, text.size - 1));
    head->use = use_of(head->key);
}

// Takes "N |" behind a known head.
static bool take_behind(const FieldHead *head, Part *part, Str *rest, Counts *counts)
{
    if (rest->data[1] != head->text.data[1] || !str_starts(*rest, head->text))
        return false;
    Scan scan = {*rest, head->text.size};
    Figure figure;
    scan_blanks(&scan);
    if (!scan_figure(&scan, &figure))
        return false;
    scan_blanks(&scan);
    if (!scan_char(&scan, '|'))
        return false;
    store_field(part, head->use, head->key, figure, counts);
    *rest = scan_rest(&scan);
    return true;
}

// Fields come in the same order in every line, so the next head is nearly always the right one.
static bool take_known(TrainLog *log, size_t *next, Part *part, Str *rest, Counts *counts)
{
    for (size_t i = 0, at = *next; i < log->head_count; i++, at++) {
        at = at < log->head_count ? at : 0;
        if (take_behind(&log->heads[at], part, rest, counts)) {
            *next = at + 1;
            return true;
        }
    }
    return false;
}

static void take_field(TrainLog *log, Part *part, Str field, Counts *counts)
{
    size_t colon = str_rfind_char(field, ':');
    Figure figure;
    if (colon == SIZE_MAX || !field_value(str_slice(field, colon + 1, field.size), &figure))
        return;
    Str key = str_trim(str_slice(field, 0, colon));
    store_field(part, use_of(key), key, figure, counts);
    if (colon > 0)
        note_head(log, str_slice(field, 0, colon + 1));
}

static Counts take_fields(TrainLog *log, Part *part, Str rest)
{
    Counts counts = {0};
    for (size_t bar, next = 0;;) {
        if (rest.size > 1 && take_known(log, &next, part, &rest, &counts))
            continue;
        bar = str_find_char(rest, '|', 0);
        if (bar == SIZE_MAX)
            return counts;
        take_field(log, part, str_slice(rest, 0, bar), &counts);
        rest = str_slice(rest, bar + 1, rest.size);
    }
}

static void take_record(TrainLog *log, Str rest, int64_t step)
{
    Part *part = trainlog_part(log, "megatron");
    trainlog_begin(log, part, step, 0);
    Counts counts = take_fields(log, part, rest);
    trainlog_end(log, part);
    if (counts.skipped)
        part_event(part, EVENT_SKIP, step, (uint64_t)counts.skipped, log->number,
                   STR("number of skipped iterations"));
    if (counts.nans)
        part_event(part, EVENT_NAN, step, (uint64_t)counts.nans, log->number,
                   STR("number of nan iterations"));
}

// " validation loss at iteration I | lm loss value: N | lm loss PPL: N |"
static bool take_validation(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    int64_t step;
    if (!scan_find(&scan, "validation") || !scan_find(&scan, " loss at "))
        return false;
    Part *part = trainlog_part(log, "megatron");
    Str rest = scan_rest(&scan);
    if (scan_word(&scan, "iteration ")) {
        scan_blanks(&scan);
        if (!scan_uint(&scan, &step))
            return false;
    } else {
        step = part->last_step;
    }
    if (step == INT64_MIN || str_find_char(rest, '|', 0) == SIZE_MAX)
        return false;
    int64_t last_step = part->last_step;
    trainlog_begin(log, part, step, -1);
    // What stands before the first bar is no field; behind the last one it may be.
    Str field;
    Counts none = {0};
    for (str_split(&rest, '|', &field); str_split(&rest, '|', &field);)
        take_field(log, part, field, &none);
    trainlog_end(log, part);
    part_event(part, EVENT_EVAL, step, 1, log->number, log->line);
    part->last_step = last_step > step ? last_step : step;
    return true;
}

static bool take_checkpoint(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    int64_t step;
    if (!scan_find(&scan, "saved checkpoint from iteration"))
        return false;
    scan_blanks(&scan);
    if (!scan_uint(&scan, &step))
        return false;
    part_event(trainlog_part(log, "megatron"), EVENT_CHECKPOINT, step, 1, log->number, log->line);
    return true;
}

bool megatron_take(TrainLog *log)
{
    Scan scan;
    int64_t step;
    if (find_head(log->line, &scan, &step)) {
        take_record(log, scan_rest(&scan), step);
        return true;
    }
    return take_validation(log) || take_checkpoint(log);
}
