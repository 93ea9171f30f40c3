// SPDX-License-Identifier: Apache-2.0
#include "commands/monitor_events.h"

#include "base/path.h"
#include "renderers/event_file.h"

// The clock of event files is not that of the run, which the monitor does not record: a fixed
// second, so that the same input gives the same bytes.
enum { FIXED_SECOND = 1000000000, NAME_BYTES = 100 };

static int64_t second_of(const Outputs *outputs)
{
    return outputs->render.created > FIXED_SECOND ? outputs->render.created : FIXED_SECOND;
}

// "vp0:layers.0.w:micro1/norm"
static Str tag_of(const MonitorRun *run, const MonitorSeries *series, Arena *arena)
{
    StrBuf tag = strbuf_new(arena);
    if (series->object.stage != MONITOR_NONE)
        strbuf_printf(&tag, "vp%lld:", (long long)series->object.stage);
    strbuf_add(&tag, monitor_series_name(run, series));
    if (series->object.micro != MONITOR_NONE)
        strbuf_printf(&tag, ":micro%lld", (long long)series->object.micro);
    strbuf_add_char(&tag, '/');
    strbuf_add(&tag, monitor_series_op(run, series));
    return strbuf_str(&tag);
}

static void write_series(const MonitorRun *run, NameId type, Sink *out, double second,
                         Arena *scratch)
{
    EventFile file;
    event_file_begin(&file, out, second, scratch);
    for (size_t s = 0; s < run->series_count; s++) {
        const MonitorSeries *series = &run->series[s];
        if (series->object.type != type)
            continue;
        Str tag = tag_of(run, series, scratch);
        for (size_t i = 0; i < series->count; i++)
            event_file_scalar(&file, tag, run->steps[series->points[i].step],
                              series->points[i].value);
    }
}

static void write_type(const MonitorRun *run, NameId type, const char *folder, Outputs *outputs,
                       Arena *scratch)
{
    const char *inner =
        path_join(scratch, folder, path_safe(scratch, names_text(run->names, type), NAME_BYTES));
    Str name =
        str_printf(scratch, "events.out.tfevents.%lld.vernier", (long long)second_of(outputs));
    Sink *sink = NULL;
    if (folder_make(inner, outputs->err))
        sink = sink_file(path_join(scratch, inner, name), outputs->err);
    if (!sink) {
        outputs->failed = true;
        return;
    }
    write_series(run, type, sink, (double)second_of(outputs), scratch);
    if (!sink_commit(sink, outputs->err))
        outputs->failed = true;
}

void monitor_events_rank(const MonitorExport *export, int64_t rank, const char *target,
                         Outputs *outputs)
{
    Arena *scratch = arena_new();
    NumberRange range = {rank, rank};
    NumberList ranks = {&range, 1, 1};
    MonitorSelect select = *export->select;
    select.ranks = &ranks;
    select.all_stats = true;
    MonitorRules rules = {.decimals = -1};  // no rules: alarms were found in the first reading
    MonitorRun run;
    Alarms alarms = {0};
    Notices notices;  // the same as in the first reading
    Error err;
    notices_init(&notices, scratch);
    if (monitor_scan(export->tree, &select, &rules, scratch, &run, &alarms, &notices, &err)) {
        Str inner =
            export->run.size
                ? str_printf(scratch, "tensorboard/" STR_FMT "/rank%lld",
                             STR_ARG(path_safe(scratch, export->run, NAME_BYTES)), (long long)rank)
                : str_printf(scratch, "tensorboard/rank%lld", (long long)rank);
        const char *folder = path_join(scratch, target, inner);
        for (size_t i = 0; i < run.type_count && !outputs->failed; i++)
            write_type(&run, names_find(run.names, run.types[i]), folder, outputs, scratch);
    }
    arena_release(scratch);
}

void monitor_events_write(const MonitorExport *export, Outputs *outputs)
{
    if (!outputs_folder_wants(outputs, "tensorboard"))
        return;
    for (size_t i = 0; i < outputs->count; i++)
        for (size_t r = 0; outputs->targets[i].folder && r < export->rank_count; r++)
            if (!outputs->failed)
                monitor_events_rank(export, export->ranks[r], outputs->targets[i].path, outputs);
}

bool monitor_select_read(const Options *options, Arena *arena, MonitorSelect *out, Error *err)
{
    NumberList *steps = ARENA_NEW(arena, NumberList), *ranks = ARENA_NEW(arena, NumberList);
    if (!options_numbers(options, "step", arena, steps, err) ||
        !options_numbers(options, "rank", arena, ranks, err))
        return false;
    Str rest = options_text(options, "type", ""), part;
    Str *types = ARENA_ARRAY(arena, Str, rest.size + 1);
    size_t count = 0;
    while (rest.size && str_split(&rest, ',', &part))
        if (str_trim(part).size)
            types[count++] = str_trim(part);
    *out = (MonitorSelect){.steps = steps,
                           .ranks = ranks,
                           .types = types,
                           .type_count = count,
                           .jobs = options_jobs(options)};
    return true;
}
