// SPDX-License-Identifier: Apache-2.0
#include "read/settings/criteria_file.h"

#include <math.h>

#include "base/array.h"
#include "base/words.h"
#include "read/settings/yaml_tree.h"

static const char *const metric_texts[CRITERIA_METRICS] = {
    [CRITERIA_NORM] = "norm", [CRITERIA_MAX] = "max",     [CRITERIA_MIN] = "min",
    [CRITERIA_MEAN] = "mean", [CRITERIA_VALUE] = "value", [CRITERIA_ELEMENTS] = "elements"};

static bool wrong(const char *path, const YamlNode *node, const char *text, Error *err)
{
    return error_set(err, ERR_INPUT, WHERE_LINE(path, node ? node->line : 1), "%s", text);
}

static bool unknown_key(const char *path, const YamlNode *node, const char *known, Error *err)
{
    return error_set(err, ERR_INPUT, WHERE_LINE(path, node->line),
                     tr("'%.*s' is not known here; known are: %s"),
                     (int)(node->key.size < 60 ? node->key.size : 60), node->key.data, known);
}

static bool read_bound(const char *path, const YamlNode *node, double *out, Error *err)
{
    if (!yaml_number(node, out) || isnan(*out) || *out < 0)
        return wrong(path, node, tr("expected a number that is not negative"), err);
    if (isinf(*out)) {
        wrong(path, node, tr("expected a finite number"), err);
        return error_hint(err, "%s", tr("'ignore: true' of a rule leaves slots out"));
    }
    return true;
}

// 1e-3, or {pass: 1e-3, warning: 1e-2, absolute: 1e-6}; without `warning` everything above is an
// error.
static bool read_limit(const char *path, const YamlNode *node, CriteriaLimit *out, Error *err)
{
    out->set = true;
    if (node->kind == YAML_IS_TEXT) {
        if (!read_bound(path, node, &out->pass, err))
            return false;
        out->warning = out->pass;
        return true;
    }
    const YamlNode *pass = yaml_find(node, STR("pass")), *warning = yaml_find(node, STR("warning"));
    const YamlNode *absolute = yaml_find(node, STR("absolute"));
    if (node->kind != YAML_IS_MAP || (!pass && !absolute))
        return wrong(path, node,
                     tr("expected a number or {pass: number, warning: number, absolute: number}"),
                     err);
    for (const YamlNode *at = node->first; at; at = at->next)
        if (at != pass && at != warning && at != absolute)
            return unknown_key(path, at, "pass, warning, absolute", err);
    if ((pass && !read_bound(path, pass, &out->pass, err)) ||
        (absolute && !read_bound(path, absolute, &out->absolute, err)))
        return false;
    out->warning = out->pass;
    if (warning && !read_bound(path, warning, &out->warning, err))
        return false;
    if (out->warning < out->pass)
        return wrong(path, warning, tr("'warning' is smaller than 'pass'"), err);
    return true;
}

static bool read_limits(const char *path, const YamlNode *map, CriteriaRule *out, Error *err)
{
    if (map->kind != YAML_IS_MAP)
        return wrong(path, map, tr("expected an object 'metric: limit'"), err);
    for (const YamlNode *at = map->first; at; at = at->next) {
        int metric = 0;
        while (metric < CRITERIA_METRICS && !str_equal(at->key, str_of(metric_texts[metric])))
            metric++;
        if (metric == CRITERIA_METRICS)
            return unknown_key(path, at, "norm, max, min, mean, value, elements", err);
        if (!read_limit(path, at, &out->limits[metric], err))
            return false;
    }
    return true;
}

// A pattern, or a list of patterns: "a|b".
static bool read_patterns(const char *path, const YamlNode *node, Arena *arena, Str *out,
                          Error *err)
{
    StrBuf joined = strbuf_new(arena);
    const YamlNode *first = node->kind == YAML_IS_LIST ? node->first : node;
    for (const YamlNode *at = first; at; at = node->kind == YAML_IS_LIST ? at->next : NULL) {
        if (at->kind != YAML_IS_TEXT || at->text.size == 0)
            return wrong(path, at, tr("expected a pattern, such as \"Functional.linear.*\""), err);
        if (joined.size)
            strbuf_add_char(&joined, '|');
        strbuf_add(&joined, at->text);
    }
    *out = strbuf_str(&joined);
    return out->size > 0 || wrong(path, node, tr("the list of patterns is empty"), err);
}

static bool read_rule_key(const char *path, const YamlNode *at, Arena *arena, CriteriaRule *out,
                          Error *err)
{
    if (str_equal(at->key, STR("ops")))
        return read_patterns(path, at, arena, &out->ops, err);
    if (str_equal(at->key, STR("slots")))
        return read_patterns(path, at, arena, &out->slots, err);
    if (str_equal(at->key, STR("dtypes")))
        return read_patterns(path, at, arena, &out->dtypes, err);
    if (str_equal(at->key, STR("limits")))
        return read_limits(path, at, out, err);
    if (str_equal(at->key, STR("ignore"))) {
        out->sets_ignore = true;
        return yaml_bool(at, &out->ignore) || wrong(path, at, tr("expected true or false"), err);
    }
    if (str_equal(at->key, STR("reason"))) {
        out->reason = at->kind == YAML_IS_TEXT ? at->text : (Str){"", 0};
        return at->kind == YAML_IS_TEXT || wrong(path, at, tr("expected a text"), err);
    }
    return unknown_key(path, at, "ops, slots, dtypes, limits, ignore, reason", err);
}

static bool read_rule(const char *path, const YamlNode *node, Arena *arena, Criteria *out,
                      Error *err)
{
    CriteriaRule rule = {.line = node->line};
    bool limits = yaml_find(node, STR("limits")), ignore = yaml_find(node, STR("ignore"));
    if (node->kind != YAML_IS_MAP || !(limits || ignore))
        return wrong(path, node, tr("expected a rule with 'limits' or 'ignore'"), err);
    for (const YamlNode *at = node->first; at; at = at->next)
        if (!read_rule_key(path, at, arena, &rule, err))
            return false;
    if (rule.ignore && !rule.ops.size && !rule.slots.size && !rule.dtypes.size)
        return wrong(path, node, tr("a rule that ignores everything leaves nothing to compare"),
                     err);
    *ARRAY_PUSH(arena, out) = rule;
    return true;
}

static bool read_defaults(const char *path, const YamlNode *node, Arena *arena, Criteria *out,
                          Error *err)
{
    CriteriaRule rule = {.line = node->line};
    if (!read_limits(path, node, &rule, err))
        return false;
    *ARRAY_PUSH(arena, out) = rule;
    return true;
}

// "first" or "last" of the rules that fit counts.
static bool read_order(const char *path, const YamlNode *node, Criteria *out, size_t defaults,
                       Error *err)
{
    if (!node || (node->kind == YAML_IS_TEXT && str_equal(node->text, STR("last"))))
        return true;
    if (node->kind != YAML_IS_TEXT || !str_equal(node->text, STR("first")))
        return wrong(path, node, tr("expected first or last"), err);
    for (size_t from = defaults, to = out->count; from + 1 < to; from++, to--) {
        CriteriaRule rule = out->items[from];
        out->items[from] = out->items[to - 1];
        out->items[to - 1] = rule;
    }
    return true;
}

// With `unmatched: fail` what no rule fits has to be equal.
static bool read_unmatched(const char *path, const YamlNode *node, Arena *arena, Criteria *out,
                           Error *err)
{
    if (!node)
        return true;
    if (node->kind != YAML_IS_TEXT || !str_equal(node->text, STR("fail")))
        return wrong(path, node, tr("expected fail"), err);
    CriteriaRule rule = {.line = node->line,
                         .reason = str_of(tr("no rule fits: it has to be equal"))};
    for (int metric = 0; metric < CRITERIA_METRICS; metric++)
        rule.limits[metric].set = true;
    *ARRAY_PUSH(arena, out) = rule;
    return true;
}

bool criteria_read(const char *path, Arena *arena, Criteria *out, Notices *notices, Error *err)
{
    YamlNode *root;
    *out = (Criteria){.path = str_copy(arena, str_of(path))};
    if (!yaml_read(path, arena, &root, notices, err))
        return false;
    if (!root || root->kind != YAML_IS_MAP)
        return wrong(path, root, tr("expected an object with 'limits' and 'rules'"), err);
    const YamlNode *limits = yaml_find(root, STR("limits")), *rules = yaml_find(root, STR("rules"));
    const YamlNode *order = yaml_find(root, STR("order"));
    const YamlNode *unmatched = yaml_find(root, STR("unmatched"));
    for (const YamlNode *at = root->first; at; at = at->next)
        if (at != limits && at != rules && at != order && at != unmatched)
            return unknown_key(path, at, "limits, rules, order, unmatched", err);
    if (!read_unmatched(path, unmatched, arena, out, err) ||
        (limits && !read_defaults(path, limits, arena, out, err)))
        return false;
    size_t defaults = out->count;
    if (rules && rules->kind != YAML_IS_LIST)
        return wrong(path, rules, tr("expected a list of rules"), err);
    for (const YamlNode *at = rules ? rules->first : NULL; at; at = at->next)
        if (!read_rule(path, at, arena, out, err))
            return false;
    return read_order(path, order, out, defaults, err);
}

// One alternative. On a mismatch the last '*' takes one byte more: linear for one '*', never
// exponential.
static bool glob_fits(Str pattern, Str text)
{
    size_t p = 0, t = 0, star = SIZE_MAX, from = 0;
    while (t < text.size) {
        if (p < pattern.size && pattern.data[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.size &&
                   (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.data[p] == '*')
        p++;
    return p == pattern.size;
}

bool pattern_fits(Str pattern, Str text)
{
    Str part;
    while (str_split(&pattern, '|', &part))
        if (glob_fits(part, text))
            return true;
    return false;
}

bool criteria_rule_fits(const CriteriaRule *rule, Str op, Str slot, Str dtype)
{
    // "bfloat16" means every framework's spelling of it.
    Str bare = str_behind(dtype, '.');
    return (!rule->ops.size || pattern_fits(rule->ops, op)) &&
           (!rule->slots.size || pattern_fits(rule->slots, slot)) &&
           (!rule->dtypes.size || pattern_fits(rule->dtypes, dtype) ||
            pattern_fits(rule->dtypes, bare));
}

const CriteriaRule *criteria_ignore(const Criteria *criteria, Str op, Str slot, Str dtype)
{
    for (size_t i = criteria->count; i-- > 0;) {
        const CriteriaRule *rule = &criteria->items[i];
        if (rule->sets_ignore && criteria_rule_fits(rule, op, slot, dtype))
            return rule->ignore ? rule : NULL;
    }
    return NULL;
}

const CriteriaRule *criteria_limit(const Criteria *criteria, CriteriaMetric metric, Str op,
                                   Str slot, Str dtype)
{
    for (size_t i = criteria->count; i-- > 0;) {
        const CriteriaRule *rule = &criteria->items[i];
        if (rule->limits[metric].set && criteria_rule_fits(rule, op, slot, dtype))
            return rule;
    }
    return NULL;
}
