// SPDX-License-Identifier: Apache-2.0

// Any line with a step and a loss, a norm or a rate: torchtitan, verl, hand-written loops
// (spec/curves.md §4.6).

#include "read/series_name.h"
#include "read/trainlog.h"

enum { PAIRS_MAX = 256 };

typedef struct Pair {
    Str key;
    Figure figure;
    bool marked;  // ':' or '=' stands between key and number, not only blanks
} Pair;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_key_byte(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '@' || c == '-';
}

static bool has_any(Str line, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_find(line, str_of(words[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

static Str next_key(Scan *scan)
{
    while (scan->at < scan->text.size && !is_letter(scan->text.data[scan->at]))
        scan->at++;
    size_t from = scan->at;
    while (scan->at < scan->text.size && is_key_byte(scan->text.data[scan->at]))
        scan->at++;
    return str_slice(scan->text, from, scan->at);
}

// "key: N", "key=N", "key N", the number perhaps in a bracket.
static bool next_pair(Scan *scan, Pair *out)
{
    for (;;) {
        out->key = next_key(scan);
        if (out->key.size == 0)
            return false;
        Scan at = *scan;
        out->marked = false;
        while (at.at < at.text.size && (at.text.data[at.at] == ' ' || at.text.data[at.at] == ':' ||
                                        at.text.data[at.at] == '='))
            out->marked = at.text.data[at.at++] != ' ' || out->marked;
        bool apart = at.at > scan->at;
        scan_char(&at, '[');
        scan_blanks(&at);
        if (apart && scan_figure(&at, &out->figure)) {
            *scan = at;
            return true;
        }
    }
}

static size_t read_pairs(Str line, Pair pairs[PAIRS_MAX])
{
    Scan scan = scan_of(line);
    size_t count = 0;
    while (count < PAIRS_MAX && next_pair(&scan, &pairs[count]))
        count++;
    return count;
}

// The pair that holds the step, or NULL.
static const Pair *find_step(const Pair *pairs, size_t count)
{
    const Pair *found = NULL;
    int best = 1000, order;
    for (size_t i = 0; i < count; i++) {
        bool whole = pairs[i].figure.decimals == 0 && pairs[i].figure.value >= 0 &&
                     pairs[i].figure.value < 9e15;
        if (whole && series_name_is_step(pairs[i].key, &order) && order < best) {
            best = order;
            found = &pairs[i];
        }
    }
    return found;
}

bool keyvalue_take(TrainLog *log)
{
    static const char *const steps[] = {"step", "iter", "Step", "Iter"};
    static const char *const values[] = {"loss", "norm", "lr", "Loss", "learning_rate"};
    if (!has_any(log->line, steps, 4) || !has_any(log->line, values, 5))
        return false;
    Pair pairs[PAIRS_MAX];
    size_t count = read_pairs(log->line, pairs);
    const Pair *step = find_step(pairs, count);
    bool any = false;
    for (size_t i = 0; i < count && step; i++)
        any = any || series_name_is_core(pairs[i].key);
    if (!any)
        return false;
    Part *part = trainlog_part(log, "text");
    trainlog_begin(log, part, (int64_t)step->figure.value, 40);
    for (size_t i = 0; i < count; i++)
        if (&pairs[i] != step && (pairs[i].marked || series_name_is_core(pairs[i].key)))
            part_add(part, pairs[i].key, pairs[i].figure);
    return trainlog_end(log, part);
}
