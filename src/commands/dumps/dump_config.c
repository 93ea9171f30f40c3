// SPDX-License-Identifier: Apache-2.0
#include "commands/dumps/dump_config.h"

#include "base/file.h"
#include "base/path.h"
#include "base/words.h"
#include "read/settings/config_file.h"

enum { BYTES_MAX = 1 << 20, LEVELS = 3 };

// Settings that leave something out, with the values that leave out nothing.
static const struct Narrowing {
    const char *key;
    const char *all[6];
} narrowings[] = {
    {"statistics.list", {"[]"}},
    {"tensor.list", {"[]"}},
    {"statistics.scope", {"[]"}},
    {"tensor.scope", {"[]"}},
    {"data_mode", {"['all']", "all", "[]"}},
    {"step", {"[]"}},
    {"rank", {"[]"}},
    {"token_range", {"[]", "None"}},
    {"common_dump_settings.dump_mode", {"0"}},
    {"common_dump_settings.kernels", {"[]"}},
    {"common_dump_settings.iteration", {"all"}},
    {"common_dump_settings.input_output", {"0"}},
    {"common_dump_settings.saved_data", {NULL}},
};

// What decides values, or how they are recorded.
static const char *const deciding[] = {"seed", "is_deterministic", "level", "summary_mode",
                                       "async_dump"};

static bool is_dump_config(const Config *config)
{
    return (config_find(config, STR("dump_path")) && config_find(config, STR("task"))) ||
           config_find(config, STR("common_dump_settings.saved_data")) ||
           config_find(config, STR("common_dump_settings.dump_mode"));
}

static bool read_config(const char *path, Arena *arena, Config *out)
{
    Notices quiet;
    Error ignored;
    notices_init(&quiet, arena);
    *out = (Config){0};
    return file_kind_unfollowed(path) == FILE_REGULAR && file_size(path) <= BYTES_MAX &&
           config_read(path, arena, out, &quiet, &ignored) && is_dump_config(out);
}

static bool config_in(const char *folder, Arena *arena, Config *out)
{
    return read_config(path_join(arena, folder, STR("config.json")), arena, out) ||
           read_config(path_join(arena, folder, STR(".dump_metadata/data_dump.json")), arena, out);
}

// In the folder that is named, in those above it up to its run, or in the first folder of it that
// has one: of a rank, of the time of the dump.
static bool find_config(const char *path, Arena *arena, Config *out)
{
    Str folder = path_trim(str_of(path));
    if (file_kind(path) != FILE_FOLDER)
        folder = path_folder(folder);
    FolderList list;
    Error ignored;
    for (int level = 0; level < LEVELS; level++) {
        if (config_in(str_cstr(arena, folder), arena, out))
            return true;
        Str above = path_folder(folder);
        bool inner = str_starts(path_base(folder), STR("step")) ||
                     str_starts(path_base(folder), STR("rank"));
        if (!inner || str_equal(above, folder))
            break;
        folder = above;
    }
    bool found = false, listed = folder_list(path, arena, &list, &ignored);
    for (size_t i = 0; listed && i < list.count && !found; i++)
        found = config_in(path_join(arena, path, list.items[i]), arena, out);
    return found;
}

static Str value_of(const Config *config, const char *key)
{
    const ConfigItem *item = config_find(config, str_of(key));
    return item ? item->value : STR("");
}

// `other`: of the other side, whose equal settings leave out the same; NULL: it has none.
static void tell_side(const char *side, const Config *config, const Config *other, Arena *arena,
                      Notices *notices)
{
    StrBuf told = strbuf_new(arena);
    for (size_t i = 0; i < sizeof narrowings / sizeof *narrowings; i++) {
        Str value = value_of(config, narrowings[i].key);
        if (value.size && !str_in(value, narrowings[i].all) &&
            !(other && str_equal(value, value_of(other, narrowings[i].key))))
            strbuf_printf(&told, "%s" STR_FMT " " STR_FMT, told.size ? ", " : "",
                          STR_ARG(str_behind(str_of(narrowings[i].key), '.')), STR_ARG(value));
    }
    if (told.size)
        notices_add(
            notices, NOTICE_TOLD, WHERE_FILE(config->items[0].file),
            tr("%s's dump was set to " STR_FMT ": what it leaves out is no missing op of the run"),
            side, STR_ARG(strbuf_str(&told)));
}

// Of the section of the task, or above all sections; the last names of a path would find another's.
static Stated stated_of(const Config *config, Arena *arena)
{
    Str task = value_of(config, "task");
    Stated out = {.file = task.size ? path_base(str_of(config->items[0].file)) : STR("")};
    // Of MindSpore's own dump these settings are not known.
    for (int key = 0; key < STATED_COUNT && task.size; key++) {
        Str paths[] = {
            str_of(stated_word((StatedKey)key)),
            str_printf(arena, STR_FMT ".%s", STR_ARG(task), stated_word((StatedKey)key))};
        for (size_t i = 0; i < config->count; i++)
            if (str_equal(config->items[i].key, paths[0]) ||
                str_equal(config->items[i].key, paths[1]))
                out.values[key] = config->items[i].value;
    }
    return out;
}

void dump_config_tell(const char *golden, const char *target, const char *const given[2],
                      Arena *arena, Stated out[2], Notices *notices)
{
    Config sides[2];
    bool there[2];
    const char *const names[] = {"golden", "target"}, *const dumps[] = {golden, target};
    for (int side = 0; side < 2; side++) {
        there[side] = given[side] ? read_config(given[side], arena, &sides[side])
                                  : find_config(dumps[side], arena, &sides[side]);
        if (given[side] && !there[side])
            notices_partial(notices, WHERE_FILE(given[side]), "%s",
                            tr("--dump-config: this is no configuration of a dump (task, "
                               "dump_path, …)"));
        out[side] = there[side] ? stated_of(&sides[side], arena) : (Stated){0};
    }
    for (int side = 0; side < 2; side++)
        if (there[side])
            tell_side(names[side], &sides[side], there[1 - side] ? &sides[1 - side] : NULL, arena,
                      notices);
    for (size_t i = 0; there[0] && there[1] && i < sizeof deciding / sizeof *deciding; i++) {
        Str one = value_of(&sides[0], deciding[i]), two = value_of(&sides[1], deciding[i]);
        if (one.size && two.size && !str_equal(one, two))
            notices_add(notices, NOTICE_TOLD, WHERE_FILE(sides[1].items[0].file),
                        tr("the configurations of the dumps differ: %s is " STR_FMT
                           " in golden, " STR_FMT " in the target"),
                        deciding[i], STR_ARG(one), STR_ARG(two));
    }
}
