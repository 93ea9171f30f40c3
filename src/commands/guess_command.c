// SPDX-License-Identifier: Apache-2.0
#include "commands/guess_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/words.h"
#include "commands/command_table.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/input_kind.h"
#include "commands/machinery/runner.h"
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
    if (one == INPUT_NONE)
        fprintf(stderr, tr("vernier: error: %s: unknown what this holds"), argv[first]);
    else
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
        fprintf(stderr, "%s\n", tr("  hint: 'vernier help inputs' lists what can be read"));
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

// Folders of free names in one: two runs, or stages of one. What names leave open is refused with
// both lines to type.
static int refuse_runs(const ChildRuns *runs, const char *path, Arena *arena)
{
    fprintf(stderr, tr("vernier: error: no one command fits: %s holds " STR_FMT "\n"), path,
            STR_ARG(child_runs_list(runs, arena)));
    fprintf(stderr, tr("  hint: two runs: %s; stages of one: %s\n"),
            SHELL_LINE(arena, "compare", runs->golden, runs->target),
            SHELL_LINE(arena, "graph", path));
    return 2;
}

// Of the entries of a folder the first two of each kind that has a command; in a folder that is of
// a kind itself, of those kinds that may lie together by chance.
typedef struct Mixed {
    const char *paths[INPUT_KINDS][2];
    size_t kinds;
} Mixed;

static bool may_lie_together(InputKind kind, InputKind whole)
{
    if (whole == INPUT_NONE)
        return kind != INPUT_NONE && input_kind_choices(kind)[0];
    return kind == INPUT_DUMP || kind == INPUT_LOG || kind == INPUT_MONITOR;
}

static Mixed find_mixed(const char *path, InputKind whole, Arena *arena)
{
    Mixed out = {.kinds = 0};
    FolderList list = {0};
    Error ignored;
    bool good = file_kind(path) == FILE_FOLDER && !dump_file_in(path, arena) &&
                folder_list(path, arena, &list, &ignored);
    for (size_t i = 0; good && i < list.count; i++) {
        const char *inside = path_join(arena, path, list.items[i]);
        FileKind there = file_kind_unfollowed(inside);
        InputKind kind =
            there == FILE_FOLDER || there == FILE_REGULAR ? input_kind_of(inside) : INPUT_NONE;
        if (!may_lie_together(kind, whole) || out.paths[kind][1])
            continue;
        out.kinds += !out.paths[kind][0];
        out.paths[kind][out.paths[kind][0] != NULL] = inside;
    }
    return out;
}

// One line for each kind: what to type for the first of it, or for two.
static int refuse_mixed(const Mixed *mixed, const char *path, Arena *arena)
{
    fprintf(stderr, tr("vernier: error: no one command fits all that %s holds\n"), path);
    for (size_t i = 0; i < INPUT_KINDS; i++) {
        InputKind kind = (InputKind)i;
        const char *first = mixed->paths[i][0], *second = mixed->paths[i][1];
        const char *two = input_kind_command(kind, 2);
        bool one = input_kind_command(kind, 1) || !second || !two;
        if (first)
            fprintf(stderr, tr("  %s: %s\n"), input_kind_name(kind),
                    one ? SHELL_LINE(arena, NULL, first) : SHELL_LINE(arena, two, first, second));
    }
    return 2;
}

// A folder that holds runs, or inputs of several commands.
static int run_folder(int argc, char **argv, InputKind whole, const Settings *settings)
{
    Arena *arena = arena_new();
    char **words = ARENA_ARRAY(arena, char *, (size_t)argc + 1);
    const char *path = argv[0];
    ChildRuns runs = child_runs_find(path, arena);
    size_t pair[2];
    Mixed mixed = find_mixed(path, whole, arena);
    int code = -1;
    if (mixed.kinds > (whole == INPUT_NONE ? 0 : 1))
        code = refuse_mixed(&mixed, path, arena);
    else if (runs.count == 2 && run_names_pair(runs.names, runs.count, pair) &&
             run_names_swapped(str_of(runs.target), str_of(runs.golden))) {
        words[0] = str_cstr(arena, str_of(runs.golden));
        words[1] = str_cstr(arena, str_of(runs.target));
        for (int i = 1; i < argc; i++)
            words[i + 1] = argv[i];
        code = run_command("compare", argc + 1, words, settings);
    } else if (runs.count && !dump_file_in(runs.golden, arena))
        code = refuse_runs(&runs, path, arena);
    arena_release(arena);
    return code;
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
    bool folder = files == 1 && file_kind(argv[0]) == FILE_FOLDER;
    int code = folder && (kind == INPUT_NONE || may_lie_together(kind, kind))
                   ? run_folder(argc, argv, kind, settings)
                   : -1;
    if (code >= 0)
        return code;
    const char *command = input_kind_command(kind, files);
    return command ? run_command(command, argc, argv, settings) : refuse(argv, 0, kind, 0, kind);
}
