// SPDX-License-Identifier: Apache-2.0
#include "read/settings/study_file.h"

#include <math.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/known_rows.h"
#include "read/settings/study_rungs.h"

static const char *const stage_keys[STAGE_COUNT] = {[STAGE_CONFIG] = "config",
                                                    [STAGE_TOKENS] = "tokens",
                                                    [STAGE_WEIGHTS] = "weights",
                                                    [STAGE_STEP_ONE] = "step1_loss",
                                                    [STAGE_LOCAL_NORMS] = "local_norms",
                                                    [STAGE_STEP_TWO] = "step2_loss",
                                                    [STAGE_RATE_ZERO] = "lr0",
                                                    [STAGE_LONG_RUN] = "long_run",
                                                    [STAGE_NOISE] = "noise",
                                                    [STAGE_SCENARIOS] = "scenarios",
                                                    [STAGE_DTYPES] = "dtypes",
                                                    [STAGE_DUMPS] = "dumps",
                                                    [STAGE_CHECK] = "check",
                                                    [STAGE_MONITOR] = "monitor",
                                                    [STAGE_SKIP] = "skip",
                                                    [STAGE_HEALTH] = "health",
                                                    [STAGE_EVALUATION] = "evaluation"};

typedef struct KnownKey {
    Str key;
    StudyValueKind kind;
    bool needed;
} KnownKey;

typedef struct KnownKeys {
    KnownKey *items;
    size_t count, capacity;
} KnownKeys;

// The settings of a stage by templates/study.table, in their order.
static KnownKeys known_keys(StudyStage stage, Arena *arena)
{
    static const char *const kinds[] = {"path", "run", "paths", "text", "texts", "number"};
    KnownRows rows = known_rows("study.table");
    KnownKeys out = {0};
    Str word, text;
    bool own = false;
    while (known_rows_next(&rows, &word, &text)) {
        Str name = str_slice(word, 0, str_find_char(word, '?', 0));
        if (str_equal(word, STR("stage")))
            own = str_equal(text, str_of(stage_keys[stage]));
        for (size_t kind = 0; own && kind < sizeof kinds / sizeof *kinds; kind++)
            while (str_equal(name, str_of(kinds[kind])) && text.size)
                *ARRAY_PUSH(arena, &out) =
                    (KnownKey){known_word(&text), (StudyValueKind)kind, name.size == word.size};
    }
    return out;
}

const char *study_stage_key(StudyStage stage)
{
    return stage_keys[stage];
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

static const KnownKey *find_key(const KnownKeys *keys, Str key)
{
    for (size_t i = 0; i < keys->count; i++)
        if (str_equal(keys->items[i].key, key))
            return &keys->items[i];
    return NULL;
}

static Str list_keys(const KnownKeys *keys, Arena *arena)
{
    StrBuf list = strbuf_new(arena);
    for (size_t i = 0; i < keys->count; i++)
        strbuf_printf(&list, STR_FMT ", ", STR_ARG(keys->items[i].key));
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
    KnownKeys keys = known_keys(stage, reader->arena);
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
        const KnownKey *known = find_key(&keys, at->key);
        if (!known)
            return unknown(reader, at, list_keys(&keys, reader->arena));
        if (yaml_is_null(at))
            continue;
        StudyValue *value = ARRAY_PUSH(reader->arena, section);
        *value = (StudyValue){.key = at->key, .kind = known->kind, .line = at->line};
        if (!read_value(reader, at, value))
            return false;
        section->given = true;
    }
    section->complete = section->given;
    for (size_t i = 0; i < keys.count; i++)
        if (keys.items[i].needed &&
            !study_value(section, str_cstr(reader->arena, keys.items[i].key)))
            section->complete = false;
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
        strbuf_printf(&list, ", %s", stage_keys[stage]);
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
    if (str_equal(at->key, str_of(stage_keys[STAGE_SCENARIOS])))
        return study_rungs_of_list(reader->path, at, reader->arena, reader->plan, reader->err);
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        if (str_equal(at->key, str_of(stage_keys[stage])))
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
