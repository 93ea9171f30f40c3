// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_sides.h"

#include "base/file.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/words.h"
#include "commands/machinery/packed_inputs.h"
#include "read/dump/run_names.h"
#include "read/settings/compare_config.h"
#include "read/tensor/weights_file.h"

static bool offer(const CommandCall *call, const ChildRuns *runs)
{
    return error_hint(call->err, tr("it holds " STR_FMT ": %s"),
                      STR_ARG(child_runs_list(runs, call->arena)),
                      SHELL_LINE(call->arena, "compare", runs->golden, runs->target));
}

// Two runs below the only argument, however deep, or one next to it.
static bool offer_runs(const CommandCall *call, Str path)
{
    enum { DEEPEST = 8 };
    const char *folder = str_cstr(call->arena, path_trim(path));
    const char *above = str_cstr(call->arena, path_folder(path_trim(path)));
    ChildRuns runs = {.count = 0};
    if (path.size == 0)
        return false;
    FolderList list = {.count = 1};
    for (int depth = 0; depth < DEEPEST && list.count == 1; depth++) {
        Error ignored;
        runs = child_runs_find(folder, call->arena);
        if (runs.count)
            return offer(call, &runs);
        list = (FolderList){0};
        if (folder_list(folder, call->arena, &list, &ignored) && list.count == 1)
            folder = path_join(call->arena, folder, list.items[0]);
    }
    runs = child_runs_find(above, call->arena);
    if (runs.count != 2)
        return false;
    return error_hint(call->err, tr("one dump: %s; with the run next to it: %s"),
                      SHELL_LINE(call->arena, "graph", str_cstr(call->arena, path)),
                      SHELL_LINE(call->arena, "compare", runs.golden, runs.target));
}

// vernier reads the stacks next to the target.
static void note_stack(const CommandCall *call, const CompareConfig *config)
{
    Str folder = str_of(config->target);
    if (file_kind(config->target) != FILE_FOLDER)
        folder = path_folder(folder);
    const char *beside =
        path_join(call->arena, str_cstr(call->arena, folder), path_base(str_of(config->stack)));
    if (file_kind(config->target) != FILE_FOLDER && !file_same(beside, config->stack))
        notices_add(
            call->notices, NOTICE_UNMET, WHERE_FILE(config->stack), "%s",
            tr("stack_path is not read: stacks are those of stack.json next to the target's dump"));
}

// The only argument names both sides. True where it is none of that kind.
static bool take_config(const CommandCall *call)
{
    Options *options = call->options;
    CompareConfig config;
    if (options->argument_count != 1 || options_given(options, "golden") ||
        options_given(options, "target"))
        return true;
    const char *path = str_cstr(call->arena, options->arguments[0]);
    if (!compare_config_read(path, call->arena, &config))
        return true;
    if (!config.golden || !config.target) {
        error_set(call->err, ERR_USAGE, WHERE_FILE(path), "%s",
                  config.target ? tr("this names no bench_path") : tr("this names no npu_path"));
        return error_hint(
            call->err, tr("one dump is shown by: %s"),
            SHELL_LINE(call->arena, "graph", config.target ? config.target : config.golden));
    }
    notices_add(call->notices, NOTICE_INFO, WHERE_FILE(path), "%s",
                tr("bench_path is golden, npu_path the target"));
    if (config.stack)
        note_stack(call, &config);
    options->arguments = ARENA_ARRAY(call->arena, Str, 2);
    options->arguments[0] = str_of(config.golden);
    options->arguments[1] = str_of(config.target);
    options->argument_count = options->argument_capacity = 2;
    return packed_input_open(options->arguments[0], call->notices, call->err) &&
           packed_input_open(options->arguments[1], call->notices, call->err);
}

// Three checkpoints are a way from the first to the last: the second is --via.
static bool take_between(const CommandCall *call)
{
    Options *options = call->options;
    if (options->argument_count != 3 || options_given(options, "golden") ||
        options_given(options, "target") || options_given(options, "via"))
        return true;
    for (size_t i = 0; i < 3; i++)
        if (!weights_is(str_cstr(call->arena, options->arguments[i])))
            return true;
    Str between = options->arguments[1];
    options->arguments[1] = options->arguments[2];
    options->argument_count = 2;
    return options_add(options, "via", between, call->arena, call->err);
}

bool compare_sides_find(const CommandCall *call, Str paths[2])
{
    const Options *options = call->options;
    if (!take_config(call) || !take_between(call))
        return false;
    paths[0] = options_text(options, "golden", "");
    paths[1] = options_text(options, "target", "");
    size_t next = 0;
    for (int side = 0; side < 2; side++)
        if (paths[side].size == 0 && next < options->argument_count)
            paths[side] = options->arguments[next++];
    if (paths[0].size == 0 || paths[1].size == 0) {
        error_set(call->err, ERR_USAGE, NOWHERE, "%s",
                  tr("compare needs two dumps: vernier compare GOLDEN TARGET"));
        return offer_runs(call, paths[0].size ? paths[0] : paths[1]);
    }
    return next == options->argument_count ||
           error_set(call->err, ERR_USAGE, NOWHERE,
                     tr("compare takes two dumps, found a third: '" STR_FMT "'"),
                     STR_ARG(options->arguments[next]));
}

typedef struct Sides {
    const Str *paths;
    const DumpPlaces *golden, *target;
    const PlacePairs *places;
    Notices *notices;
} Sides;

// Where nothing pairs, what was taken for stages of one side may be runs.
static void note_stages(const Sides *sides)
{
    for (size_t i = 0; i < sides->places->count; i++)
        if (sides->places->items[i].golden && sides->places->items[i].target)
            return;
    for (int side = 0; side < 2; side++) {
        Arena *arena = sides->notices->arena;
        const char *path = str_cstr(arena, sides->paths[side]);
        const char *other = str_cstr(arena, sides->paths[!side]);
        ChildRuns runs = child_runs_find(path, arena);
        if (!runs.count)
            continue;
        const char *here = side ? runs.target : runs.golden;
        if (file_same(here, other))
            here = side ? runs.golden : runs.target;
        notices_add(sides->notices, NOTICE_WARNING, WHERE_FILE(path),
                    tr(STR_FMT " were taken for stages of one run; if they are runs: %s"),
                    STR_ARG(child_runs_list(&runs, arena)),
                    SHELL_LINE(arena, "compare", side ? other : here, side ? here : other));
    }
}

// Agreement says nothing then: a path typed twice, a link to the other, a folder and its file.
static void note_one_side(const Sides *sides)
{
    const char *target = str_cstr(sides->notices->arena, sides->paths[1]);
    size_t pairs = 0, same = 0;
    for (size_t i = 0; i < sides->places->count; i++) {
        const PlacePair *pair = &sides->places->items[i];
        if (!pair->golden || !pair->target)
            continue;
        pairs++;
        same += file_same(pair->golden->file, pair->target->file);
    }
    if (pairs && same == pairs)
        notices_add(sides->notices, NOTICE_WARNING, WHERE_FILE(target), "%s",
                    tr("golden and target are the same dump: no other run was compared"));
}

// Single dumps are compared whatever their step and rank are; of more none is guessed to belong to
// another.
static void note_nothing_shared(const Sides *sides)
{
    for (size_t i = 0; i < sides->places->count; i++)
        if (sides->places->items[i].golden && sides->places->items[i].target)
            return;
    if (sides->golden->count && sides->target->count)
        notices_add(sides->notices, NOTICE_WARNING, NOWHERE,
                    tr("no step and rank is in both runs; two dumps are compared by: %s"),
                    SHELL_LINE(sides->notices->arena, "compare", sides->golden->items[0].file,
                               sides->target->items[0].file));
}

void compare_sides_note_pairs(const Str paths[2], const DumpPlaces *golden,
                              const DumpPlaces *target, const PlacePairs *places, Notices *notices)
{
    const Sides sides = {paths, golden, target, places, notices};
    note_stages(&sides);
    note_one_side(&sides);
    note_nothing_shared(&sides);
}
