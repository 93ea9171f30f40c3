// SPDX-License-Identifier: Apache-2.0
#include "commands/check_config.h"

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/dump/dump_folder.h"
#include "read/settings/config_file.h"

// A file next to a dump that may be the configuration of its run.
typedef struct Found {
    Str kind;  // its suffix, or its name where that tells what it is
    Str name;
    Config config;
    bool alone;  // of its kind
} Found;

typedef struct Finds {
    Found *items;
    size_t count, capacity;
} Finds;

enum { FOUND_BYTES_MAX = 4 << 20, FILES_MAX = 32, FOLDERS_MAX = 64 };

static void tell(CheckConfig *out, Arena *arena, Str text)
{
    *ARRAY_ADD(arena, out->told, out->told_count, out->told_capacity) = text;
}

static Str shown(const Options *options, Str name)
{
    return options_flag(options, "redact") ? STR("run") : name;
}

// ---- files that are recorded

// The name of a file may tell what is not to be told.
static void redact(const Options *options, Config *config)
{
    for (size_t i = 0; options_flag(options, "redact") && i < config->count; i++)
        config->items[i].file = "run";
}

static bool read_told(const Options *options, Arena *arena, CheckConfig *out, Error *err)
{
    Config all = {0};
    Notices quiet;
    notices_init(&quiet, arena);
    for (size_t i = 0; i < options_list_count(options, "run-config"); i++)
        if (!config_read(str_cstr(arena, options_list_item(options, "run-config", i)), arena, &all,
                         &quiet, err))
            return false;
    redact(options, &all);
    meant_take(&all, arena, &out->meants);
    if (out->meants.count + out->meants.unclear_count == 0 && !out->meants.tokens.vocabulary.known)
        tell(out, arena, str_of(tr("--run-config: no setting there says what was meant")));
    return true;
}

// ---- files that are found

// Names that trainers give; those of other JSON files next to dumps and weights are not read.
static Str kind_of(Str name)
{
    Str suffix = path_suffix(name);
    if (STR_IN(name, "config.json", "generation_config.json", "training_args.json",
               "train_args.json", "args.json", "ds_config.json"))
        return name;
    if (STR_IN(suffix, ".yaml", ".yml"))
        return STR(".yaml");
    return STR_IN(suffix, ".toml", ".sh", ".log") ? suffix : STR("");
}

static bool read_found(const char *path, Str kind, Arena *arena, Config *out)
{
    Notices quiet;
    Error err;
    notices_init(&quiet, arena);
    return file_kind_unfollowed(path) == FILE_REGULAR && file_size(path) <= FOUND_BYTES_MAX &&
           config_read(path, arena, out, &quiet, &err) &&
           (!str_equal(kind, STR(".log")) || out->format == CONFIG_LOG);
}

static void find_in(const char *folder, Arena *arena, Finds *out)
{
    FolderList list;
    Error err;
    size_t files = 0;
    if (!folder_list(folder, arena, &list, &err))
        return;
    for (size_t i = 0; i < list.count; i++) {
        Str kind = kind_of(list.items[i]);
        Config config = {0};
        Meants meants = {0};
        if (kind.size == 0 || ++files > FILES_MAX ||
            !read_found(path_join(arena, folder, list.items[i]), kind, arena, &config))
            continue;
        meant_take(&config, arena, &meants);
        if (meants.count + meants.unclear_count == 0 && !meants.tokens.vocabulary.known)
            continue;
        bool alone = true;
        for (size_t k = 0; k < out->count; k++)
            if (str_equal(out->items[k].kind, kind))
                alone = out->items[k].alone = false;
        *ARRAY_PUSH(arena, out) = (Found){kind, list.items[i], config, alone};
    }
    for (size_t k = 0; k < out->count && files > FILES_MAX; k++)
        out->items[k].alone = false;  // others were not looked at
}

// Another folder with dumps next to this one: the configuration above may be of that run.
static bool holds_others(const char *above, const char *folder, Arena *arena)
{
    FolderList list;
    Error err;
    size_t folders = 0;
    if (!folder_list(above, arena, &list, &err))
        return true;
    for (size_t i = 0; i < list.count; i++) {
        const char *path = path_join(arena, above, list.items[i]);
        DumpPlaces places;
        Notices quiet;
        notices_init(&quiet, arena);
        if (file_kind_unfollowed(path) != FILE_FOLDER || file_same(path, folder))
            continue;
        if (folders++ == FOLDERS_MAX || folder_find_dumps(path, NULL, arena, &places, &quiet, &err))
            return true;
    }
    return false;
}

static void take_found(const Options *options, const Finds *found, Arena *arena, CheckConfig *out)
{
    Config all = {0};
    for (size_t i = 0; i < found->count; i++) {
        const Found *it = &found->items[i];
        if (!it->alone) {
            tell(out, arena,
                 str_printf(arena,
                            tr(STR_FMT " is left out: it is not the only configuration of its kind "
                                       "here; --run-config FILE names the one of this run"),
                            STR_ARG(shown(options, it->name))));
            continue;
        }
        for (size_t k = 0; k < it->config.count; k++)
            config_add(&all, arena, it->config.items[k]);
    }
    redact(options, &all);
    meant_take(&all, arena, &out->meants);
}

static void find_beside(const Options *options, Arena *arena, CheckConfig *out)
{
    if (options->argument_count == 0)
        return;
    Finds found = {0};
    const char *path = str_cstr(arena, path_trim(str_of(str_cstr(arena, options->arguments[0]))));
    bool is_folder = file_kind(path) == FILE_FOLDER;
    const char *folder = is_folder ? path : str_cstr(arena, path_folder(str_of(path)));
    const char *above = path_join(arena, folder, STR(".."));
    find_in(folder, arena, &found);
    if (found.count == 0) {
        find_in(above, arena, &found);
        if (found.count && holds_others(above, folder, arena)) {
            tell(out, arena,
                 str_printf(arena,
                            tr(STR_FMT " in the folder above is left out: other dumps are there; "
                                       "--run-config FILE declares that it is of this run"),
                            STR_ARG(shown(options, found.items[0].name))));
            return;
        }
    }
    take_found(options, &found, arena, out);
}

bool check_config_read(const Options *options, Arena *arena, CheckConfig *out, Error *err)
{
    size_t count = options_list_count(options, "run-config");
    *out = (CheckConfig){0};
    if (count == 1 && str_equal(options_list_item(options, "run-config", 0), STR("none")))
        return true;
    if (count)
        return read_told(options, arena, out, err);
    find_beside(options, arena, out);
    return true;
}

void check_config_tell(const CheckConfig *config, Notices *notices)
{
    for (size_t i = 0; i < config->told_count; i++)
        notices_add(notices, NOTICE_TOLD, NOWHERE, STR_FMT, STR_ARG(config->told[i]));
    for (size_t i = 0; i < config->meants.unclear_count; i++)
        notices_add(notices, NOTICE_TOLD, NOWHERE, STR_FMT, STR_ARG(config->meants.unclear[i]));
}
