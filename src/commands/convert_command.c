// SPDX-License-Identifier: Apache-2.0
// vernier convert: any dump as vernier.dump/1; any log as numbers (convert_log.c).
#include <string.h>

#include "base/file.h"
#include "base/words.h"
#include "commands/convert_log.h"
#include "commands/dumps/dump_argument.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/log_options.h"
#include "commands/machinery/output_guard.h"
#include "commands/machinery/runner.h"
#include "commands/monitor_events.h"
#include "export/line_dump_write.h"
#include "read/dump/dump_source.h"

static const OptionSpec specs[] = {
    SELECTION_OPTIONS(0),
    TYPE_OPTION,
    LOG_OPTIONS,
};

static bool make_convert(const CommandCall *call, Product *out);

const CommandSpec convert_command = {
    .name = "convert",
    .arguments = "DUMP|LOG",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .data = true,
    .make = make_convert,
};

typedef struct ConvertJob {
    Arena *arena;
    const Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    DumpArgument dump;
    uint64_t dumps, ops;
} ConvertJob;

// Where the dump goes in a folder of outputs.
static const char *folder_for(const OutputTarget *target, const DumpPlace *place, Arena *arena)
{
    Str inner =
        str_printf(arena, "step%lld/rank%lld", (long long)place->step, (long long)place->rank);
    if (place->stage.size)
        inner = str_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(place->stage), STR_ARG(inner));
    return path_join(arena, target->path, inner);
}

static const char *path_for(const OutputTarget *target, const DumpPlace *place, Arena *arena)
{
    return target->folder ? path_join(arena, folder_for(target, place, arena), STR("dump.jsonl"))
                          : target->path;
}

static Sink *open_sink(const ConvertJob *job, const OutputTarget *target, const DumpPlace *place,
                       Arena *arena)
{
    if (target->standard)
        return sink_stdout();
    const char *path = path_for(target, place, arena);
    bool made = folder_make(str_cstr(arena, path_folder(str_of(path))), job->err);
    return made ? sink_file(path, job->err) : NULL;
}

static bool write_target(ConvertJob *job, const OutputTarget *target, const DumpPlace *place,
                         const Dump *dump, const Construct *construct)
{
    Arena *scratch = arena_new();
    Sink *sink = open_sink(job, target, place, scratch);
    if (sink)
        line_dump_write(dump, construct, sink);
    arena_release(scratch);
    return sink && sink_commit(sink, job->err);
}

// A dump that cannot be read costs itself; an output that cannot be written ends the work.
static bool write_place(ConvertJob *job, const DumpPlace *place)
{
    Arena *scratch = arena_new();
    Dump dump;
    Construct construct;
    Stacks *stacks;
    Error err;
    Names *names = names_new(scratch);
    if (job->notices->redaction)
        names_redact(names);
    bool read = dump_read(place->file, names, scratch, &dump, job->notices, &err), good = true;
    if (read) {
        dump_read_hierarchy(&dump, place->folder, scratch, &construct, &stacks, job->notices);
        job->dumps++;
        job->ops += dump.op_count;
        for (size_t i = 0; i < job->outputs->count && good; i++)
            good = write_target(job, &job->outputs->targets[i], place, &dump, &construct);
    } else {
        notices_add_error(job->notices, &err);
    }
    arena_release(scratch);
    return good;
}

// A dump of the run below or next to the folder of outputs may be the file that is to be written.
static bool is_dump(const ConvertJob *job, const char *path)
{
    for (size_t i = 0; i < job->dump.places.count; i++)
        if (file_same(job->dump.places.items[i].file, path))
            return true;
    return false;
}

// In a folder what is there may be the dump of another run, which nobody named.
static bool check_target(const ConvertJob *job, const OutputTarget *target, const DumpPlace *place)
{
    const char *path = path_for(target, place, job->arena);
    if (target->standard)
        return true;
    if (is_dump(job, path) || (target->folder && output_guard_in_input(job->options, target->path)))
        return error_set(job->err, ERR_USAGE, WHERE_FILE(path), "%s",
                         tr("this file is an input: it is not written over"));
    if (!target->folder || file_kind(path) == FILE_NONE)
        return true;
    error_set(job->err, ERR_USAGE, WHERE_FILE(path), "%s",
              tr("there is a dump already: it is not written over"));
    return error_hint(job->err, "%s", tr("remove it, or name another folder"));
}

static bool check_targets(const ConvertJob *job)
{
    for (size_t i = 0; i < job->dump.places.count; i++)
        for (size_t k = 0; k < job->outputs->count; k++)
            if (!check_target(job, &job->outputs->targets[k], &job->dump.places.items[i]))
                return false;
    return true;
}

static bool check_outputs(const ConvertJob *job)
{
    for (size_t i = 0; i < job->outputs->count; i++) {
        const OutputTarget *target = &job->outputs->targets[i];
        if (!target->folder && !target->standard && !str_equal(target->format, STR("dump")))
            return error_set(job->err, ERR_USAGE, WHERE_FILE(target->path), "%s",
                             tr("convert writes a dump as .jsonl files and folders of them"));
        if (!target->folder && job->dump.places.count > 1) {
            error_set(job->err, ERR_USAGE, WHERE_FILE(target->path), "%s",
                      tr("one file takes one dump, and there are several"));
            return error_hint(job->err, "%s",
                              tr("name a folder, or choose with --step, --stage and --rank"));
        }
    }
    return check_targets(job);
}

static bool plan(const CommandCall *call)
{
    static const OtherFormat others[] = {
        {"dump", ".jsonl"}, {"csv", ".csv"}, {"events", ".tfevents"}, {NULL, NULL}};
    static const char *const idle[] = {"format", "title", "html", "theme", "palette", "open", NULL};
    const char *given = options_first_of(call->options, idle);
    if (given)
        return error_set(call->err, ERR_USAGE, NOWHERE,
                         tr("convert writes data alone: --%s would have no effect"), given);
    // What is converted and goes nowhere is not converted.
    return outputs_plan(call->options, others, call->arena, call->outputs, call->err) &&
           !call->outputs->unplaced;
}

static bool find_dump(ConvertJob *job)
{
    static const char *const idle[] = {"pattern", "patterns", "columns", "type", NULL};
    const char *given = options_first_of(job->options, idle);
    if (given)
        return error_set(job->err, ERR_USAGE, NOWHERE, tr("--%s does not apply to a dump"), given);
    return dump_argument_find(job->options, "convert", job->arena, &job->dump, job->notices,
                              job->err);
}

static bool make_convert(const CommandCall *call, Product *out)
{
    ConvertJob *job = ARENA_NEW(call->arena, ConvertJob);
    *job = (ConvertJob){.arena = call->arena,
                        .options = call->options,
                        .outputs = call->outputs,
                        .notices = call->notices,
                        .err = call->err};
    if (convert_is_log(call->options, call->arena) &&
        convert_is_monitor(call->options, call->arena))
        return plan(call) && convert_monitor(call, out);
    if (convert_is_log(call->options, call->arena))
        return plan(call) && convert_log(call, out);
    if (!find_dump(job) || !plan(call) || !check_outputs(job))
        return false;
    const DumpPlaces *places = &job->dump.places;
    for (size_t i = 0; i < places->count; i++)
        if (!write_place(job, &places->items[i]))
            return false;
    Str ops = str_printf(job->arena, tr_count(job->ops, "%llu op", "%llu ops"),
                         (unsigned long long)job->ops);
    Str rest = str_printf(job->arena,
                          tr_count(job->dumps, STR_FMT " of %llu dump as vernier.dump/1",
                                   STR_FMT " of %llu dumps as vernier.dump/1"),
                          STR_ARG(ops), (unsigned long long)job->dumps);
    convert_tell(call, job->dumps > 0, rest, out);
    return true;
}
