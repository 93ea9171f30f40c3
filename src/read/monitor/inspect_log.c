// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/inspect_log.h"

#include <assert.h>

#include "base/array.h"
#include "base/names.h"
#include "base/number.h"
#include "read/table/csv_file.h"

enum { STATISTICS_MAX = 64 };

// A line that gives a statistic.
typedef struct Reading {
    Str name, tensor, statistic, step, value;
} Reading;

typedef struct Value {
    uint32_t row, statistic;
    Str text;
} Value;

typedef struct Row {
    Str name, tensor, step;
    uint32_t first, count;  // of its values, once they are sorted
} Row;

typedef struct Log {
    Names *keys, *statistics;
    struct {
        Row *items;
        size_t count, capacity;
    } rows;
    struct {
        Value *items;
        size_t count, capacity;
    } values;
} Log;

bool inspect_log_name(Str name, int64_t *rank)
{
    Str start = STR("nvdlfw_inspect_globalrank-"), end = STR(".log");
    return str_starts(name, start) && str_ends(name, end) && name.size > start.size + end.size &&
           str_to_int64(str_slice(name, start.size, name.size - end.size), rank) && *rank >= 0;
}

// The word behind `mark`, up to a blank.
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

static void take(Log *log, const Reading *reading, Arena *arena)
{
    uint32_t statistic = names_find(log->statistics, reading->statistic);
    if (statistic == NAME_NONE && names_count(log->statistics) < STATISTICS_MAX)
        statistic = names_add(log->statistics, reading->statistic);
    if (statistic == NAME_NONE)
        return;
    Str key = str_printf(arena, STR_FMT "\t" STR_FMT "\t" STR_FMT, STR_ARG(reading->name),
                         STR_ARG(reading->tensor), STR_ARG(reading->step));
    uint32_t row = names_add(log->keys, key);
    if (row > log->rows.count)
        *ARRAY_PUSH(arena, &log->rows) =
            (Row){.name = reading->name, .tensor = reading->tensor, .step = reading->step};
    assert(log->rows.items);
    log->rows.items[row - 1].count++;
    *ARRAY_PUSH(arena, &log->values) = (Value){row - 1, statistic - 1, reading->value};
}

// The values of a row beside each other, in the order in which they came.
static Value *by_row(Log *log, Arena *arena)
{
    Value *sorted = ARENA_ARRAY(arena, Value, log->values.count);
    uint32_t next = 0;
    for (size_t i = 0; i < log->rows.count; i++) {
        Row *row = &log->rows.items[i];
        row->first = next;
        next += row->count;
        row->count = 0;
    }
    for (size_t i = 0; i < log->values.count; i++) {
        Row *row = &log->rows.items[log->values.items[i].row];
        sorted[row->first + row->count++] = log->values.items[i];
    }
    return sorted;
}

static Str as_table(Log *log, Arena *arena)
{
    size_t columns = names_count(log->statistics);
    const Value *values = by_row(log, arena);
    StrBuf out;
    out = strbuf_new(arena);
    strbuf_add(&out, STR("name,step,scope"));
    for (size_t i = 0; i < columns; i++) {
        strbuf_add_char(&out, ',');
        csv_add_cell(&out, names_text(log->statistics, (NameId)(i + 1)));
    }
    strbuf_add_char(&out, '\n');
    for (size_t r = 0; r < log->rows.count; r++) {
        const Row *row = &log->rows.items[r];
        Str cells[STATISTICS_MAX] = {{0}};
        for (size_t i = 0; i < row->count; i++)
            cells[values[row->first + i].statistic] = values[row->first + i].text;
        csv_add_cell(&out, row->name);
        strbuf_printf(&out, "," STR_FMT "," STR_FMT, STR_ARG(row->step), STR_ARG(row->tensor));
        for (size_t i = 0; i < columns; i++) {
            strbuf_add_char(&out, ',');
            strbuf_add(&out, cells[i]);
        }
        strbuf_add_char(&out, '\n');
    }
    return strbuf_str(&out);
}

Str inspect_log_table(Str text, Arena *arena, uint64_t *bad, uint64_t *bad_line)
{
    Arena *scratch = arena_new();
    Log log = {.keys = names_new(scratch), .statistics = names_new(scratch)};
    Str line, table = STR("");
    double number;
    for (uint64_t at = 1; str_split(&text, '\n', &line); at++) {
        Reading reading;
        if (!read_line(str_trim(line), &reading))
            continue;
        if (number_of_text(reading.value, &number))
            take(&log, &reading, scratch);
        else if ((*bad)++ == 0)
            *bad_line = at;
    }
    if (log.rows.count)
        table = as_table(&log, arena);
    arena_release(scratch);
    return table;
}
