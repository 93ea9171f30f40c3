// SPDX-License-Identifier: Apache-2.0
#include "commands/convert_log.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/path.h"
#include "base/words.h"
#include "commands/machinery/log_options.h"
#include "commands/machinery/output_guard.h"
#include "export/run_write.h"
#include "model/run/run_source.h"
#include "read/dump/dump_folder.h"
#include "read/dump/dump_source.h"
#include "read/monitor/monitor_rows.h"
#include "read/tensor/weights_file.h"
#include "renderers/csv.h"
#include "renderers/event_file.h"
#include "report/curves/run_table.h"
#include "verdict/sentence.h"

// The clock of event files is not that of the run, which many logs do not print: a fixed second, so
// that the same input gives the same bytes.
#define EVENT_SECOND 1000000000
#define EVENT_NAME   "events.out.tfevents.1000000000.vernier"
enum { NAME_BYTES = 100 };

bool convert_is_log(const Options *options, Arena *arena)
{
    DumpPlaces places;
    Notices quiet;
    Error ignored;
    if (options->argument_count != 1)
        return false;
    const char *path = str_cstr(arena, options->arguments[0]);
    if (file_kind(path) == FILE_NONE)
        return strcmp(path, "-") == 0 || str_find_char(options->arguments[0], '=', 0) != SIZE_MAX;
    if (file_kind(path) != FILE_FOLDER)
        return !dump_is_record_name(path_base(str_of(path))) && !weights_are_arrays(path) &&
               !dump_is_file(path) && !weights_readable(path);
    notices_init(&quiet, arena);
    return !folder_find_dumps(path, NULL, arena, &places, &quiet, &ignored) && places.count == 0;
}

typedef struct LogJob {
    const CommandCall *call;
    LogWish wish;
    Runs runs;
} LogJob;

static bool is_input(const LogJob *job, const char *path)
{
    for (size_t i = 0; i < job->runs.count; i++)
        for (size_t k = 0; k < job->runs.items[i].file_count; k++)
            if (file_same(job->runs.items[i].files[k], path))
                return true;
    return false;
}

static bool check_target(const LogJob *job, const OutputTarget *target)
{
    Error *err = job->call->err;
    bool known = target->folder || target->standard;
    known = known || str_equal(target->format, STR("dump")) ||
            str_equal(target->format, STR("events")) || str_equal(target->format, STR("csv"));
    if (!known)
        return error_set(err, ERR_USAGE, WHERE_FILE(target->path), "%s",
                         tr("convert writes a log as .csv, .jsonl or .tfevents, or event files "
                            "into a folder"));
    if (!target->standard &&
        (target->folder ? output_guard_in_input(job->call->options, target->path)
                        : is_input(job, target->path)))
        return error_set(err, ERR_USAGE, WHERE_FILE(target->path), "%s",
                         tr("this is an input: it is not written over"));
    if (target->folder || job->runs.count == 1)
        return true;
    error_set(err, ERR_USAGE, WHERE_FILE(target->path), tr("one file takes one run, found %zu"),
              job->runs.count);
    return error_hint(err, "%s", tr("name a folder, or one log at a time"));
}

static void write_events(const Run *run, Sink *out)
{
    Arena *scratch = arena_new();
    EventFile file;
    event_file_begin(&file, out, EVENT_SECOND, scratch);
    for (size_t i = 0; i < run->series_count; i++)
        for (size_t k = 0; k < run->series[i].count; k++)
            event_file_scalar(&file, run->series[i].name, run->series[i].points.x[k],
                              run->series[i].points.value[k]);
    arena_release(scratch);
}

static bool write_csv(const Run *run, Sink *out, Error *err)
{
    Arena *scratch = arena_new();
    Table *table = run_table(run, scratch);
    bool good = csv_renderer.write_tables(&table, 1, NULL, out, err);
    arena_release(scratch);
    return good;
}

// Of several runs each has a folder of its own, as TensorBoard wants it.
static Sink *open_sink(const LogJob *job, const OutputTarget *target, const Run *run,
                       Arena *scratch)
{
    Error *err = job->call->err;
    if (target->standard)
        return sink_stdout();
    const char *path = target->path;
    if (target->folder && job->runs.count > 1)
        path = path_join(scratch, path, path_safe(scratch, run->name, NAME_BYTES));
    if (target->folder)
        path = path_join(scratch, path, STR(EVENT_NAME));
    bool made = folder_make(str_cstr(scratch, path_folder(str_of(path))), err);
    return made ? sink_file(path, err) : NULL;
}

static bool write_run(const LogJob *job, const OutputTarget *target, const Run *run)
{
    Arena *scratch = arena_new();
    bool good = true;
    Sink *sink = open_sink(job, target, run, scratch);
    arena_release(scratch);
    if (!sink)
        return false;
    if (target->folder || str_equal(target->format, STR("events")))
        write_events(run, sink);
    else if (str_equal(target->format, STR("csv")))
        good = write_csv(run, sink, job->call->err);
    else
        run_write_lines(run, sink);
    return sink_commit(sink, job->call->err) && good;
}

static void tell(const LogJob *job, Product *out)
{
    Arena *arena = job->call->arena;
    uint64_t values = 0;
    for (size_t i = 0; i < job->runs.count; i++)
        for (size_t k = 0; k < job->runs.items[i].series_count; k++)
            values += job->runs.items[i].series[k].count;
    Str figure = str_printf(arena, tr_count(values, "%llu value", "%llu values"),
                            (unsigned long long)values);
    Str rest =
        str_printf(arena, tr_count(job->runs.count, STR_FMT " of %zu run", STR_FMT " of %zu runs"),
                   STR_ARG(figure), job->runs.count);
    out->verdict = (Verdict){.style = STYLE_PLAIN,
                             .partial = notices_any_partial(job->call->notices),
                             .word = str_of(values ? tr("CONVERTED") : tr("NOTHING CONVERTED")),
                             .reason = rest};
    out->verdict.sentence = verdict_sentence(&out->verdict, rest, arena);
    out->status = values ? PRODUCT_AGREES : PRODUCT_NOTHING;
}

static bool read_runs(LogJob *job)
{
    const CommandCall *call = job->call;
    static const char *const idle[] = {"step", "stage", "rank", NULL};
    const char *given = options_first_of(call->options, idle);
    if (given)
        return error_set(call->err, ERR_USAGE, NOWHERE,
                         tr("--%s chooses of a dump; a log is converted whole"), given);
    job->runs.wish = &job->wish;
    if (!log_wish_read(call->options, call->arena, call->notices, &job->wish, call->err) ||
        !run_source_read(call->options->arguments[0], ROLE_SINGLE, call->arena, &job->runs,
                         call->notices, call->err))
        return false;
    runs_name_apart(&job->runs, call->arena);
    for (size_t i = 0; i < job->runs.count; i++)
        run_tell_overlap(&job->runs.items[i], call->notices);
    return true;
}

// ---- the tables of a monitor, a line a row

static void write_value(JsonWriter *json, const MonitorOp *op, double value, Arena *arena)
{
    json_key_str(json, op->side.size ? str_printf(arena, STR_FMT "." STR_FMT, STR_ARG(op->side),
                                                  STR_ARG(op->name))
                                     : op->name);
    if (isfinite(value))
        json_number(json, value);
    else
        json_text(json, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
}

static void write_row(const MonitorTree *tree, const MonitorRows *rows, const MonitorRow *row,
                      Sink *out, Arena *arena)
{
    JsonWriter json;
    json_writer_init(&json, out);
    json_object_flat(&json);
    json_str(json_key(&json, "run"), path_base(str_of(tree->base)));
    json_int(json_key(&json, "rank"), rows->file->rank);
    json_uint(json_key(&json, "start"), rows->file->start);
    json_str(json_key(&json, "metric"), rows->file->kind);
    if (row->stage != MONITOR_NONE)
        json_int(json_key(&json, "vpp_stage"), row->stage);
    json_str(json_key(&json, "name"), row->name);
    if (row->scope.size)
        json_str(json_key(&json, "scope"), row->scope);
    json_int(json_key(&json, "step"), row->step);
    if (row->micro != MONITOR_NONE)
        json_int(json_key(&json, "micro_step"), row->micro);
    for (size_t i = 0; i < rows->op_count; i++)
        if (!monitor_is_absent(row->values[i]))
            write_value(&json, &rows->ops[i], row->values[i], arena);
    json_object_end(&json);
    json_end(&json);
}

static uint64_t write_series(const MonitorTree *tree, const MonitorFile *file, Sink *out,
                             Notices *notices)
{
    Error err;
    MonitorRows rows;
    MonitorRow row;
    Arena *scratch = arena_new();
    uint64_t count = 0;
    if (monitor_rows_open(&rows, file, scratch, &err)) {
        for (; monitor_rows_next(&rows, &row); count++)
            write_row(tree, &rows, &row, out, scratch);
        monitor_rows_close(&rows, notices);
    } else {
        notices_add_error(notices, &err);
    }
    arena_release(scratch);
    return count;
}

static bool write_trees(const CommandCall *call, const MonitorTrees *trees,
                        const OutputTarget *target, uint64_t *rows)
{
    const char *path =
        target->folder ? path_join(call->arena, target->path, STR("monitor.jsonl")) : target->path;
    bool made = target->standard ||
                folder_make(str_cstr(call->arena, path_folder(str_of(path))), call->err);
    Sink *sink = !made ? NULL : target->standard ? sink_stdout() : sink_file(path, call->err);
    *rows = 0;
    if (!sink)
        return false;
    for (size_t i = 0; i < trees->count; i++)
        for (size_t k = 0; k < trees->items[i].series.count; k++)
            *rows += write_series(&trees->items[i], &trees->items[i].series.items[k], sink,
                                  call->notices);
    return sink_commit(sink, call->err);
}

// What lies next to the series, such as signs and stacks, is no row of a table.
static void note_beside(const MonitorTree *tree, Notices *notices)
{
    size_t beside = tree->summaries.count + tree->similarities.count + tree->stacks.count +
                    tree->anomalies.count;
    if (beside)
        notices_partial(notices, WHERE_FILE(tree->base),
                        tr("files next to the series of the monitor are not converted: %zu"),
                        beside);
}

bool convert_monitor(const CommandCall *call, Product *out)
{
    MonitorTrees trees = {0};
    uint64_t rows = 0;
    if (!monitor_find(str_cstr(call->arena, call->options->arguments[0]), call->arena, &trees,
                      call->notices, call->err))
        return false;
    for (size_t i = 0; i < call->outputs->count; i++) {
        const OutputTarget *target = &call->outputs->targets[i];
        bool lines = target->standard || target->folder || str_equal(target->format, STR("dump"));
        if (!lines || (target->folder && output_guard_in_input(call->options, target->path)))
            return error_set(call->err, ERR_USAGE, WHERE_FILE(target->path), "%s",
                             tr("convert writes a monitor as .jsonl; 'vernier monitor FOLDER "
                                "--format csv,tensorboard' writes the others"));
    }
    for (size_t i = 0; i < call->outputs->count; i++)
        if (!write_trees(call, &trees, &call->outputs->targets[i], &rows))
            return false;
    for (size_t i = 0; i < trees.count; i++)
        note_beside(&trees.items[i], call->notices);
    Str rest = str_printf(call->arena, tr("%llu rows of a monitor"), (unsigned long long)rows);
    out->verdict = (Verdict){.style = STYLE_PLAIN,
                             .partial = notices_any_partial(call->notices),
                             .word = str_of(rows ? tr("CONVERTED") : tr("NOTHING CONVERTED")),
                             .reason = rest};
    out->verdict.sentence = verdict_sentence(&out->verdict, rest, call->arena);
    out->status = rows ? PRODUCT_AGREES : PRODUCT_NOTHING;
    return true;
}

bool convert_is_monitor(const Options *options, Arena *arena)
{
    Error ignored;
    Notices quiet;
    MonitorTrees trees = {0};
    notices_init(&quiet, arena);
    const char *path = options->argument_count == 1 ? str_cstr(arena, options->arguments[0]) : "";
    bool found = (file_kind(path) == FILE_FOLDER || monitor_table_is(path)) &&
                 monitor_find(path, arena, &trees, &quiet, &ignored);
    for (size_t i = 0; found && i < trees.count; i++)
        if (trees.items[i].series.count)
            return true;
    return false;
}

bool convert_log(const CommandCall *call, Product *out)
{
    LogJob job = {.call = call};
    if (!read_runs(&job))
        return false;
    for (size_t i = 0; i < call->outputs->count; i++)
        if (!check_target(&job, &call->outputs->targets[i]))
            return false;
    for (size_t i = 0; i < call->outputs->count; i++)
        for (size_t k = 0; k < job.runs.count; k++)
            if (!write_run(&job, &call->outputs->targets[i], &job.runs.items[k]))
                return false;
    tell(&job, out);
    return true;
}
