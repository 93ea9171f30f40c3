// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/grad_probe.h"

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/monitor/monitor_rows.h"

typedef struct Probe {
    const MonitorSide *file;
    Arena *arena;
    ProbeValues *out;
    Csv csv;
    uint64_t bad, bad_line;
} Probe;

static bool open_table(Probe *probe, File *file, Error *err)
{
    if (!file_open(probe->file->path, file, err))
        return false;
    csv_open(&probe->csv, probe->file->path, file->text, ',', probe->arena);
    if (csv_next(&probe->csv))
        csv_take_header(&probe->csv);
    return true;
}

static void close_table(Probe *probe, File *file, Notices *notices)
{
    csv_report(&probe->csv, notices);
    if (probe->bad)
        notices_partial(notices, WHERE_LINE(probe->file->path, probe->bad_line),
                        tr_count(probe->bad, "%llu cell is no number and is left out",
                                 "%llu cells are no numbers and are left out, from this line"),
                        (unsigned long long)probe->bad);
    file_close(file);
}

static void add_value(Probe *probe, Str name, int64_t step, Str cell)
{
    double value;
    if (!monitor_number(cell, &value)) {
        probe->bad_line = probe->bad++ ? probe->bad_line : probe->csv.line;
    } else if (!monitor_is_absent(value)) {
        *ARRAY_PUSH(probe->arena, probe->out) =
            (ProbeValue){.name = name, .rank = probe->file->rank, .step = step, .value = value};
    }
}

bool grad_probe_similarities(const MonitorSide *side, Arena *arena, ProbeValues *out,
                             Notices *notices, Error *err)
{
    Probe probe = {.file = side, .arena = arena, .out = out};
    File file;
    if (!open_table(&probe, &file, err))
        return false;
    bool good = csv_column(&probe.csv, "step") == 0;
    while (good && csv_next(&probe.csv)) {
        Str name = str_copy(arena, csv_cell(&probe.csv, 0));
        for (size_t i = 1; i < probe.csv.column_count; i++) {
            int64_t step;
            if (str_to_int64(probe.csv.names[i], &step))
                add_value(&probe, name, step, csv_cell(&probe.csv, (int)i));
        }
    }
    close_table(&probe, &file, notices);
    if (!good)
        return error_set(err, ERR_INPUT, WHERE_LINE(side->path, 1),
                         tr("expected a first row 'step,0,1,…'"));
    return true;
}

bool grad_probe_norms(const MonitorSide *side, Arena *arena, ProbeValues *out, Notices *notices,
                      Error *err)
{
    Probe probe = {.file = side, .arena = arena, .out = out};
    File file;
    if (!open_table(&probe, &file, err))
        return false;
    int name = csv_column(&probe.csv, "param_name"), norm = csv_column(&probe.csv, "norm");
    bool good = name >= 0 && norm >= 0;
    while (good && csv_next(&probe.csv))
        if (csv_row_is_whole(&probe.csv))
            add_value(&probe, str_copy(arena, csv_cell(&probe.csv, name)), side->step,
                      csv_cell(&probe.csv, norm));
    close_table(&probe, &file, notices);
    if (!good)
        return error_set(err, ERR_INPUT, WHERE_LINE(side->path, 1),
                         tr("expected the columns param_name and norm"));
    return true;
}
