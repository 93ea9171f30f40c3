// SPDX-License-Identifier: Apache-2.0
// vernier init: the settings, the nightly script and the CI files of two runs, from samples/.
#define _XOPEN_SOURCE 700  // realpath
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/sink.h"
#include "base/words.h"
#include "commands/compare/compare_sides.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/input_kind.h"
#include "commands/machinery/runner.h"
#include "read/dump/run_names.h"
#include "renderers/template.h"

static const OptionSpec specs[] = {
    {"golden", 'g', OPTION_TEXT, "RUN", TR("the trusted run"), OPTION_INPUT},
    {"target", 't', OPTION_TEXT, "RUN", TR("the run under question"), OPTION_INPUT},
    {"noise", 0, OPTION_LIST, "RUN", TR("further runs of golden, for vernier.toml"), OPTION_INPUT},
    {"ci", 0, OPTION_CHOICE, "github|gitlab|none", TR("whose CI files are written; default: none"),
     0},
};

static bool make_init(const CommandCall *call, Product *out);

const CommandSpec init_command = {
    .name = "init",
    .arguments = "[GOLDEN TARGET]",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .make = make_init,
};

typedef struct InitJob {
    const CommandCall *call;
    const char *folder, *sides[2];  // the sides as absolute paths
    const char *command;            // "compare", or "curves" of logs
    StrBuf written;                 // names of files, with commas
} InitJob;

typedef struct InitFile {
    const char *ci;  // NULL: of every project
    const char *sample, *path;
    bool runs;  // may be run
} InitFile;

static const InitFile files[] = {
    {NULL, "nightly.sh", "nightly.sh", true},
    {"github", "action.yml", ".github/actions/vernier/action.yml", false},
    {"github", "github.yml", ".github/workflows/accuracy.yml", false},
    {"gitlab", "gitlab-component.yml", "ci/gitlab-component.yml", false},
    {"gitlab", "gitlab-ci.yml", ".gitlab-ci.yml", false},
};

static Str toml_text(Str text, Arena *arena)
{
    Str once = str_replace(arena, text, STR("\\"), STR("\\\\"));
    return str_printf(arena, "\"" STR_FMT "\"",
                      STR_ARG(str_replace(arena, once, STR("\""), STR("\\\""))));
}

// YAML's single quotes take every path.
static Str yaml_text(const char *path, Arena *arena)
{
    return str_printf(arena, "'" STR_FMT "'",
                      STR_ARG(str_replace(arena, str_of(path), STR("'"), STR("''"))));
}

// From the root, so that the files work from any folder; `path` itself where nothing is there.
static const char *whole_path(const char *path, Arena *arena)
{
    char whole[PATH_MAX];
    return realpath(path, whole) ? str_cstr(arena, str_of(whole)) : path;
}

static Str settings_text_of(const InitJob *job)
{
    Arena *arena = job->call->arena;
    StrBuf out = strbuf_new(arena);
    Str run;
    strbuf_printf(&out, "# vernier init; 'vernier config' prints what is in force\n"
                        "format = [\"html\", \"md\", \"json\"]\n\n");
    strbuf_printf(&out, "[%s]\n", job->command);
    const char *gap = "";
    for (size_t at = 0; options_list_next(job->call->options, "noise", &at, &run); gap = ", ")
        strbuf_printf(&out, "%s" STR_FMT, *gap ? gap : "noise = [", STR_ARG(toml_text(run, arena)));
    strbuf_printf(&out, "%s", *gap ? "]\n" : "# noise = [\"GOLDEN_AGAIN\"]\n");
    return strbuf_str(&out);
}

// Where this program lies, as a word of the shell: cron's PATH is short.
static const char *own_folder(Arena *arena)
{
    const char *program = whole_path("/proc/self/exe", arena);
    return shell_word_of(str_cstr(arena, path_folder(str_of(program))), arena);
}

// The lines of a sample that name its inputs, with those of this project.
static Str filled(const InitJob *job, Str sample)
{
    Arena *arena = job->call->arena;
    Str golden = yaml_text(job->sides[0], arena), target = yaml_text(job->sides[1], arena);
    const Str lines[][2] = {
        {STR("command=compare"),
         str_printf(arena, "PATH=$PATH:%s\ncommand=%s", own_folder(arena), job->command)},
        {STR("golden=$1 target=$2 reports=$3"),
         str_printf(arena, "golden=${1:-%s} target=${2:-%s} reports=${3:-reports}",
                    shell_word_of(job->sides[0], arena), shell_word_of(job->sides[1], arena))},
        {STR("command: compare\n"), str_printf(arena, "command: %s\n", job->command)},
        {STR("golden: /srv/dumps/golden\n"),
         str_printf(arena, "golden: " STR_FMT "\n", STR_ARG(golden))},
        {STR("target: /srv/dumps/tonight\n"),
         str_printf(arena, "target: " STR_FMT "\n", STR_ARG(target))},
        {STR("history: /srv/reports/nights.db"), STR("history: nights.db")},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        sample = str_replace(arena, sample, lines[i][0], lines[i][1]);
    return sample;
}

// What is there stays: it may have been edited.
static bool put(InitJob *job, const char *name, Str text, bool runs)
{
    Notices *notices = job->call->notices;
    char *path = path_join(job->call->arena, job->folder, str_of(name));
    if (file_kind(path) != FILE_NONE) {
        notices_add(notices, NOTICE_UNMET, WHERE_FILE(path), "%s",
                    tr("this file is there and was left as it is"));
        return true;
    }
    char *folder = str_cstr(job->call->arena, path_folder(str_of(path)));
    bool good = file_kind(folder) == FILE_FOLDER || folder_make(folder, job->call->err);
    Sink *sink = good ? sink_file(path, job->call->err) : NULL;
    if (!sink)
        return false;
    sink_str(sink, text);
    if (!sink_commit(sink, job->call->err))
        return false;
    if (runs)
        chmod(path, 0755);
    strbuf_printf(&job->written, "%s%s", strbuf_str(&job->written).size ? ", " : "", name);
    return true;
}

static bool write_files(InitJob *job)
{
    Arena *arena = job->call->arena;
    Str ci = options_text(job->call->options, "ci", "none");
    if (!put(job, "vernier.toml", settings_text_of(job), false))
        return false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        Str sample;
        if (files[i].ci && !str_equal(ci, str_of(files[i].ci)))
            continue;
        if (!template_find(NULL, files[i].sample, arena, &sample, job->call->err) ||
            !put(job, files[i].path, filled(job, sample), files[i].runs))
            return false;
    }
    return true;
}

// The two runs as typed, also by msProbe's compare.json, else the two in the folder typed or the
// working folder.
static bool find_sides(InitJob *job)
{
    const Options *options = job->call->options;
    Arena *arena = job->call->arena;
    Str sides[2] = {{0}};
    const char *folder = options->argument_count ? str_cstr(arena, options->arguments[0]) : ".";
    ChildRuns runs = child_runs_find(folder, arena);
    bool typed = options->argument_count > 1 || options_given(options, "golden") ||
                 options_given(options, "target");
    if (!typed && runs.count == 2) {
        sides[0] = str_of(runs.golden);
        sides[1] = str_of(runs.target);
    } else if (!compare_sides_find(job->call, sides)) {
        job->call->err->hint[0] = '\0';
        return error_set(job->call->err, ERR_USAGE, NOWHERE, "%s",
                         tr("init needs two runs: vernier init GOLDEN TARGET"));
    }
    for (int side = 0; side < 2; side++) {
        job->sides[side] = whole_path(str_cstr(arena, sides[side]), arena);
        if (file_kind(job->sides[side]) == FILE_NONE)
            return error_set(job->call->err, ERR_INPUT, WHERE_FILE(job->sides[side]), "%s",
                             tr("no such file or folder"));
    }
    run_names_note_swapped("init", sides, job->call->notices);
    InputKind kind = input_kind_of(job->sides[0]);
    job->command = kind == INPUT_LOG ? "curves" : "compare";
    return kind == INPUT_LOG || kind == INPUT_DUMP || kind == INPUT_WEIGHTS ||
           error_set(job->call->err, ERR_INPUT, WHERE_FILE(job->sides[0]), "%s",
                     tr("expected a dump, a checkpoint or a log"));
}

static bool make_init(const CommandCall *call, Product *out)
{
    Arena *arena = call->arena;
    InitJob job = {.call = call, .written = strbuf_new(arena)};
    job.folder = str_cstr(arena, options_text(call->options, "output", "."));
    if (!find_sides(&job) || !write_files(&job))
        return false;
    Str written = strbuf_str(&job.written);
    const char *script = path_join(arena, job.folder, STR("nightly.sh"));
    out->verdict = (Verdict){
        .style = STYLE_PASS,
        .sentence = written.size ? str_printf(arena, tr("WROTE     " STR_FMT "; to try: sh %s"),
                                              STR_ARG(written), shell_word_of(script, arena))
                                 : str_of(tr("WROTE     nothing: all files are there"))};
    return true;
}
