// SPDX-License-Identifier: Apache-2.0
#include "read/settings/config_pack.h"

#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/json/json_tree.h"

#define NO_PART_TEXT TR("this is no part of a pack of config_check and is not read")

typedef struct PackReading {
    Arena *arena;
    Config *out;
    Notices *notices;
    const char *file;
    const char *section;
    Str place;
} PackReading;

static void add(const PackReading *at, Str name, Str value)
{
    config_add(at->out, at->arena,
               (ConfigItem){.path = name,
                            .value = value,
                            .variable = strcmp(at->section, SECTION_ENVIRONMENT) == 0,
                            .section = at->section,
                            .place = at->place,
                            .file = at->file});
}

static Str value_text(const JsonNode *node, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    tree_python(node, &text);
    return strbuf_str(&text);
}

static void take_env(const PackReading *at, const JsonNode *root)
{
    for (const JsonNode *node = root->child; node; node = node->next)
        add(at, node->key, value_text(node, at->arena));
}

// {"kwargs": {"labels": {"max": 1, "min": 0, "mean": 0.5, "norm": 4}}} as "kwargs.labels".
static void take_tensors(const PackReading *at, const JsonNode *node, Str path, int depth)
{
    bool tensor = tree_member(node, STR("norm")) != NULL || tree_member(node, STR("max")) != NULL;
    if (node->kind != JSON_OBJECT && node->kind != JSON_LIST) {
        add(at, path, value_text(node, at->arena));
        return;
    }
    if (tensor) {
        StrBuf text = strbuf_new(at->arena);
        for (const JsonNode *part = node->child; part; part = part->next)
            strbuf_printf(&text, "%s" STR_FMT " " STR_FMT, text.size ? ", " : "",
                          STR_ARG(part->key), STR_ARG(value_text(part, at->arena)));
        add(at, path, strbuf_str(&text));
        return;
    }
    size_t index = 0;
    for (const JsonNode *part = node->child; part && depth < CONFIG_DEPTH_MAX; part = part->next) {
        Str key = part->key.size ? part->key : str_printf(at->arena, "%zu", index);
        index++;
        take_tensors(at, part,
                     path.size
                         ? str_printf(at->arena, STR_FMT "." STR_FMT, STR_ARG(path), STR_ARG(key))
                         : key,
                     depth + 1);
    }
}

static void take_named_tensors(const PackReading *at, const JsonNode *root)
{
    take_tensors(at, root, STR(""), 0);
}

// {"torch.randn": {"/home/u/init.py:77": 12}} as "torch.randn init.py:77": folders differ between
// machines.
static void take_calls(const PackReading *at, const JsonNode *root)
{
    for (const JsonNode *function = root->child; function; function = function->next)
        for (const JsonNode *call = function->child; call; call = call->next)
            add(at,
                str_printf(at->arena, STR_FMT " " STR_FMT, STR_ARG(function->key),
                           STR_ARG(path_base(call->key))),
                value_text(call, at->arena));
}

static void read_json_part(PackReading at, const char *path,
                           void (*take)(const PackReading *, const JsonNode *))
{
    File file;
    Error err;
    JsonTree tree;
    at.file = path;
    if (!file_open(path, &file, &err)) {
        notices_add_error(at.notices, &err);
        return;
    }
    Str text = str_copy(at.arena, file.text);
    file_close(&file);
    if (tree_parse(text, at.arena, &tree))
        take(&at, tree.root);
    else
        notices_partial(at.notices, WHERE_FILE(path), "%s", tr("the JSON text is broken"));
}

// "name=version" or "name==version" a line.
static void read_pip(PackReading at, const char *path)
{
    File file;
    Error err;
    at.file = path;
    if (!file_open(path, &file, &err)) {
        notices_add_error(at.notices, &err);
        return;
    }
    Str rest = file.text, line;
    while (rest.size && str_split(&rest, '\n', &line)) {
        size_t equals = str_find_char(line, '=', 0);
        Str version = equals == SIZE_MAX ? STR("") : str_slice(line, equals + 1, line.size);
        if (str_starts(version, STR("=")))
            version = str_slice(version, 1, version.size);
        if (equals != SIZE_MAX)
            add(&at, str_trim(str_slice(line, 0, equals)), str_trim(version));
    }
    file_close(&file);
}

// STEP/RANK/FILE or RANK.json below a folder; the folders name the place.
static void read_parts(PackReading at, const char *folder, int levels,
                       void (*take)(const PackReading *, const JsonNode *))
{
    FolderList list;
    Error err;
    Str above = at.place;
    if (file_kind(folder) != FILE_FOLDER)
        return;
    if (!folder_list(folder, at.arena, &list, &err)) {
        notices_add_error(at.notices, &err);
        return;
    }
    for (size_t i = 0; i < list.count; i++) {
        Str name = list.items[i];
        const char *path = path_join(at.arena, folder, name);
        Str own = levels ? name : str_slice(name, 0, str_rfind_char(name, '.'));
        bool names_place = levels > 0 || above.size == 0;
        at.place = !names_place ? above
                   : above.size
                       ? str_printf(at.arena, STR_FMT ", " STR_FMT, STR_ARG(above), STR_ARG(own))
                       : own;
        if (levels > 0 && file_kind(path) == FILE_FOLDER)
            read_parts(at, path, levels - 1, take);
        else if (str_ends(name, STR(".json")))
            read_json_part(at, path, take);
        else
            notices_partial(at.notices, WHERE_FILE(path), "%s", tr(NO_PART_TEXT));
    }
}

static bool has_part(const char *folder, const char *name, FileKind kind, Arena *arena)
{
    return file_kind(path_join(arena, folder, str_of(name))) == kind;
}

static bool is_part(Str name)
{
    return STR_IN(name, "env", "pip", "hyperparameters", "weights", "dataset", "random");
}

// A zip may hold the folder that was packed.
static const char *root_of(const char *folder, Arena *arena)
{
    FolderList list;
    Error ignored;
    if (!folder_list(folder, arena, &list, &ignored) || list.count != 1)
        return folder;
    const char *below = path_join(arena, folder, list.items[0]);
    return !is_part(list.items[0]) && file_kind(below) == FILE_FOLDER ? below : folder;
}

// What else lies in the pack, but hidden files.
static void note_foreign(const PackReading *at, const char *root)
{
    FolderList list;
    Error ignored;
    for (size_t i = 0; folder_list(root, at->arena, &list, &ignored) && i < list.count; i++)
        if (!is_part(list.items[i]) && list.items[i].data[0] != '.')
            notices_partial(at->notices, WHERE_FILE(path_join(at->arena, root, list.items[i])),
                            "%s", tr(NO_PART_TEXT));
}

bool config_pack_is(const char *folder)
{
    Arena *arena = arena_new();
    const char *root = file_kind(folder) == FILE_FOLDER ? root_of(folder, arena) : folder;
    int own = has_part(root, "env", FILE_REGULAR, arena) +
              has_part(root, "pip", FILE_REGULAR, arena) +
              has_part(root, "hyperparameters", FILE_FOLDER, arena);
    int common = has_part(root, "weights", FILE_FOLDER, arena) +
                 has_part(root, "dataset", FILE_FOLDER, arena) +
                 has_part(root, "random", FILE_FOLDER, arena);
    arena_release(arena);
    return own + common > 1 && (own || common == 3);  // others have folders of such names, too
}

void config_pack_read(const char *folder, Arena *arena, Config *out, FolderList *settings,
                      Notices *notices)
{
    FolderList list;
    Error err;
    const char *root = root_of(folder, arena);
    PackReading at = {.arena = arena, .out = out, .notices = notices, .place = STR("")};
    note_foreign(&at, root);
    at.section = SECTION_ENVIRONMENT;
    if (has_part(root, "env", FILE_REGULAR, arena))
        read_json_part(at, path_join(arena, root, STR("env")), take_env);
    at.section = SECTION_PACKAGES;
    if (has_part(root, "pip", FILE_REGULAR, arena))
        read_pip(at, path_join(arena, root, STR("pip")));
    at.section = SECTION_DATASET;
    read_parts(at, path_join(arena, root, STR("dataset")), 2, take_named_tensors);
    at.section = SECTION_WEIGHTS;
    read_parts(at, path_join(arena, root, STR("weights")), 2, take_named_tensors);
    at.section = SECTION_RANDOM;
    read_parts(at, path_join(arena, root, STR("random")), 0, take_calls);
    *settings = (FolderList){0};
    const char *below = path_join(arena, root, STR("hyperparameters"));
    if (file_kind(below) == FILE_FOLDER && folder_list(below, arena, &list, &err))
        for (size_t i = 0; i < list.count; i++)  // what runs had comes before what scripts say
            *ARRAY_PUSH(arena, settings) = str_of(path_join(arena, below, list.items[i]));
}
