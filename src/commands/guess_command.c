// SPDX-License-Identifier: Apache-2.0
#include "commands/guess_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/shell_word.h"
#include "base/words.h"
#include "commands/command_table.h"
#include "commands/dumps/input_kind.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/runner.h"
#include "read/dump/child_runs.h"
#include "read/dump/dump_source.h"
#include "read/dump/run_names.h"

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

static int refuse(char *const *argv, int first, InputKind one, int second, InputKind other)
{
    fprintf(stderr, tr("vernier: error: no one command fits: %s is %s"), argv[first],
            input_kind_name(one));
    if (second > first)
        fprintf(stderr, tr(", %s is %s"), argv[second], input_kind_name(other));
    fprintf(stderr, "\n");
    if (second > first)
        fprintf(stderr, "%s\n", tr("  hint: name the command, and what belongs to it alone"));
    else if (input_kind_choices(one)[0])
        fprintf(stderr, tr("  hint: name the command: %s\n"), input_kind_choices(one));
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
    InputKind kind = INPUT_NONE, other;
    Error err;
    for (int i = 0; i < files; i++) {
        if (file_kind(argv[i]) == FILE_NONE) {
            fprintf(stderr, tr("vernier: error: %s: no such file or folder\n"), argv[i]);
            return 3;
        }
        if (!input_kind_find(argv[i], i == 0 ? &kind : &other, &err))
            return command_refuse(argc, argv, &err);
        if (i > 0 && other != kind)
            return refuse(argv, 0, kind, i, other);
    }
    if (files == 1 && kind == INPUT_DUMP && refuse_runs(argv[0]))
        return 2;
    const char *command = input_kind_command(kind, files);
    return command ? run_command(command, argc, argv, settings) : refuse(argv, 0, kind, 0, kind);
}
