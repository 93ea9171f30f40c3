// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/inspect_log.h"

#include "base/number.h"
#include "read/monitor/stat_table.h"

// A line that gives a statistic.
typedef struct Reading {
    Str name, tensor, statistic, step, value;
} Reading;

bool inspect_log_name(Str name, int64_t *rank)
{
    Str start = STR("nvdlfw_inspect_globalrank-"), end = STR(".log");
    return str_starts(name, start) && str_ends(name, end) && name.size > start.size + end.size &&
           str_to_int64(str_slice(name, start.size, name.size - end.size), rank) && *rank >= 0;
}

// The word after `mark`, up to a blank.
static bool word_behind(Str line, Str mark, Str *out)
{
    size_t at = str_find(line, mark, 0);
    if (at == SIZE_MAX)
        return false;
    size_t from = at + mark.size, end = from;
    while (end < line.size && line.data[end] != ' ' && line.data[end] != '\t')
        end++;
    *out = str_slice(line, from, end);
    return out->size > 0;
}

// The last word before `end`.
static Str word_before(Str line, size_t end)
{
    Str head = str_trim(str_slice(line, 0, end));
    size_t from = head.size;
    while (from > 0 && head.data[from - 1] != ' ' && head.data[from - 1] != '\t')
        from--;
    return str_slice(head, from, head.size);
}

// LAYER_TENSOR_STATISTIC: names of layers and statistics hold underscores of their own.
static void split_key(Str key, Reading *out)
{
    static const char *const tensors[] = {"activation", "gradient", "weight",
                                          "output",     "wgrad",    "dgrad"};
    size_t best = 0;
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        Str word = str_of(tensors[i]);
        for (size_t at = str_find(key, word, 1); at != SIZE_MAX; at = str_find(key, word, at + 1)) {
            size_t end = at + word.size;
            if (at <= best || key.data[at - 1] != '_' || end + 1 >= key.size ||
                key.data[end] != '_')
                continue;
            best = at;
            out->name = str_slice(key, 0, at - 1);
            out->tensor = word;
            out->statistic = str_slice(key, end + 1, key.size);
        }
    }
    if (best == 0) {
        size_t last = str_rfind_char(key, '_');
        bool parted = last != SIZE_MAX && last > 0 && last + 1 < key.size;
        out->name = parted ? str_slice(key, 0, last) : key;
        out->tensor = STR("other");
        out->statistic = parted ? str_slice(key, last + 1, key.size) : STR("value");
    }
    if (str_equal(out->statistic, STR("l2_norm")))
        out->statistic = STR("norm");
}

static bool read_line(Str line, Reading *out)
{
    int64_t step;
    size_t at = str_find(line, STR("iteration="), 0);
    if (at == SIZE_MAX || !word_behind(line, STR("iteration="), &out->step) ||
        !word_behind(line, STR("value="), &out->value) || !str_to_int64(out->step, &step))
        return false;
    Str key = word_before(line, at);
    if (key.size == 0)
        return false;
    split_key(key, out);
    return true;
}

bool inspect_log_is(Str text)
{
    enum { LINE_BYTES = 1024 };
    Reading reading;
    double value;
    text = str_slice(text, 0, LINE_BYTES);
    Str line = str_trim(str_slice(text, 0, str_find_char(text, '\n', 0)));
    return read_line(line, &reading) && number_of_text(reading.value, &value);
}

Str inspect_log_table(Str text, Arena *arena, uint64_t *bad, uint64_t *bad_line)
{
    Arena *scratch = arena_new();
    StatTable table;
    stat_table_init(&table, "scope", false, scratch);
    Str line;
    double number;
    for (uint64_t at = 1; str_split(&text, '\n', &line); at++) {
        Reading reading;
        if (!read_line(str_trim(line), &reading))
            continue;
        if (number_of_text(reading.value, &number))
            stat_table_add(&table,
                           &(StatCell){reading.name, reading.tensor, reading.step,
                                       reading.statistic, reading.value},
                           scratch);
        else if ((*bad)++ == 0)
            *bad_line = at;
    }
    Str out = stat_table_text(&table, arena);
    arena_release(scratch);
    return out;
}
