// SPDX-License-Identifier: Apache-2.0
#include "read/table/quant_rows.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/names.h"

static const char *const titles[QUANT_COLUMNS] = {"tag",     "counter_val", "fqn", "op",
                                                  "max_abs", "avg",         "std", "extra"};

bool quant_rows_are(Str text)
{
    enum { HEAD_BYTES = 4096 };
    Str head = str_slice(text, 0, HEAD_BYTES);
    head = str_slice(head, 0, str_find_char(head, '\n', 0));
    return str_find(head, STR("counter_val"), 0) != SIZE_MAX &&
           str_find(head, STR("fqn"), 0) != SIZE_MAX &&
           str_find(head, STR("max_abs"), 0) != SIZE_MAX;
}

static int by_counter(const void *a, const void *b)
{
    const QuantRow *one = a, *two = b;
    if (one->counter != two->counter)
        return one->counter < two->counter ? -1 : 1;
    return (one->place > two->place) - (one->place < two->place);
}

void quant_rows_read(Csv *csv, Arena *arena, QuantRows *out)
{
    int columns[QUANT_COLUMNS];
    for (int i = 0; i < QUANT_COLUMNS; i++)
        columns[i] = csv_column(csv, titles[i]);
    while (csv_next(csv)) {
        if (!csv_row_is_whole(csv))
            continue;
        QuantRow *row = ARRAY_PUSH(arena, out);
        for (int i = 0; i < QUANT_COLUMNS; i++)
            row->cells[i] = str_copy(arena, csv_cell(csv, columns[i]));
        row->place = out->count;
        if (!str_to_uint64(row->cells[QUANT_COUNTER], &row->counter))
            row->counter = UINT64_MAX;
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, by_counter);
}

static Str monitored_name(const QuantRow *row, Arena *scratch)
{
    const QuantColumn parts[] = {QUANT_MODULE, QUANT_OP, QUANT_TAG};
    StrBuf name = strbuf_new(scratch);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        strbuf_add(&name, name.size && row->cells[parts[i]].size ? STR(".") : STR(""));
        strbuf_add(&name, row->cells[parts[i]]);
    }
    return strbuf_str(&name);
}

Str quant_rows_table(const char *path, Str text, Arena *arena, uint64_t *ragged,
                     uint64_t *ragged_line)
{
    Arena *scratch = arena_new();
    Names *names = names_new(scratch);
    Csv csv;
    QuantRows table = {0};
    uint32_t *seen = NULL;
    size_t seen_count = 0;
    StrBuf out = strbuf_new(arena);
    csv_open(&csv, path, text, ',', scratch);
    if (csv_next(&csv)) {
        csv_take_header(&csv);
        quant_rows_read(&csv, scratch, &table);
    }
    *ragged = csv.ragged_count;
    *ragged_line = csv.ragged_line;
    strbuf_add(&out, STR("name,step,max_abs,avg,std\n"));
    for (size_t i = 0; i < table.count; i++) {
        const QuantRow *row = &table.items[i];
        Str name = monitored_name(row, scratch);
        NameId id = names_add(names, name);
        csv_add_cell(&out, name);
        strbuf_printf(&out, ",%u", ARRAY_REACH(scratch, seen, seen_count, id)[id]++);
        for (QuantColumn column = QUANT_LARGEST; column <= QUANT_SPREAD; column++) {
            strbuf_add_char(&out, ',');
            csv_add_cell(&out, row->cells[column]);
        }
        strbuf_add_char(&out, '\n');
    }
    arena_release(scratch);
    return table.count ? strbuf_str(&out) : STR("");
}
