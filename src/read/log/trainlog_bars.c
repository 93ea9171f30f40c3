// SPDX-License-Identifier: Apache-2.0

// Progress bars with values: "Steps:  1%|  | 4/400 [00:04<10:00, 1.00it/s, lr=1e-05, loss=7.4]".
// The step is N of "N/M [". A bar is redrawn, and the first redraw of a step still shows the value
// of the step before: the last one counts.

#include <math.h>

#include "read/log/log_time.h"
#include "read/log/trainlog_dialects.h"
#include "read/log/trainlog_keyvalue.h"

typedef struct BarRecord {
    int64_t x;
    size_t count;
    Pair pairs[PAIRS_MAX];
} BarRecord;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Moves behind "N/M [T<"; `head` is where N begins.
static bool next_head(Scan *scan, LogPlace *place, size_t *head)
{
    while (scan_find(scan, "/")) {
        size_t from = scan->at - 1;
        while (from > 0 && is_digit(scan->text.data[from - 1]))
            from--;
        Scan at = {scan->text, from};
        if (!scan_uint(&at, &place->step) || !scan_char(&at, '/') ||
            !scan_uint(&at, &place->total) || !scan_word(&at, " ["))
            continue;
        size_t less = str_find_char(scan->text, '<', at.at);
        if (less == SIZE_MAX || less > at.at + 16)
            continue;
        *head = from;
        scan->at = less + 1;
        place->has_step = true;
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
        if (scan_uint(&at, &place->epoch))
            place->has_epoch = true;
    }
}

static void store(TrainLog *log)
{
    BarRecord *bar = log->bar;
    if (bar && bar->count)
        pairs_store(log, "bar", bar->x, false, bar->pairs, bar->count);
    if (bar)
        bar->count = 0;
}

// The keys live as long as the line; those of the record outlast it.
static void keep(TrainLog *log, int64_t x, const Pair *pairs, size_t count)
{
    if (!log->bar)
        log->bar = ARENA_NEW(log->arena, BarRecord);
    BarRecord *bar = log->bar;
    if (bar->count && bar->x != x)
        store(log);
    bool same = bar->count == count && bar->x == x;
    for (size_t i = 0; i < count; i++) {
        Str key = same && str_equal(bar->pairs[i].key, pairs[i].key)
                      ? bar->pairs[i].key
                      : str_copy(log->arena, pairs[i].key);
        bar->pairs[i] = pairs[i];
        bar->pairs[i].key = key;
    }
    bar->x = x;
    bar->count = count;
}

bool bars_take(TrainLog *log)
{
    if (str_find_char(log->line, '<', 0) == SIZE_MAX)
        return false;
    Scan scan = scan_of(log->line);
    LogPlace place = {0};
    size_t head, behind = 0;
    bool taken = false;
    while (next_head(&scan, &place, &head)) {
        size_t stop = str_find_char(scan.text, ']', scan.at);
        Pair pairs[PAIRS_MAX];
        size_t count = line_pairs(str_slice(scan.text, scan.at, stop), log->names, pairs);
        bool evaluation;
        int64_t x;
        place.has_epoch = false;
        epoch_of(str_slice(scan.text, behind, head), &place);
        behind = stop == SIZE_MAX ? scan.text.size : stop;
        scan.at = behind;
        if (!pairs_measure(pairs, count, &evaluation) ||
            !epoch_counter_next(&log->counter, &place, log->arena, &x))
            continue;
        keep(log, x, pairs, count);
        taken = true;
    }
    return taken;
}

void bars_finish(TrainLog *log)
{
    log->part = NULL;
    store(log);
}
