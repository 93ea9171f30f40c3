// SPDX-License-Identifier: Apache-2.0

// Progress bars with values: "Steps:  1%|  | 4/400 [00:04<10:00, 1.00it/s, lr=1e-05, loss=7.4]".
// The step is N of "N/M [". A bar is redrawn, and the first redraw of a step still shows the value
// of the step before: the last one counts. Or the values stand before the bar, below a header:
// "Epoch  GPU_mem  box_loss  Size" and "1/100  2.61G  3.12  640: 50%|  | 4/8 [00:02<00:02, 2it/s]".

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "read/log/line_sections.h"
#include "read/log/log_time.h"
#include "read/log/trainlog_dialects.h"
#include "read/log/trainlog_keyvalue.h"

enum { BAR_STEPS_MAX = 1000000000 };  // beyond it the number is no count

typedef struct BarRecord {
    int64_t x;
    // A mean over the epoch so far: its bar is not at its end, and that of another epoch was.
    bool is_unfinished, saw_end;
    int64_t total;  // of the bar of an epoch of Keras
    // Bars that name no epoch: all steps of those before the one at hand, and where that one is.
    int64_t steps_before, step, steps;
    bool draws_steps;  // some bar was seen before its end
    uint64_t number;   // the line of the last one
    bool is_evaluation;
    size_t count;
    Pair pairs[PAIRS_MAX];
    size_t key_count;  // keys of pairs that are kept
    PartField fields[PAIRS_MAX];
} BarRecord;

bool bars_next(Scan *scan, LogPlace *place, size_t *head, Str *elapsed)
{
    while (scan_find(scan, "/")) {
        size_t from = scan->at - 1;
        while (from > 0 && is_digit(scan->text.data[from - 1]))
            from--;
        Scan at = {scan->text, from};
        *place = (LogPlace){.has_step = true,
                            .step_text = scan->text.data + from,
                            .total_text = scan->text.data + scan->at};
        if (!scan_uint(&at, &place->step) || !scan_char(&at, '/') ||
            !scan_uint(&at, &place->total) || !scan_word(&at, " ["))
            continue;
        size_t less = str_find_char(str_slice(scan->text, 0, at.at + 17), '<', at.at);
        if (less == SIZE_MAX)
            continue;
        *head = from;
        *elapsed = str_slice(scan->text, at.at, less);
        scan->at = less + 1;
        return true;
    }
    return false;
}

// The epoch in the name of the bar: "Epoch 3: 20%|".
static void epoch_of(Str name, LogPlace *place)
{
    Scan scan = scan_of(name);
    while (scan_find(&scan, "poch")) {
        Scan at = scan;
        scan_blanks(&at);
        const char *text = name.data + at.at;
        if (scan_uint(&at, &place->epoch)) {
            place->has_epoch = true;
            place->epoch_text = text;
        }
    }
}

// "global_step=12.0" in the bar: the counter that never begins anew.
static void global_step_of(const Pair *pairs, size_t count, LogPlace *place)
{
    for (size_t i = 0; i < count; i++) {
        double value = pairs[i].figure.value;
        if (str_equal(pairs[i].key, STR("global_step")) && value >= 0 && number_can_count(value) &&
            value == floor(value))
            *place = (LogPlace){
                .has_step = true, .step = (int64_t)value, .step_text = pairs[i].figure.text};
    }
}

static void store(TrainLog *log)
{
    BarRecord *bar = log->bar;
    if (bar && bar->count && !(bar->is_unfinished && bar->saw_end))
        pairs_store(log, "bar", bar->x, bar->is_evaluation, bar->pairs, bar->count);
    if (bar)
        bar->count = 0;
}

// What was kept is stored where the next one is of another step or phase.
static void begin(TrainLog *log, int64_t x, bool evaluation)
{
    BarRecord *bar = log->bar;
    if (bar->count && (bar->x != x || bar->is_evaluation != evaluation))
        store(log);
    bar->x = x;
    bar->is_evaluation = evaluation;
}

// The step of a bar, or where the evaluation stands that it is of. A bar that names no epoch and
// begins anew after one that came to its end is of the next epoch; a much shorter one is of an
// evaluation.
static bool place_bar(TrainLog *log, const LogPlace *place, int64_t *x, bool *evaluation)
{
    BarRecord *bar = log->bar;
    *evaluation = false;
    if (place->has_epoch || place->total == 0 || place->total >= BAR_STEPS_MAX)
        return epoch_counter_next(&log->counter, place, log->arena, x);
    LogPlace own = *place;
    bool ended = bar->steps && bar->step == bar->steps;
    bool again = place->step == place->total && !bar->draws_steps && bar->number != log->number;
    bool anew = ended && (place->step < bar->step || again);
    *evaluation = anew && 2 * place->total < bar->steps;
    if (*evaluation) {
        *x = bar->steps_before + bar->step;
        return true;
    }
    bar->steps_before += anew ? bar->steps : 0;
    bar->step = place->step;
    bar->steps = place->total;
    bar->draws_steps = bar->draws_steps || place->step < place->total;
    bar->number = log->number;
    own.step += bar->steps_before;
    return epoch_counter_next(&log->counter, &own, log->arena, x);
}

// The keys live as long as the line; those of the record outlast it.
static void keep(TrainLog *log, int64_t x, bool evaluation, const Pair *pairs, size_t count)
{
    BarRecord *bar = log->bar;
    begin(log, x, evaluation);
    for (size_t i = 0; i < count; i++) {
        bool same = i < bar->key_count && str_equal(bar->pairs[i].key, pairs[i].key);
        Str key = same ? bar->pairs[i].key : str_copy(log->arena, pairs[i].key);
        bar->fields[i] = (PartField){.memo = i, .figure = pairs[i].figure, .printed = pairs[i].key};
        bar->pairs[i] = pairs[i];
        bar->pairs[i].key = key;
    }
    bar->count = count;
    bar->key_count = count > bar->key_count ? count : bar->key_count;
}

bool bars_again(TrainLog *log, LineShape *shape)
{
    BarRecord *bar = log->bar;
    int64_t x;
    bool evaluation;
    // What else is known of the pairs was kept with the line that the shape was learnt from.
    if (log->learnt != shape || log->columns.size ||
        !place_bar(log, &shape->reading.place, &x, &evaluation))
        return false;
    begin(log, x, evaluation);
    for (size_t i = 0; i < shape->reading.field_count; i++)
        bar->pairs[i].figure = shape->fields[i].figure;
    bar->count = shape->reading.field_count;
    return true;
}

static bool next_word(Str *rest, Str *word)
{
    *rest = str_trim(*rest);
    size_t size = 0;
    while (size < rest->size && rest->data[size] != ' ' && rest->data[size] != '\t')
        size++;
    *word = str_slice(*rest, 0, size);
    *rest = str_slice(*rest, size, rest->size);
    return size > 0;
}

// "Epoch" and names of columns, one of them of a loss; next to "gpu_mem" its parts are called
// "box", "obj", "cls".
static void note_columns(TrainLog *log)
{
    Str line = str_trim(log->line), rest = line, word;
    bool measures = false, memory = false;
    if (!str_starts(line, STR("Epoch ")) || line.size > 1024)
        return;
    StrBuf columns = strbuf_new(log->arena);
    while (next_word(&rest, &word)) {
        if (is_digit(word.data[0]))
            return;
        memory = memory || str_equal_nocase(word, STR("gpu_mem"));
        bool part = memory && STR_IN(word, "box", "obj", "cls", "dfl", "total");
        measures = measures || part || name_facts(log->names, word).measure;
        strbuf_printf(&columns, STR_FMT "%s ", STR_ARG(word), part ? "_loss" : "");
    }
    if (measures)
        log->columns = strbuf_str(&columns);
}

// The values of a row below those names, whose first cell is "N/M" of the epochs.
static size_t row_pairs(TrainLog *log, Str row, Pair pairs[PAIRS_MAX], int64_t *epoch)
{
    Str names = log->columns, name, cell;
    size_t count = 0;
    int64_t epochs;
    if (!next_word(&names, &name) || !next_word(&row, &cell))
        return 0;
    Scan scan = scan_of(cell);
    if (!scan_uint(&scan, epoch) || !scan_char(&scan, '/') || !scan_uint(&scan, &epochs) ||
        !scan_done(&scan))
        return 0;
    while (count < PAIRS_MAX && next_word(&names, &name) && next_word(&row, &cell)) {
        Pair pair = {.key = name, .facts = name_facts(log->names, name)};
        if (pair.facts.measure && figure_of_text(cell, &pair.figure))
            pairs[count++] = pair;
    }
    return count;
}

// A row whose bar is none: in another code page, or cut off.
static bool take_bare_row(TrainLog *log)
{
    Pair pairs[PAIRS_MAX];
    int64_t epoch;
    size_t count = log->columns.size ? row_pairs(log, log->line, pairs, &epoch) : 0;
    if (count)
        keep(log, epoch, false, pairs, count);
    return count > 0;
}

// "===== Epoch 3 =====": the text inside.
static Str without_frame(Str line)
{
    line = str_trim(line);
    while (line.size && memchr("=-*# ", line.data[0], 5))
        line = str_slice(line, 1, line.size);
    while (line.size && memchr("=-*# ", line.data[line.size - 1], 5))
        line.size--;
    return line;
}

// "Epoch 3/10", "epoch 3" or "Epoch: 3/10", alone on its line, stands above the bars of an epoch of
// Keras and above lines that count within the epoch; "epoch: 3" is a setting.
static void note_epoch(TrainLog *log)
{
    Scan scan = scan_of(without_frame(log->line));
    int64_t epoch, epochs;
    bool named =
        scan_word(&scan, "Epoch") || scan_word(&scan, "epoch") || scan_word(&scan, "EPOCH");
    bool colon = named && scan_char(&scan, ':');
    if (!named || !scan_char(&scan, ' ') || !scan_uint(&scan, &epoch))
        return;
    bool whole =
        (!colon && scan_done(&scan)) || (scan_char(&scan, '/') && scan_uint(&scan, &epochs));
    if (whole && scan_done(&scan)) {
        log->has_bar_epoch = true;
        log->bar_epoch = epoch;
    }
}

// A bar below the one of an epoch that has come to its end: model.evaluate() draws it.
static bool is_evaluated(const TrainLog *log, int64_t batch, int64_t batches)
{
    const BarRecord *bar = log->bar;
    return bar && bar->count && bar->x == log->bar_epoch && bar->total && !bar->is_unfinished &&
           (batches != bar->total || batch < batches);
}

// "1/100 [=>...] - ETA: 10s - loss: 2.5", drawn with a line or not at all: a mean over the epoch so
// far, so its last redraw is the value of the epoch. One that was cut off before its end is none.
static bool take_keras(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    int64_t batch, batches;
    Pair pairs[PAIRS_MAX];
    bool evaluation;
    scan_blanks(&scan);
    if (!log->has_bar_epoch || !scan_uint(&scan, &batch) || !scan_char(&scan, '/') ||
        !scan_uint(&scan, &batches) || !scan_char(&scan, ' ') ||
        !(scan_char(&scan, '[') || scan_word(&scan, "- ") || scan_word(&scan, "━")))
        return false;
    size_t count = line_pairs(scan_rest(&scan), log->names, pairs), kept = 0;
    for (size_t i = 0; i < count; i++)
        if (pairs[i].marked && !pairs[i].facts.step && !str_equal(pairs[i].key, STR("ETA")))
            pairs[kept++] = pairs[i];
    if (!pairs_measure(pairs, kept, &evaluation))
        return false;
    if (is_evaluated(log, batch, batches))
        return true;
    keep(log, log->bar_epoch, false, pairs, kept);
    log->bar->total = batches;
    log->bar->is_unfinished = batch < batches;
    log->bar->saw_end = log->bar->saw_end || batch >= batches;
    return true;
}

// Whether the bar is of an evaluation, by the words of its name: "Validation:  40%|".
static bool names_evaluation(Str name)
{
    Str word;
    while (next_word(&name, &word)) {
        while (word.size && memchr("[(:,|", word.data[0], 5))
            word = str_slice(word, 1, word.size);
        while (word.size && memchr("]):,|", word.data[word.size - 1], 5))
            word.size--;
        if (is_evaluation_word(word))
            return true;
    }
    return false;
}

// What is in the name of the bar, "Epoch 1 loss 2.5:  40%|", without its counters. After a bar
// a counter begins a line of its own.
static size_t name_pairs(TrainLog *log, Str name, bool behind, Pair pairs[PAIRS_MAX])
{
    size_t count = line_pairs(name, log->names, pairs), kept = 0;
    for (size_t i = 0; behind && i < count; i++)
        if (pairs[i].facts.step || str_equal_nocase(pairs[i].key, STR("epoch")))
            return 0;
    for (size_t i = 0; i < count; i++)
        if (pairs[i].facts.measure)
            pairs[kept++] = pairs[i];
    return kept;
}

// What comes after the bar, "40%|# | 4/10 [00:01<00:02, 3it/s] loss: 2.5", up to the next one. A
// dict is a record of its own.
static Str text_behind(Str line, size_t stop)
{
    Str rest = str_slice(line, stop, line.size);
    bool other = str_find_char(rest, '{', 0) != SIZE_MAX || str_find_char(rest, '<', 0) != SIZE_MAX;
    return other ? STR("") : rest;
}

bool bars_take(TrainLog *log)
{
    if (!log->bar)
        log->bar = ARENA_NEW(log->arena, BarRecord);
    if (str_find_char(log->line, '<', 0) == SIZE_MAX) {
        note_columns(log);
        note_epoch(log);
        return take_bare_row(log) || take_keras(log);
    }
    Scan scan = scan_of(log->line);
    LogPlace place = {0};
    Str elapsed;
    size_t head, behind = 0, heads = 0, kept = 0;
    bool taken = false;
    while (bars_next(&scan, &place, &head, &elapsed)) {
        heads++;
        size_t stop = str_find_char(scan.text, ']', scan.at);
        Pair pairs[PAIRS_MAX];
        size_t count = line_pairs(str_slice(scan.text, scan.at, stop), log->names, pairs);
        bool evaluation;
        size_t row_count;
        int64_t x;
        Str before = str_slice(scan.text, behind, head);
        epoch_of(before, &place);
        behind = stop == SIZE_MAX ? scan.text.size : stop;
        scan.at = behind;
        if (log->columns.size && (row_count = row_pairs(log, before, pairs, &x)) > 0) {
            keep(log, x, false, pairs, row_count);
            taken = true;
            continue;
        }
        global_step_of(pairs, count, &place);
        if (names_evaluation(before)) {
            taken = true;
            continue;
        }
        if (!pairs_measure(pairs, count, &evaluation))
            count = name_pairs(log, before, false, pairs);
        if (count == 0)
            count = name_pairs(log, text_behind(scan.text, behind), true, pairs);
        if (count == 0 || !pairs_measure(pairs, count, &evaluation) ||
            !place_bar(log, &place, &x, &evaluation))
            continue;
        keep(log, x, evaluation, pairs, count);
        kept = count;
        taken = true;
    }
    log->reading =
        (LineReading){.plain = kept && heads == 1 && log->columns.size == 0 && place.step_text,
                      .place = place,
                      .padded = true,
                      .fields = kept ? log->bar->fields : NULL,
                      .field_count = kept};
    return taken;
}

void bars_end(TrainLog *log)
{
    BarRecord *bar = log->bar;
    if (!bar || bar->total || bar->steps == 0 || bar->step != bar->steps)
        return;
    store(log);
    log->part = NULL;
}

void bars_finish(TrainLog *log)
{
    log->part = NULL;
    store(log);
}
