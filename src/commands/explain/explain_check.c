// SPDX-License-Identifier: Apache-2.0
// Whether the keys that the sentences are made of are what docs/schema says of them.
#include "base/words.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_values.h"

typedef struct Checked {
    const char *file;
    Error *err;
} Checked;

static bool refuse(const Checked *checked, const char *key, JsonKind kind)
{
    return error_set(checked->err, ERR_INPUT, WHERE_FILE(checked->file),
                     kind == JSON_STRING ? tr("not a valid summary: '%s' is no text")
                     : kind == JSON_BOOL ? tr("not a valid summary: '%s' is neither true nor false")
                     : kind == JSON_LIST ? tr("not a valid summary: '%s' is no list")
                                         : tr("not a valid summary: '%s' is no object"),
                     key);
}

// What is not there, or null, says nothing.
static bool is(const Checked *checked, const JsonNode *node, const char *key, JsonKind kind)
{
    const JsonNode *value = value_at(node, key);
    return !value || value->kind == JSON_NULL || value->kind == kind || refuse(checked, key, kind);
}

static bool is_list_of_objects(const Checked *checked, const JsonNode *node, const char *key)
{
    const JsonNode *list = value_at(node, key);
    if (!is(checked, node, key, JSON_LIST))
        return false;
    for (const JsonNode *item = list ? list->child : NULL; item; item = item->next)
        if (item->kind != JSON_OBJECT)
            return error_set(checked->err, ERR_INPUT, WHERE_FILE(checked->file),
                             tr("not a valid summary: '%s' holds what is no object"), key);
    return true;
}

static bool listings_fit(const Checked *checked, const JsonNode *root, const ExplainPart *part)
{
    for (size_t i = 0; i < part->listing_count; i++)
        if (!is_list_of_objects(checked, root, part->listings[i].list))
            return false;
    return true;
}

static bool pair_fits(const Checked *checked, const JsonNode *pair)
{
    return is(checked, pair, "first_divergence", JSON_OBJECT) &&
           is(checked, pair, "first_divergence.kind", JSON_STRING) &&
           is(checked, pair, "first_divergence.target", JSON_STRING) &&
           is(checked, pair, "first_divergence.golden", JSON_STRING) &&
           is(checked, pair, "first_divergence.observations", JSON_LIST) &&
           is(checked, pair, "coverage", JSON_OBJECT) &&
           is_list_of_objects(checked, pair, "coverage.not_recorded");
}

static bool pairs_fit(const Checked *checked, const JsonNode *root)
{
    const JsonNode *pairs = value_at(root, "pairs");
    Str status = value_text(root, "status");
    for (const JsonNode *pair = pairs ? pairs->child : NULL; pair; pair = pair->next)
        if (!pair_fits(checked, pair))
            return false;
    if (status.size && !str_equal(status, STR("no data")) && (!pairs || !pairs->child))
        return error_set(checked->err, ERR_INPUT, WHERE_FILE(checked->file),
                         tr("not a valid summary: its status is '" STR_FMT "', and 'pairs' is "
                            "empty"),
                         STR_ARG(str_slice(status, 0, 60)));
    return true;
}

bool explain_check(const Explain *explain, const char *file, Error *err)
{
    Checked checked = {file, err};
    const ExplainKind *kind = explain->kind;
    const JsonNode *root = explain->root;
    return is(&checked, root, "verdict", JSON_STRING) &&
           is(&checked, root, "status", JSON_STRING) && is(&checked, root, "partial", JSON_BOOL) &&
           is_list_of_objects(&checked, root, "problems") &&
           is_list_of_objects(&checked, root, "pairs") &&
           is_list_of_objects(&checked, root, "commands") &&
           is_list_of_objects(&checked, root, "stages") &&
           listings_fit(&checked, root, &kind->why) &&
           listings_fit(&checked, root, &kind->compared) &&
           (kind->say_why != explain_compare_why || pairs_fit(&checked, root));
}
