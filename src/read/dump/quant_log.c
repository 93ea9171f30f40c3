// SPDX-License-Identifier: Apache-2.0
// The CSV of torchao's quant_logger: tag, counter_val, fqn, op, max_abs, avg, std, extra. A row is
// what the module `fqn` gave to or by `op`, in the order of counter_val. Its largest magnitude
// stands as Max, its average as Mean.
#include "read/dump/dump_formats.h"

#include "read/dump/row_calls.h"
#include "read/table/quant_rows.h"

bool quant_log_is(const char *path, Str text)
{
    (void)path;
    return quant_rows_are(text);
}

static void add_row(RowCalls *calls, const QuantRow *row)
{
    Arena *scratch = calls->rows->scratch;
    Str module = row->cells[QUANT_MODULE], op = row->cells[QUANT_OP];
    Str tag = row->cells[QUANT_TAG].size ? row->cells[QUANT_TAG] : STR("0");
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
    dump_rows_stat(calls->rows, slot, STAT_MAX, row->cells[QUANT_LARGEST]);
    dump_rows_stat(calls->rows, slot, STAT_MEAN, row->cells[QUANT_MEAN]);
    if (row->cells[QUANT_EXTRA].size)
        dump_rows_extra(calls->rows, STR("extra"), row->cells[QUANT_EXTRA]);
}

bool quant_log_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    DumpRows rows;
    RowCalls calls;
    Csv csv;
    QuantRows table = {0};
    dump_rows_init(&rows, path, text.size, names, arena, scratch, out);
    row_calls_init(&calls, &rows);
    csv_open(&csv, path, text, ',', scratch);
    if (csv_next(&csv)) {
        csv_take_header(&csv);
        quant_rows_read(&csv, scratch, &table);
        csv_report(&csv, notices);
    }
    for (size_t i = 0; i < table.count; i++)
        add_row(&calls, &table.items[i]);
    return dump_rows_end(&rows, FRAMEWORK_PYTORCH, "L0", err);
}
