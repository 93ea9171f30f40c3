// SPDX-License-Identifier: Apache-2.0
#include "read/settings/config_file.h"

#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/json/json_tree.h"
#include "read/settings/config_pack.h"

// ---- JSON

typedef struct JsonPlace {
    const JsonNode *node;
    Str path;
    int depth;
} JsonPlace;
typedef struct JsonPlaces {
    JsonPlace *items;
    size_t count, capacity;
} JsonPlaces;

static Str join_path(Arena *arena, Str parent, Str key)
{
    if (parent.size == 0)
        return str_copy(arena, key);
    return str_printf(arena, STR_FMT "." STR_FMT, STR_ARG(parent), STR_ARG(key));
}

static void add_json_value(Config *out, Arena *arena, const char *path, JsonPlace at)
{
    StrBuf text = strbuf_new(arena);
    tree_python(at.node, &text);
    config_add(out, arena, (ConfigItem){.path = at.path, .value = strbuf_str(&text), .file = path});
}

// Children are pushed in reverse, so that they are taken in order.
static void push_children(JsonPlaces *pending, Arena *arena, JsonPlace at)
{
    size_t count = tree_count(at.node), index = 0;
    for (size_t i = 0; i < count; i++)
        ARRAY_PUSH(arena, pending);
    bool list = at.node->kind == JSON_LIST;
    for (const JsonNode *child = at.node->child; child; child = child->next, index++) {
        Str path = list ? str_printf(arena, STR_FMT "[%zu]", STR_ARG(at.path), index)
                        : join_path(arena, at.path, child->key);
        pending->items[pending->count - 1 - index] = (JsonPlace){child, path, at.depth + 1};
    }
}

static bool read_json(const char *path, Str text, Arena *arena, Config *out, Error *err)
{
    JsonTree tree;
    bool good = tree_parse(text, arena, &tree);
    if (!good)
        error_set(err, ERR_INPUT, WHERE_FILE(path), tr("the JSON text is broken"));
    JsonPlaces pending = {0};
    if (good)
        *ARRAY_PUSH(arena, &pending) = (JsonPlace){tree.root, STR(""), 0};
    while (pending.count && out->count < CONFIG_ITEMS_MAX) {
        JsonPlace at = pending.items[--pending.count];
        JsonKind kind = at.node->kind;
        if (kind != JSON_OBJECT)
            add_json_value(out, arena, path, at);
        if ((kind == JSON_OBJECT || kind == JSON_LIST) && at.node->child &&
            config_enters(out, at.path, at.depth))
            push_children(&pending, arena, at);
    }
    return good;
}

static bool is_key_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// ---- which format

enum { LOOK_LINES = 20000 };

static bool line_has_option(Str line)
{
    for (size_t at = str_find(line, STR("--"), 0); at != SIZE_MAX;
         at = str_find(line, STR("--"), at + 2)) {
        bool starts = at == 0 || line.data[at - 1] == ' ' || line.data[at - 1] == '\t' ||
                      line.data[at - 1] == '"' || line.data[at - 1] == '\'' ||
                      line.data[at - 1] == '(';
        if (starts && at + 2 < line.size && is_key_char(line.data[at + 2]))
            return true;
    }
    return false;
}

// "[train]" or "[[groups]]" alone on the line, the head of a table: a list of JSON has none of
// its words without quotes.
static bool is_table_head(Str line)
{
    line = str_trim(str_slice(line, 0, str_find_char(line, '#', 0)));
    while (line.size > 2 && line.data[0] == '[' && line.data[line.size - 1] == ']')
        line = str_trim(str_slice(line, 1, line.size - 1));
    if (STR_ANY(line, str_equal_nocase, "true", "false", "null", "nan", "infinity"))
        return false;
    for (size_t i = 0; i < line.size; i++)
        if (!is_key_char((char)(line.data[i] | 0x20)) && !strchr("_.- ", line.data[i]))
            return false;
    return line.size && (line.data[0] | 0x20) >= 'a' && (line.data[0] | 0x20) <= 'z';
}

// "[rank0]: text", which a launcher puts in front of a line, is no list.
static bool is_line_mark(Str text)
{
    Str line = str_slice(text, 0, str_find_char(text, '\n', 0));
    size_t close = str_find_char(line, ']', 0);
    Str behind = str_trim(str_slice(line, close == SIZE_MAX ? line.size : close + 1, line.size));
    return behind.size && behind.data[0] != ',' && behind.data[0] != ']';
}

static ConfigFormat find_format(const char *path, Str text)
{
    Str suffix = path_suffix(str_of(path));
    if (str_equal(suffix, STR(".toml")))
        return CONFIG_TOML;
    if (STR_IN(suffix, ".sh", ".bash"))
        return CONFIG_SHELL;
    Str start = str_trim(text), head = start, first = {"", 0};
    if (start.size && start.data[0] == '[' && str_split(&head, '\n', &first) &&
        is_table_head(first))
        return CONFIG_TOML;
    if (start.size && (start.data[0] == '{' || (start.data[0] == '[' && !is_line_mark(start))))
        return CONFIG_JSON;
    if (str_starts(start, STR("#!")))
        return CONFIG_SHELL;
    bool options = false;
    Str rest = text, line;
    for (size_t n = 0; n < LOOK_LINES && rest.size && str_split(&rest, '\n', &line); n++) {
        Str trimmed = str_trim(line);
        options = options || str_starts(trimmed, STR("python")) ||
                  (trimmed.size && trimmed.data[0] != '#' && line_has_option(line));
    }
    if (config_log_settings(text))
        return CONFIG_LOG;
    return options ? CONFIG_SHELL : CONFIG_YAML;
}

static void note_left_out(const char *path, const Config *out, uint64_t left_out, uint64_t repeated,
                          Notices *notices)
{
    left_out = out->left_out - left_out;
    if (left_out)
        notices_partial(notices, WHERE_FILE(path),
                        tr_count(left_out,
                                 "%llu group of settings is deeper than 64 levels or below a path "
                                 "of more than 1024 bytes; it is left out",
                                 "%llu groups of settings are deeper than 64 levels or below paths "
                                 "of more than 1024 bytes; they are left out"),
                        (unsigned long long)left_out);
    if (out->repeated > repeated)
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("its aliases ('*name') repeat so much text that not all of its settings "
                           "are read"));
}

static bool read_pack(const char *path, Arena *arena, Config *out, Notices *notices, Error *err)
{
    FolderList settings;
    size_t before = out->count;
    config_pack_read(path, arena, out, &settings, notices);
    for (size_t i = 0; i < settings.count; i++)
        if (file_kind(settings.items[i].data) == FILE_REGULAR &&
            !config_read(settings.items[i].data, arena, out, notices, err))
            notices_add_error(notices, err);
    return out->count > before ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), tr("no setting found in this file"));
}

bool config_read(const char *path, Arena *arena, Config *out, Notices *notices, Error *err)
{
    File file;
    if (config_pack_is(path))
        return read_pack(path, arena, out, notices, err);
    if (file_kind(path) == FILE_FOLDER)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("this is a folder: name the file of the settings in it"));
    if (!file_open(path, &file, err))
        return false;
    Str text = file.text;
    size_t before = out->count;
    uint64_t left_out = out->left_out, repeated = out->repeated;
    bool good = true;
    out->format = find_format(path, text);
    switch (out->format) {
    case CONFIG_JSON:
        good = read_json(path, text, arena, out, err);
        break;
    case CONFIG_YAML:
        good = config_read_yaml(path, text, arena, out, err);
        break;
    case CONFIG_TOML:
        config_read_toml(path, text, arena, out);
        break;
    case CONFIG_SHELL:
        config_read_shell(path, text, arena, out, notices);
        break;
    case CONFIG_LOG:
        config_read_log(path, text, arena, out);
        break;
    }
    file_close(&file);
    note_left_out(path, out, left_out, repeated, notices);
    if (good && out->count == before) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), tr("no setting found in this file"));
        return error_hint(
            err, tr("expected YAML, JSON, TOML, a script with --key value or a.key=value, or "
                    "a log that prints its arguments"));
    }
    if (out->count >= CONFIG_ITEMS_MAX)
        notices_partial(notices, WHERE_FILE(path),
                        tr("more than %d settings; the rest is left "
                           "out"),
                        CONFIG_ITEMS_MAX);
    return good;
}
