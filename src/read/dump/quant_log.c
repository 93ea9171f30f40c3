// SPDX-License-Identifier: Apache-2.0
#include "read/dump/quant_log.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/words.h"
#include "read/dump/row_calls.h"
#include "read/table/csv_file.h"

typedef enum Column {
    COLUMN_TAG,
    COLUMN_COUNTER,
    COLUMN_MODULE,
    COLUMN_OP,
    COLUMN_LARGEST,
    COLUMN_MEAN,
    COLUMN_SPREAD,
    COLUMN_EXTRA,
    COLUMNS
} Column;

static const char *const titles[COLUMNS] = {"tag",     "counter_val", "fqn", "op",
                                            "max_abs", "avg",         "std", "extra"};

typedef struct Row {
    Str cells[COLUMNS];
    uint64_t counter;
    size_t place;
} Row;

typedef struct Rows {
    Row *items;
    size_t count, capacity;
} Rows;

bool quant_log_is(const char *path, Str text)
{
    (void)path;
    enum { HEAD_BYTES = 4096 };
    Str head = str_slice(text, 0, HEAD_BYTES);
    head = str_slice(head, 0, str_find_char(head, '\n', 0));
    return str_find(head, STR("counter_val"), 0) != SIZE_MAX &&
           str_find(head, STR("fqn"), 0) != SIZE_MAX &&
           str_find(head, STR("max_abs"), 0) != SIZE_MAX;
}

static int by_counter(const void *a, const void *b)
{
    const Row *one = a, *two = b;
    if (one->counter != two->counter)
        return one->counter < two->counter ? -1 : 1;
    return (one->place > two->place) - (one->place < two->place);
}

static void take_rows(Csv *csv, Arena *scratch, Rows *out)
{
    int columns[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        columns[i] = csv_column(csv, titles[i]);
    while (csv_next(csv)) {
        if (!csv_row_is_whole(csv))
            continue;
        Row *row = ARRAY_PUSH(scratch, out);
        for (int i = 0; i < COLUMNS; i++)
            row->cells[i] = str_copy(scratch, csv_cell(csv, columns[i]));
        row->place = out->count;
        if (!str_to_uint64(row->cells[COLUMN_COUNTER], &row->counter))
            row->counter = UINT64_MAX;
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, by_counter);
}

static void add_row(RowCalls *calls, const Row *row)
{
    Arena *scratch = calls->rows->scratch;
    Str module = row->cells[COLUMN_MODULE], op = row->cells[COLUMN_OP];
    Str tag = row->cells[COLUMN_TAG].size ? row->cells[COLUMN_TAG] : STR("0");
    Str dot = module.size && op.size ? STR(".") : STR("");
    Str stem =
        str_printf(scratch, STR_FMT STR_FMT STR_FMT, STR_ARG(module), STR_ARG(dot), STR_ARG(op));
    Str key = str_printf(scratch, STR_FMT "|" STR_FMT, STR_ARG(stem), STR_ARG(tag));
    OpName what = {.kind = OP_MODULE,
                   .direction = DIR_FORWARD,
                   .call = row_calls_next(calls, key),
                   .stem = stem.size ? stem : tag,
                   .path = stem.size ? stem : tag};
    Slot *slot = row_calls_tensor(calls, &what, str_concat(scratch, STR("output."), tag), (Str){0},
                                  (Str){0}, row->place);
    dump_rows_stat(calls->rows, slot, STAT_MAX, row->cells[COLUMN_LARGEST]);
    dump_rows_stat(calls->rows, slot, STAT_MEAN, row->cells[COLUMN_MEAN]);
    if (row->cells[COLUMN_EXTRA].size)
        dump_rows_extra(calls->rows, STR("extra"), row->cells[COLUMN_EXTRA]);
}

bool quant_log_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    DumpRows rows;
    RowCalls calls;
    Csv csv;
    Rows table = {0};
    dump_rows_init(&rows, path, text.size, names, arena, scratch, out);
    row_calls_init(&calls, &rows);
    csv_open(&csv, path, text, ',', scratch);
    if (csv_next(&csv)) {
        csv_take_header(&csv);
        take_rows(&csv, scratch, &table);
        csv_report(&csv, notices);
    }
    for (size_t i = 0; i < table.count; i++)
        add_row(&calls, &table.items[i]);
    dump_rows_finish(&rows);
    arena_release(scratch);
    out->framework = FRAMEWORK_PYTORCH;
    out->level = STR("L0");
    out->task = STR("statistics");
    return out->op_count > 0 ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no tensor could be read"));
}

static Str monitored_name(const Row *row, Arena *scratch)
{
    const Column parts[] = {COLUMN_MODULE, COLUMN_OP, COLUMN_TAG};
    StrBuf name = strbuf_new(scratch);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        strbuf_add(&name, name.size && row->cells[parts[i]].size ? STR(".") : STR(""));
        strbuf_add(&name, row->cells[parts[i]]);
    }
    return strbuf_str(&name);
}

Str quant_log_table(const char *path, Str text, Arena *arena)
{
    Arena *scratch = arena_new();
    Names *names = names_new(scratch);
    Csv csv;
    Rows table = {0};
    uint32_t *seen = NULL;
    size_t seen_count = 0;
    StrBuf out = strbuf_new(arena);
    csv_open(&csv, path, text, ',', scratch);
    if (csv_next(&csv)) {
        csv_take_header(&csv);
        take_rows(&csv, scratch, &table);
    }
    strbuf_add(&out, STR("name,step,max_abs,avg,std\n"));
    for (size_t i = 0; i < table.count; i++) {
        const Row *row = &table.items[i];
        Str name = monitored_name(row, scratch);
        NameId id = names_add(names, name);
        csv_add_cell(&out, name);
        strbuf_printf(&out, ",%u", ARRAY_REACH(scratch, seen, seen_count, id)[id]++);
        for (Column column = COLUMN_LARGEST; column <= COLUMN_SPREAD; column++) {
            strbuf_add_char(&out, ',');
            csv_add_cell(&out, row->cells[column]);
        }
        strbuf_add_char(&out, '\n');
    }
    arena_release(scratch);
    return table.count ? strbuf_str(&out) : STR("");
}
