// SPDX-License-Identifier: Apache-2.0
#include "read/token/vocabulary.h"

#include "base/file.h"
#include "base/words.h"
#include "read/json/json_tree.h"

enum { IDS_MAX = 1 << 20 };

static bool keep(Vocabulary *out, Str token, int64_t id)
{
    if (id < 0 || id >= IDS_MAX)
        return false;
    out->tokens[id] = token;
    out->count = (size_t)id >= out->count ? (size_t)id + 1 : out->count;
    return true;
}

// {"the": 7, …}; false: a member is no id.
static bool take_object(const JsonNode *object, Vocabulary *out)
{
    bool good = object && object->kind == JSON_OBJECT;
    for (const JsonNode *at = good ? object->child : NULL; at && good; at = at->next) {
        int64_t id;
        good = at->kind == JSON_INTEGER && str_to_int64(at->text, &id) && keep(out, at->key, id);
    }
    return good;
}

// [{"id": 3, "content": "<s>"}, …]
static void take_added(const JsonNode *list, Vocabulary *out)
{
    for (const JsonNode *at = list ? list->child : NULL; at; at = at->next) {
        const JsonNode *id = tree_member(at, STR("id"));
        int64_t number;
        if (id && id->kind == JSON_INTEGER && str_to_int64(id->text, &number))
            keep(out, tree_member_text(at, "content"), number);
    }
}

static void take_lines(Str text, Vocabulary *out)
{
    Str line;
    for (int64_t id = 0; id < IDS_MAX && str_split(&text, '\n', &line); id++)
        keep(out, str_trim(line), id);
}

bool vocabulary_read(const char *path, Arena *arena, Vocabulary *out, Error *err)
{
    File file;
    JsonTree tree;
    if (!file_open(path, &file, err))
        return false;
    *out = (Vocabulary){.tokens = ARENA_ARRAY(arena, Str, IDS_MAX)};
    Str text = str_copy(arena, file.text);
    file_close(&file);
    bool json = str_starts(str_trim(text), STR("{")), good = true;
    if (json) {
        good = tree_parse(text, arena, &tree);
        const JsonNode *model = good ? tree_member(tree.root, STR("model")) : NULL;
        bool whole = model && model->kind == JSON_OBJECT;
        good = good && take_object(whole ? tree_member(model, STR("vocab")) : tree.root, out);
        if (good && whole)
            take_added(tree_member(tree.root, STR("added_tokens")), out);
    } else {
        take_lines(text, out);
    }
    return (good && out->count > 1) ||
           error_set(
               err, ERR_INPUT, WHERE_FILE(path), "%s",
               tr("is no vocabulary: expected vocab.json, tokenizer.json, or a token a line"));
}

Str vocabulary_token(const Vocabulary *vocabulary, int64_t id)
{
    bool known = id >= 0 && (uint64_t)id < vocabulary->count;
    return known ? vocabulary->tokens[id] : (Str){0};
}
