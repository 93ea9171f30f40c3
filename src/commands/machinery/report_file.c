// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/report_file.h"

#include "base/file.h"
#include "base/words.h"

const JsonNode *report_file_read(const char *path, Arena *arena, Error *err)
{
    File file;
    JsonTree tree;
    if (file_kind(path) == FILE_FOLDER)
        path = path_join(arena, path, STR("summary.json"));
    if (!file_open(path, &file, err))
        return NULL;
    bool good = tree_parse(str_copy(arena, file.text), arena, &tree);
    file_close(&file);
    if (good)
        return tree.root;
    error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("this is not JSON"));
    return NULL;
}

Str report_text_of(const JsonNode *node, const char *key, Arena *arena)
{
    const JsonNode *value = tree_member(node, str_of(key));
    StrBuf text = strbuf_new(arena);
    if (value && value->kind != JSON_NULL)
        tree_python(value, &text);
    return strbuf_str(&text);
}

const JsonNode *report_pairs(const JsonNode *root)
{
    const JsonNode *pairs = tree_member(root, STR("pairs"));
    return pairs && pairs->kind == JSON_LIST ? pairs : NULL;
}

Str report_pair_place(const JsonNode *pair, Arena *arena)
{
    Str step = report_text_of(pair, "step", arena), stage = report_text_of(pair, "stage", arena);
    Str rank = report_text_of(pair, "rank", arena);
    return str_printf(arena, tr("step " STR_FMT "%s" STR_FMT ", rank " STR_FMT), STR_ARG(step),
                      stage.size ? " " : "", STR_ARG(stage), STR_ARG(rank));
}

Str report_first_op(const JsonNode *pair)
{
    const JsonNode *first = tree_member(pair, STR("first_divergence"));
    if (!first)
        return STR("");
    Str op = tree_member_text(first, "target");
    return op.size ? op : tree_member_text(first, "golden");
}

ReportState report_state(const JsonNode *node)
{
    static const char *const words[] = {"same", "pass", "warning", "unmatched", "error"};
    Str status = tree_member_text(node, "status");
    int at = 0;
    while (at < REPORT_UNKNOWN && !str_equal(status, str_of(words[at])))
        at++;
    return (ReportState)at;
}
