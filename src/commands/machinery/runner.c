// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/runner.h"

#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/spelling.h"
#include "base/words.h"
#include "commands/machinery/input_kind.h"
#include "commands/machinery/other_words.h"
#include "commands/machinery/packed_inputs.h"
#include "commands/machinery/watch.h"

// Leaves folders out where a command knows none by name.
static const Redaction folders = {0};

// The entry of its folder that is spelled like it.
static bool near_hint(Str path, Arena *arena, Error *err)
{
    Error ignored;
    FolderList list = {0};
    path = path_trim(path);
    Str folder = path_folder(path), base = path_base(path);
    Spelling near = spelling_of(base);
    if (folder_list(str_cstr(arena, folder), arena, &list, &ignored))
        for (size_t i = 0; i < list.count; i++)
            spelling_offer(&near, list.items[i]);
    return near.best.size &&
           error_hint(
               err, tr("did you mean " STR_FMT "?"),
               STR_ARG(shell_word(str_printf(arena, STR_FMT STR_FMT,
                                             STR_ARG(str_slice(path, 0, path.size - base.size)),
                                             STR_ARG(near.best)),
                                  arena)));
}

// What the shell or another machine would have understood of a path.
static bool path_hint(Arena *arena, Error *err)
{
    Str path = str_of(err->file);
    if (err->kind != ERR_INPUT || err->hint[0] || file_kind(err->file) != FILE_NONE)
        return false;
    if (str_find(path, STR("://"), 0) != SIZE_MAX)
        return error_hint(err, "%s", tr("vernier reads local files: copy it to this machine"));
    if (str_starts(path, STR("~")))
        return error_hint(err, "%s",
                          tr("the shell replaces '~' only at the start of a word and outside of "
                             "quotes: write the folder in full"));
    if (str_find_char(path, '\\', 0) != SIZE_MAX)
        return error_hint(err, "%s",
                          tr("this looks like a path of Windows: under WSL C:\\dump is "
                             "/mnt/c/dump, and shells want '/' or quotes"));
    if (path.data[strcspn(path.data, "*?[")])
        return error_hint(err, "%s", tr("no file has a name of this pattern"));
    return near_hint(path, arena, err);
}

// "NAME=PATH" is the way of the commands that give runs a name.
static bool name_hint(const Options *options, Error *err)
{
    Str path = str_of(err->file);
    size_t equals = str_find_char(path, '=', 0);
    if (err->kind != ERR_INPUT || err->hint[0] || equals == SIZE_MAX ||
        file_kind(err->file) != FILE_NONE || file_kind(err->file + equals + 1) == FILE_NONE)
        return false;
    Str name = str_slice(path, 0, equals);
    const OptionSpec *side = options_find(options->command, name);
    if (side && STR_IN(name, "golden", "target"))
        return error_hint(err, tr("write --%s " STR_FMT), side->name,
                          STR_ARG(str_slice(path, equals + 1, path.size)));
    return error_hint(err, tr("%s gives the runs no names of yours: leave '" STR_FMT "=' out"),
                      options->command->name, STR_ARG(name));
}

// Where the refusal shows the commas of a list that was typed.
static bool comma_hint(const Options *options, Error *err)
{
    for (size_t i = 0; err->kind == ERR_USAGE && !err->hint[0] && i < options->count; i++) {
        Str rest = other_comma(options->values[i].text);
        if (rest.size && str_find(str_of(err->text), rest, 0) != SIZE_MAX)
            return error_hint(err, "%s", tr(OTHER_COMMA_TEXT));
    }
    return false;
}

static bool make(Options *options, Outputs *outputs, Arena *arena, Product *out)
{
    CommandCall call = {.arena = arena,
                        .options = options,
                        .outputs = outputs,
                        .notices = ARENA_NEW(arena, Notices),
                        .err = ARENA_NEW(arena, Error)};
    notices_init(call.notices, arena);
    call.notices->title = options_text(options, "title", "");
    if (options_flag(options, "redact"))
        call.notices->redaction = &folders;
    if (options->settings && options->settings->foreign)
        notices_add(call.notices, NOTICE_UNMET, WHERE_FILE(options->settings->foreign), "%s",
                    tr("this file belongs to another user and is ignored: --config FILE takes it"));
    *out = (Product){.arena = arena, .outputs = outputs, .notices = call.notices, .err = call.err};
    bool made = packed_inputs_open(options, call.notices, call.err) &&
                input_kind_expected(options, arena, call.err) && options->command->make(&call, out);
    if (made && out->status == PRODUCT_NOTHING)
        input_kind_note(options, call.notices);
    return made || input_kind_hint(options, arena, call.err) || path_hint(arena, call.err) ||
           name_hint(options, call.err) || comma_hint(options, call.err) ||
           settings_hint(options, call.err);
}

static int run(Options *options, Arena *arena)
{
    Product product;
    Console console = console_of(options);
    Outputs *outputs = ARENA_NEW(arena, Outputs);
    outputs->progress = progress_start(console.quiet || console.result_aside);
    bool made = make(options, outputs, arena, &product);
    if (!made) {
        progress_end(outputs->progress);
        console_notices(&console, product.notices);
    }
    int code = made ? product_write(&product, &console, options_flag(options, "exit-zero"))
                    : console_error(&console, product.err);
    outputs_unlock(outputs);
    product_release(&product);
    return code;
}

int command_refuse(int argc, char *const *argv, const Error *err)
{
    Console console = console_of_words(argc, argv);
    return console_error(&console, err);
}

// An option of another command; one that is spelled like it has been proposed before.
static void elsewhere_hint(const CommandSpec *command, const Settings *settings, int argc,
                           char **argv, Arena *arena, Error *err)
{
    for (int i = 1; i < argc && settings->commands_with; i++) {
        Str word = str_of(argv[i]), name = str_slice(word, 2, str_find_char(word, '=', 0));
        if (!str_starts(word, STR("--")) || !name.size || options_find(command, name) ||
            str_find(str_of(err->text), word, 0) == SIZE_MAX ||
            str_find(str_of(err->hint), STR("--"), 0) != SIZE_MAX)
            continue;
        Str of = settings->commands_with(name, arena);
        if (of.size)
            error_hint(err, tr("--" STR_FMT " is an option of " STR_FMT), STR_ARG(name),
                       STR_ARG(of));
    }
}

int command_run(const CommandSpec *command, const Settings *settings, int argc, char **argv)
{
    Arena *arena = arena_new();
    Options options;
    Error err;
    int code = 0;
    bool good = options_parse(command, argc, argv, arena, &options, &err);
    options.settings = settings;
    if (!good)
        elsewhere_hint(command, settings, argc, argv, arena, &err);
    if (!good)
        code = command_refuse(argc, argv, &err);
    else if (options.help)
        options_print_help(command);
    else if (settings->broken)
        code = command_refuse(argc, argv, &settings->err);
    else if (!settings_apply(settings, NULL, &options, arena, &err))
        code = command_refuse(argc, argv, &err);
    else if (command->state && options_flag(&options, "watch"))
        code = watch_run(&options, run);
    else
        code = run(&options, arena);
    arena_release(arena);
    return code;
}

bool command_compute(Options *options, Arena *arena, Product *out)
{
    Outputs *outputs = ARENA_NEW(arena, Outputs);
    outputs->kept = true;
    bool made = make(options, outputs, arena, out);
    if (!made && options_flag(options, "redact"))
        *out->err = console_redacted(out->err);
    return made;
}
