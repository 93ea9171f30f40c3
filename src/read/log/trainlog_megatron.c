// SPDX-License-Identifier: Apache-2.0

// Megatron-LM, MindSpeed, ModelLink and forks: " iteration I/I | key: value | … |"
// (docs/spec/curves.md §4.3). No field is demanded; text after the last bar is no field.

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
static bool find_head(Str line, Scan *scan, int64_t *step, const char **step_text)
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
        *step_text = line.data + at.at;
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

// What a line counts instead of measuring it.
typedef struct Counts {
    int64_t skipped, nans;
    Str texts[2];  // its fields
} Counts;

// "lm loss: 2.5"; in forks of GLM "lm loss 2.5".
static void take_field(Part *part, Str field, Counts *counts)
{
    field = str_trim(field);
    size_t colon = str_rfind_char(field, ':');
    colon = colon == SIZE_MAX ? str_rfind_char(field, ' ') : colon;
    Figure figure;
    if (colon == SIZE_MAX || !field_value(str_slice(field, colon + 1, field.size), &figure))
        return;
    Str key = str_trim(str_slice(field, 0, colon));
    bool skips = str_equal(key, STR("number of skipped iterations"));
    if (!skips && !str_equal(key, STR("number of nan iterations"))) {
        part_add(part, key, figure);
        return;
    }
    int64_t count = figure.value > 0 && figure.value < 1e15 ? (int64_t)figure.value : 0;
    *(skips ? &counts->skipped : &counts->nans) = count;
    counts->texts[skips] = field;
}

static Counts take_fields(Part *part, Str rest)
{
    Counts counts = {.texts = {STR(""), STR("")}};
    for (size_t bar; (bar = str_find_char(rest, '|', 0)) != SIZE_MAX;) {
        take_field(part, str_slice(rest, 0, bar), &counts);
        rest = str_slice(rest, bar + 1, rest.size);
    }
    return counts;
}

static void take_record(TrainLog *log, Str rest, int64_t step, const char *step_text)
{
    Part *part = trainlog_part(log, "megatron");
    trainlog_begin(log, part, step, 0);
    Counts counts = take_fields(part, rest);
    LogPlace place = {.has_step = true, .step = step, .step_text = step_text};
    if (trainlog_end(log, part) && counts.skipped == 0 && counts.nans == 0) {
        trainlog_plain(log, part, &place);
        for (size_t i = 0; i < 2; i++)
            log->reading.fixed[log->reading.fixed_count++] = counts.texts[i];
    }
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
    // What stands before the first bar is no field; after the last one it may be.
    Str field;
    Counts none = {0};
    for (str_split(&rest, '|', &field); str_split(&rest, '|', &field);)
        take_field(part, field, &none);
    trainlog_end(log, part);
    part_event(part, EVENT_EVAL, step, 1, log->number, log->line);
    part->last_step = last_step > step ? last_step : step;
    return true;
}

bool megatron_take(TrainLog *log)
{
    Scan scan;
    int64_t step;
    const char *step_text;
    if (find_head(log->line, &scan, &step, &step_text)) {
        take_record(log, scan_rest(&scan), step, step_text);
        return true;
    }
    return take_validation(log);
}
