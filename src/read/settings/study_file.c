// SPDX-License-Identifier: Apache-2.0
#include "read/settings/study_file.h"

#include <math.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/settings/study_rungs.h"

typedef struct KnownKey {
    const char *key;
    StudyValueKind kind;
    bool needed;
} KnownKey;

enum { KEYS_MAX = 12 };

static const struct {
    const char *key;
    KnownKey keys[KEYS_MAX];
} sections[STAGE_COUNT] = {
    [STAGE_CONFIG] = {"config", {{"golden", STUDY_RUN, true}, {"target", STUDY_RUN, true}}},
    [STAGE_TOKENS] = {"tokens", {{"golden", STUDY_PATH, true}, {"target", STUDY_PATH, true}}},
    [STAGE_WEIGHTS] = {"weights", {{"golden", STUDY_PATH, true}, {"target", STUDY_PATH, true}}},
    [STAGE_STEP_ONE] = {"step1_loss",
                        {{"golden", STUDY_RUN, true},
                         {"target", STUDY_RUN, true},
                         {"absolute", STUDY_NUMBER, false},
                         {"percent", STUDY_NUMBER, false},
                         {"patterns", STUDY_PATHS, false}}},
    [STAGE_LOCAL_NORMS] = {"local_norms",
                           {{"golden", STUDY_RUN, true},
                            {"target", STUDY_RUN, true},
                            {"names", STUDY_PATH, false},
                            {"percent", STUDY_NUMBER, false},
                            {"patterns", STUDY_PATHS, false}}},
    [STAGE_STEP_TWO] = {"step2_loss",
                        {{"golden", STUDY_RUN, true},
                         {"target", STUDY_RUN, true},
                         {"absolute", STUDY_NUMBER, false},
                         {"percent", STUDY_NUMBER, false},
                         {"patterns", STUDY_PATHS, false}}},
    [STAGE_RATE_ZERO] = {"lr0",
                         {{"golden", STUDY_RUN, true},
                          {"target", STUDY_RUN, true},
                          {"loss", STUDY_NUMBER, false},
                          {"grad_norm", STUDY_NUMBER, false},
                          {"patterns", STUDY_PATHS, false}}},
    [STAGE_LONG_RUN] = {"long_run",
                        {{"golden", STUDY_RUN, true},
                         {"target", STUDY_RUN, true},
                         {"before", STUDY_RUN, false},
                         {"golden_weights", STUDY_PATH, false},
                         {"target_weights", STUDY_PATH, false},
                         {"absolute", STUDY_NUMBER, false},
                         {"percent", STUDY_NUMBER, false},
                         {"patterns", STUDY_PATHS, false}}},
    [STAGE_NOISE] = {"noise",
                     {{"golden", STUDY_RUN, true},
                      {"target", STUDY_RUN, true},
                      {"runs", STUDY_PATHS, true},
                      {"patterns", STUDY_PATHS, false}}},
    [STAGE_SCENARIOS] = {"scenarios", {{NULL, STUDY_PATH, false}}},
    [STAGE_DUMPS] = {"dumps",
                     {{"golden", STUDY_PATH, true},
                      {"target", STUDY_PATH, true},
                      {"noise", STUDY_PATHS, false},
                      {"step", STUDY_TEXT, false},
                      {"rank", STUDY_TEXT, false},
                      {"criteria", STUDY_PATH, false},
                      {"layer_mapping", STUDY_PATH, false},
                      {"cell_mapping", STUDY_PATH, false},
                      {"data_mapping", STUDY_PATH, false}}},
    [STAGE_CHECK] = {"check",
                     {{"target", STUDY_PATHS, true},
                      {"step", STUDY_TEXT, false},
                      {"rank", STUDY_TEXT, false},
                      {"layout", STUDY_TEXT, false},
                      {"skip", STUDY_TEXTS, false},
                      {"expect", STUDY_TEXTS, false},
                      {"tolerance", STUDY_NUMBER, false},
                      {"rate", STUDY_NUMBER, false}}},
    [STAGE_MONITOR] = {"monitor", {{"target", STUDY_PATH, true}, {"golden", STUDY_PATH, false}}},
    [STAGE_SKIP] = {"skip",
                    {{"target", STUDY_RUN, true},
                     {"threshold", STUDY_NUMBER, false},
                     {"count", STUDY_NUMBER, false},
                     {"patterns", STUDY_PATHS, false}}},
    [STAGE_HEALTH] = {"health",
                      {{"target", STUDY_PATH, true},
                       {"logs", STUDY_PATHS, false},
                       {"threshold", STUDY_NUMBER, false},
                       {"patterns", STUDY_PATHS, false}}},
    [STAGE_EVALUATION] = {"evaluation",
                          {{"golden", STUDY_PATH, true}, {"target", STUDY_PATH, true}}},
};

const char *study_stage_key(StudyStage stage)
{
    return sections[stage].key;
}

typedef struct Reader {
    const char *path;
    Arena *arena;
    StudyPlan *plan;
    Notices *notices;
    Error *err;
} Reader;

static bool wrong(const Reader *reader, const YamlNode *node, const char *text)
{
    return error_set(reader->err, ERR_INPUT, WHERE_LINE(reader->path, node ? node->line : 1), "%s",
                     text);
}

static bool unknown(const Reader *reader, const YamlNode *node, Str known)
{
    return error_set(reader->err, ERR_INPUT, WHERE_LINE(reader->path, node->line),
                     tr("'%.*s' is not known here; known are: %s"),
                     (int)(node->key.size < 60 ? node->key.size : 60), node->key.data,
                     str_cstr(reader->arena, known));
}

static Str resolve(const Reader *reader, Str path)
{
    return study_resolve(reader->plan, path, reader->arena);
}

static bool is_path(StudyValueKind kind)
{
    return kind == STUDY_PATH || kind == STUDY_RUN || kind == STUDY_PATHS;
}

static bool read_item(const Reader *reader, const YamlNode *node, StudyValue *out)
{
    double number;
    if (node->kind != YAML_IS_TEXT || node->text.size == 0 ||
        str_find_char(node->text, '\0', 0) != SIZE_MAX)
        return wrong(reader, node,
                     is_path(out->kind) ? tr("expected a path") : tr("expected a text"));
    if (out->kind == STUDY_NUMBER &&
        (!yaml_number(node, &number) || !(number >= 0 && isfinite(number))))
        return wrong(reader, node, tr("expected a number that is not negative"));
    out->items[out->count++] = is_path(out->kind) ? resolve(reader, node->text) : node->text;
    return true;
}

static bool read_value(const Reader *reader, const YamlNode *node, StudyValue *out)
{
    bool many = out->kind == STUDY_RUN || out->kind == STUDY_PATHS || out->kind == STUDY_TEXTS;
    out->items = ARENA_ARRAY(reader->arena, Str, node->count + 1);
    if (node->kind != YAML_IS_LIST)
        return read_item(reader, node, out);
    if (!many)
        return wrong(reader, node, tr("expected one value, found a list"));
    if (node->count == 0)
        return wrong(reader, node,
                     is_path(out->kind) ? tr("expected a path") : tr("expected a text"));
    for (const YamlNode *at = node->first; at; at = at->next)
        if (!read_item(reader, at, out))
            return false;
    return true;
}

static const KnownKey *known_key(StudyStage stage, Str key)
{
    for (const KnownKey *at = sections[stage].keys; at->key; at++)
        if (str_equal(key, str_of(at->key)))
            return at;
    return NULL;
}

static Str known_keys(StudyStage stage, Arena *arena)
{
    StrBuf list = strbuf_new(arena);
    for (const KnownKey *at = sections[stage].keys; at->key; at++)
        strbuf_printf(&list, "%s, ", at->key);
    strbuf_add(&list, STR("note"));
    return strbuf_str(&list);
}

// Markdown as it stands, or the file that a single line with the suffix .md names.
static bool read_prose(const Reader *reader, const YamlNode *node, Str *out)
{
    File file;
    Error err;
    if (yaml_is_null(node))
        return true;
    if (node->kind != YAML_IS_TEXT)
        return wrong(reader, node, tr("expected Markdown, or the path of a .md file"));
    *out = node->text;
    if (!str_ends(node->text, STR(".md")) || str_find_char(node->text, '\n', 0) != SIZE_MAX)
        return true;
    *out = STR("");
    const char *path = str_cstr(reader->arena, resolve(reader, node->text));
    if (!file_open(path, &file, &err)) {
        notices_add_error(reader->notices, &err);
        return true;
    }
    *out = str_copy(reader->arena, file.text);
    file_close(&file);
    return true;
}

static bool read_section(const Reader *reader, const YamlNode *node, StudyStage stage)
{
    StudySection *section = &reader->plan->sections[stage];
    section->line = node->line;
    if (yaml_is_null(node))
        return true;
    if (node->kind != YAML_IS_MAP)
        return wrong(reader, node, tr("expected an object such as 'golden: path'"));
    for (const YamlNode *at = node->first; at; at = at->next) {
        if (str_equal(at->key, STR("note"))) {
            if (!read_prose(reader, at, &section->note))
                return false;
            continue;
        }
        const KnownKey *known = known_key(stage, at->key);
        if (!known)
            return unknown(reader, at, known_keys(stage, reader->arena));
        if (yaml_is_null(at))
            continue;
        StudyValue *value = ARRAY_PUSH(reader->arena, section);
        *value = (StudyValue){.key = at->key, .kind = known->kind, .line = at->line};
        if (!read_value(reader, at, value))
            return false;
        section->given = true;
    }
    return true;
}

// Names of runs are in pictures and in NAME=PATH, so these letters cannot be part of one.
static bool read_name(const Reader *reader, const YamlNode *node, Str *out)
{
    bool good = node->kind == YAML_IS_TEXT && node->text.size > 0 && node->text.size <= 60;
    for (size_t i = 0; good && i < node->text.size; i++) {
        unsigned char c = (unsigned char)node->text.data[i];
        good = c != '=' && c != '/' && c != ',' && c >= ' ';
    }
    *out = node->text;
    return good || wrong(reader, node,
                         tr("expected a name of at most 60 bytes without '=', '/' "
                            "and ','"));
}

static bool read_names(const Reader *reader, const YamlNode *node)
{
    if (node->kind != YAML_IS_MAP)
        return wrong(reader, node, tr("expected an object such as 'golden: GPU'"));
    for (const YamlNode *at = node->first; at; at = at->next) {
        bool golden = str_equal(at->key, STR("golden"));
        if (!golden && !str_equal(at->key, STR("target")))
            return unknown(reader, at, STR("golden, target"));
        if (!read_name(reader, at, &reader->plan->names[golden ? 0 : 1]))
            return false;
    }
    return true;
}

static Str known_sections(Arena *arena)
{
    StrBuf list = strbuf_new(arena);
    strbuf_add(&list, STR("title, names, text"));
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        strbuf_printf(&list, ", %s", sections[stage].key);
    return strbuf_str(&list);
}

static bool read_top(const Reader *reader, const YamlNode *at)
{
    if (str_equal(at->key, STR("title"))) {
        reader->plan->title = at->kind == YAML_IS_TEXT ? at->text : (Str){"", 0};
        return at->kind == YAML_IS_TEXT || wrong(reader, at, tr("expected a text"));
    }
    if (str_equal(at->key, STR("names")))
        return read_names(reader, at);
    if (str_equal(at->key, STR("text")))
        return read_prose(reader, at, &reader->plan->text);
    if (str_equal(at->key, str_of(sections[STAGE_SCENARIOS].key)))
        return study_rungs_of_list(reader->path, at, reader->arena, reader->plan, reader->err);
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        if (str_equal(at->key, str_of(sections[stage].key)))
            return read_section(reader, at, (StudyStage)stage);
    return unknown(reader, at, known_sections(reader->arena));
}

bool study_read(const char *path, Arena *arena, StudyPlan *out, Notices *notices, Error *err)
{
    YamlNode *root;
    *out = (StudyPlan){.path = path, .names = {STR("golden"), STR("target")}};
    out->folder = str_cstr(arena, path_folder(str_of(path)));
    Reader reader = {path, arena, out, notices, err};
    if (str_ends(str_of(path), STR(".csv")) || str_ends(str_of(path), STR(".xlsx")))
        return study_rungs_of_table(path, arena, out, notices, err);
    if (!yaml_read(path, arena, &root, notices, err))
        return false;
    if (!root || root->kind != YAML_IS_MAP)
        return wrong(&reader, root, tr("expected an object with a section for each stage"));
    for (const YamlNode *at = root->first; at; at = at->next)
        if (!read_top(&reader, at))
            return false;
    return true;
}

const StudyValue *study_value(const StudySection *section, const char *key)
{
    for (size_t i = 0; i < section->count; i++)
        if (str_equal(section->items[i].key, str_of(key)))
            return &section->items[i];
    return NULL;
}

bool study_section_complete(const StudySection *section, StudyStage stage)
{
    for (const KnownKey *at = sections[stage].keys; at->key; at++)
        if (at->needed && !study_value(section, at->key))
            return false;
    return section->given;
}
