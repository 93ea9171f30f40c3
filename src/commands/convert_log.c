// SPDX-License-Identifier: Apache-2.0
#include "commands/convert_log.h"

#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "base/words.h"
#include "commands/machinery/log_options.h"
#include "commands/machinery/output_guard.h"
#include "export/run_write.h"
#include "model/run/run_source.h"
#include "read/dump/dump_folder.h"
#include "read/dump/dump_source.h"
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

void convert_tell(const CommandCall *call, bool any, Str rest, Product *out)
{
    out->verdict = (Verdict){.style = STYLE_PLAIN,
                             .partial = notices_any_partial(call->notices),
                             .word = str_of(any ? tr("CONVERTED") : tr("NOTHING CONVERTED")),
                             .reason = rest};
    out->verdict.sentence = verdict_sentence(&out->verdict, rest, call->arena);
    out->status = any ? PRODUCT_AGREES : PRODUCT_NOTHING;
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
    convert_tell(job->call, values > 0, rest, out);
}

static bool read_runs(LogJob *job)
{
    const CommandCall *call = job->call;
    static const char *const idle[] = {"step", "stage", "rank", "type", NULL};
    const char *given = options_first_of(call->options, idle);
    if (given)
        return error_set(call->err, ERR_USAGE, NOWHERE,
                         tr("--%s does not apply to a log: it is converted whole"), given);
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
