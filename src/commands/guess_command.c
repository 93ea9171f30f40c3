// SPDX-License-Identifier: Apache-2.0
#include "commands/guess_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mounts.h"
#include "base/shell_word.h"
#include "base/words.h"
#include "commands/command_table.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/packed_inputs.h"
#include "commands/machinery/runner.h"
#include "read/dump/child_runs.h"
#include "read/dump/dump_folder.h"
#include "read/dump/dump_source.h"
#include "read/dump/run_names.h"
#include "read/log/series_source.h"
#include "read/monitor/monitor_files.h"
#include "read/tensor/weights_file.h"

typedef enum Kind {
    KIND_NONE,
    KIND_DUMP,
    KIND_WEIGHTS,
    KIND_TENSOR,  // one array: a tensor or log-probabilities
    KIND_LOG,
    KIND_MONITOR,
    KIND_CONFIG,
    KIND_TOKENS,
    KIND_PRECHECK,
    KIND_SUMMARY,
    KIND_HISTORY,
    KINDS
} Kind;

// What to run with one, two and more of a kind; NULL: nothing fits.
static const struct {
    const char *name;  // TR
    const char *one, *two, *more;
    const char *choices;  // for the message where nothing fits, or too much
} kinds[KINDS] = {
    [KIND_NONE] = {TR("nothing that is known"), NULL, NULL, NULL, ""},
    [KIND_DUMP] = {TR("a dump"), "graph", "compare", NULL, "compare --runs, graph, locate, check"},
    [KIND_WEIGHTS] = {TR("a checkpoint"), NULL, "compare", NULL, "compare"},
    [KIND_TENSOR] = {TR("an array"), NULL, NULL, NULL, "compare, tokens"},
    [KIND_LOG] = {TR("a training log"), "curves", "curves", "curves", "curves, advise"},
    [KIND_MONITOR] = {TR("monitor output"), "monitor", "monitor", "monitor", "monitor"},
    [KIND_CONFIG] = {TR("a training configuration"), NULL, "checklist", NULL, "checklist"},
    [KIND_TOKENS] = {TR("log-probabilities of tokens"), "tokens", "tokens", "tokens --runs",
                     "tokens"},
    [KIND_PRECHECK] = {TR("a pre-check"), "precheck", "precheck", "precheck", "precheck"},
    [KIND_SUMMARY] = {TR("a summary of vernier"), "explain", NULL, NULL, "explain"},
    [KIND_HISTORY] = {TR("a history of nights"), "history", NULL, NULL, "history"},
};

static bool is_monitor(const char *path, Arena *arena)
{
    Error ignored;
    Notices quiet;
    MonitorTrees trees = {0};
    notices_init(&quiet, arena);
    // A log of torchao's is a dump as well, which is taken for what was meant.
    return monitor_find(path, arena, &trees, &quiet, &ignored) && trees.count &&
           !(trees.items[0].series.count &&
             str_equal(trees.items[0].series.items[0].kind, STR(QUANT_LOG_KIND)));
}

static bool is_log(const char *path, Arena *arena)
{
    Error ignored;
    Notices quiet;
    Parts parts = {0};
    SourceFiles files = {0};
    notices_init(&quiet, arena);
    bool is = series_source_files(path, arena, &files, &quiet, &ignored) && files.count > 0;
    return is && series_source_read(files.items[0], arena, &parts, &quiet, &ignored);
}

static bool holds_dump(const char *path, Arena *arena)
{
    DumpPlaces places;
    Notices quiet;
    Error ignored;
    notices_init(&quiet, arena);
    // Of several runs in one folder the command says what to type.
    folder_find_dumps(path, NULL, arena, &places, &quiet, &ignored);
    return places.count > 0 || child_runs_find(path, arena).count > 0;
}

static Kind kind_of_folder(const char *path, Arena *arena)
{
    if (weights_is(path))
        return KIND_WEIGHTS;
    if (is_monitor(path, arena))
        return KIND_MONITOR;
    if (holds_dump(path, arena))
        return KIND_DUMP;
    return is_log(path, arena) ? KIND_LOG : KIND_NONE;
}

static Kind kind_of_name(Str name)
{
    static const char *const prechecks[] = {"accuracy_checking_", "api_precision_compare_",
                                            "free_benchmark"};
    for (size_t i = 0; i < sizeof prechecks / sizeof *prechecks; i++)
        if (str_starts(name, str_of(prechecks[i])) && str_ends(name, STR(".csv")))
            return KIND_PRECHECK;
    if (str_ends(name, STR(".sh")) || str_ends(name, STR(".yaml")) || str_ends(name, STR(".yml")))
        return KIND_CONFIG;
    return dump_is_record_name(name) ? KIND_DUMP : KIND_NONE;
}

// What the first bytes tell: what vernier writes itself, and, of rows, the names of
// log-probabilities, as a key or a column.
static Kind kind_of_start(const char *path, bool rows)
{
    enum { START = 4096 };
    File file;
    Error ignored;
    Kind kind = KIND_NONE;
    if (!file_open(path, &file, &ignored))
        return kind;
    Str start = str_slice(file.text, 0, START), top = str_slice(start, 0, 40);
    if (rows && (str_find(start, STR("logprob"), 0) != SIZE_MAX ||
                 str_find(start, STR("log_prob"), 0) != SIZE_MAX))
        kind = KIND_TOKENS;
    else if (str_starts(start, STR("SQLite format 3")))
        kind = KIND_HISTORY;
    else if (str_find(top, STR("\"schema\": \"vernier."), 0) != SIZE_MAX &&
             str_find(top, STR("vernier.dump/"), 0) == SIZE_MAX)
        kind = KIND_SUMMARY;
    file_close(&file);
    return kind;
}

static Kind kind_of_file(const char *path, Arena *arena)
{
    Str name = path_base(str_of(path));
    Kind kind = kind_of_name(name);
    if (kind == KIND_NONE)
        kind = kind_of_start(path, false);
    if (kind != KIND_NONE)
        return kind;
    if (weights_are_arrays(path) || dump_is_file(path))
        return KIND_DUMP;
    if (weights_is(path))
        return KIND_WEIGHTS;
    if (weights_readable(path))
        return KIND_TENSOR;
    bool rows = str_ends(name, STR(".jsonl")) || str_ends(name, STR(".csv"));
    if (rows && kind_of_start(path, true) == KIND_TOKENS)
        return KIND_TOKENS;
    return is_log(path, arena) ? KIND_LOG : KIND_NONE;
}

// An archive is opened for the look alone: the command opens it anew and tells what is wrong there.
static bool find_kind(const char *path, Kind *out, Error *err)
{
    Arena *arena = arena_new();
    Notices quiet;
    notices_init(&quiet, arena);
    bool good = packed_input_open(str_of(path), &quiet, err);
    if (good)
        *out = file_kind(path) == FILE_FOLDER ? kind_of_folder(path, arena)
                                              : kind_of_file(path, arena);
    mounts_clear();
    arena_release(arena);
    return good;
}

// The leading words that are files; what follows are options and their values.
static int count_files(int argc, char *const *argv)
{
    int count = 0;
    while (count < argc && argv[count][0] != '-')
        count++;
    return count;
}

bool guess_fits(int argc, char *const *argv)
{
    return argc > 0 && argv[0][0] != '-' && file_kind(argv[0]) != FILE_NONE;
}

static int refuse(char *const *argv, int first, Kind one, int second, Kind other)
{
    fprintf(stderr, tr("vernier: error: no one command fits: %s is %s"), argv[first],
            tr(kinds[one].name));
    if (second > first)
        fprintf(stderr, tr(", %s is %s"), argv[second], tr(kinds[other].name));
    fprintf(stderr, "\n");
    if (second > first)
        fprintf(stderr, "%s\n", tr("  hint: name the command, and what belongs to it alone"));
    else if (kinds[one].choices[0])
        fprintf(stderr, tr("  hint: name the command: %s\n"), kinds[one].choices);
    else
        fprintf(stderr, "%s\n",
                tr("  hint: 'vernier help' lists the commands, docs/input.md what "
                   "they read"));
    return 2;
}

// "vernier compare A B", with the words of `command` first.
static int run_command(const char *command, int argc, char **argv, const Settings *settings)
{
    Arena *arena = arena_new();
    char **words = ARENA_ARRAY(arena, char *, (size_t)argc + 3);
    Str *shown = ARENA_ARRAY(arena, Str, (size_t)argc + 3);
    int count = 0;
    bool silent = false;
    Str rest = str_of(command), word;
    while (str_split(&rest, ' ', &word))
        words[count++] = str_cstr(arena, word);
    for (int i = 0; i < argc; i++) {
        silent = silent || strcmp(argv[i], "--redact") == 0 || strncmp(argv[i], "-q", 2) == 0 ||
                 strcmp(argv[i], "--quiet") == 0;
        words[count++] = argv[i];
    }
    for (int i = 0; i < count; i++)
        shown[i] = str_of(words[i]);
    if (!silent)
        fprintf(stderr, "%s\n", str_cstr(arena, command_join(shown, (size_t)count, arena)));
    int code = command_run(command_find(words[0])->spec, settings, count, words);
    arena_release(arena);
    return code;
}

// Folders of free names in one: two runs, or stages of one. Where names tell, or dumps right in
// them, graph says that they are runs.
static bool refuse_runs(const char *path)
{
    Arena *arena = arena_new();
    ChildRuns runs = child_runs_find(path, arena);
    size_t pair[2];
    bool free_names = runs.count && !run_names_pair(runs.names, runs.count, pair) &&
                      !dump_file_in(runs.golden, arena);
    if (free_names) {
        fprintf(stderr, tr("vernier: error: no one command fits: %s holds " STR_FMT "\n"), path,
                STR_ARG(child_runs_list(&runs, arena)));
        fprintf(stderr,
                tr("  hint: two runs: vernier compare %s %s; stages of one: vernier graph "
                   "%s\n"),
                shell_word_of(runs.golden, arena), shell_word_of(runs.target, arena),
                shell_word_of(path, arena));
    }
    arena_release(arena);
    return free_names;
}

int guess_run(int argc, char **argv, const Settings *settings)
{
    int files = count_files(argc, argv);
    Kind kind = KIND_NONE, other;
    Error err;
    for (int i = 0; i < files; i++) {
        if (file_kind(argv[i]) == FILE_NONE) {
            fprintf(stderr, tr("vernier: error: %s: no such file or folder\n"), argv[i]);
            return 3;
        }
        if (!find_kind(argv[i], i == 0 ? &kind : &other, &err))
            return command_refuse(argc, argv, &err);
        if (i > 0 && other != kind)
            return refuse(argv, 0, kind, i, other);
    }
    if (files == 1 && kind == KIND_DUMP && refuse_runs(argv[0]))
        return 2;
    const char *command = files == 1   ? kinds[kind].one
                          : files == 2 ? kinds[kind].two
                                       : kinds[kind].more;
    return command ? run_command(command, argc, argv, settings) : refuse(argv, 0, kind, 0, kind);
}
