// SPDX-License-Identifier: Apache-2.0
// Tokens from objects within objects: answers of servers, and the usual names at any depth.
//     OpenAI, vLLM   choices[].logprobs.content[].logprob, .token_logprobs; prompt_logprobs
//     SGLang         meta_info.output_token_logprobs[]: [logprob, id, text]
//     TGI, llama.cpp details.tokens[], completion_probabilities[]: objects with a logprob
//     MaxText        logits[]: tokens × vocabulary
// The shape of a list tells what it is, so that what a server wraps around an answer does not
// matter.
#include "read/token/token_tree.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/number.h"
#include "base/words.h"

typedef struct Walk {
    TokenSet *set;
    const TokenAsk *ask;
    const char *path;
    uint64_t line;
    Arena *arena, *scratch;
    Notices *notices;
    TokenList fields[FIELD_COUNT];
} Walk;

static void empty_fields(Walk *walk)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        walk->fields[i].count = walk->fields[i].row_count = 0;
}

static double value_of(const JsonNode *node)
{
    double value = (double)NAN;
    if (node && node->kind == JSON_BOOL)
        return node->truth;
    if (!node || node->kind == JSON_NULL || !number_of_text(node->text, &value))
        return (double)NAN;
    return value;
}

static bool is_number(const JsonNode *node)
{
    return node && (node->kind == JSON_INTEGER || node->kind == JSON_REAL);
}

// The id of a token: its number, or what stands for its text.
static double id_of(Walk *walk, const JsonNode *node)
{
    if (node && node->kind == JSON_STRING)
        return token_text_id(walk->set, node->text);
    return value_of(node);
}

static const JsonNode *first_member(const JsonNode *node, const char *const *keys)
{
    const JsonNode *found = NULL;
    for (; *keys && !found; keys++) {
        found = tree_member(node, str_of(*keys));
        found = found && (found->kind == JSON_STRING || is_number(found)) ? found : NULL;
    }
    return found;
}

static void add_token(Walk *walk, double value, double id)
{
    token_list_add(&walk->fields[FIELD_TRAINING], value, walk->scratch);
    token_list_add(&walk->fields[FIELD_IDS], id, walk->scratch);
}

static void end_sample(Walk *walk)
{
    token_list_end_row(&walk->fields[FIELD_TRAINING], walk->scratch);
    token_list_end_row(&walk->fields[FIELD_IDS], walk->scratch);
    token_add_samples(walk->set, walk->ask, walk->fields, walk->path, walk->line, walk->arena,
                      walk->notices);
    empty_fields(walk);
}

static int by_probability(const void *a, const void *b)
{
    const TokenChoice *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? 1 : -1)
                                : (x->id > y->id) - (x->id < y->id);
}

// What the token could have been: objects of a list, or members with their log-probability.
static void take_choices(Walk *walk, const JsonNode *from)
{
    static const char *const ids[] = {"token_id", "id", "token", "text", NULL};
    size_t count = 0;
    TokenChoice all[TOKEN_CHOICES];
    for (const JsonNode *item = from ? from->child : NULL; item && count < TOKEN_CHOICES;
         item = item->next) {
        const JsonNode *value = tree_member(item, STR("logprob"));
        const JsonNode key = {.kind = JSON_STRING, .text = item->key};
        double id = id_of(walk, item->key.size ? &key : first_member(item, ids));
        if (value && is_number(value) && number_can_count(id))
            all[count++] = (TokenChoice){(int64_t)id, value_of(value)};
    }
    if (count == 0)
        return;
    qsort(all, count, sizeof *all, by_probability);
    token_add_choices(walk->set, all, count, walk->arena);
}

// [{"token": "The", "logprob": -0.41}, …]
static bool take_objects(Walk *walk, const JsonNode *list)
{
    static const char *const ids[] = {"token_id", "id", "token", "text", NULL};
    const JsonNode *item = list->child;
    while (item && tree_member(item, STR("logprob")))
        item = item->next;
    if (item || !list->child)
        return false;
    for (item = list->child; item; item = item->next) {
        take_choices(walk, tree_member(item, STR("top_logprobs")));
        add_token(walk, value_of(tree_member(item, STR("logprob"))),
                  id_of(walk, first_member(item, ids)));
    }
    return true;
}

// [[-0.41, 100, "The"], …]
static bool take_triples(Walk *walk, const JsonNode *list)
{
    for (const JsonNode *item = list->child; item; item = item->next) {
        const JsonNode *first = item->kind == JSON_LIST ? item->child : NULL;
        size_t count = tree_count(item);
        if (!first || (count != 2 && count != 3) || !is_number(first->next) ||
            (first->kind != JSON_NULL && !is_number(first)) ||
            (count == 3 && first->next->next->kind != JSON_NULL &&
             first->next->next->kind != JSON_STRING))
            return false;
    }
    for (const JsonNode *item = list->child; item; item = item->next)
        add_token(walk, value_of(item->child), value_of(item->child->next));
    return list->child != NULL;
}

// [null, {"791": {"logprob": -0.41, "rank": 1}, …}, …]: the token of the prompt stands first.
static bool take_candidates(Walk *walk, const JsonNode *list)
{
    bool any = false;
    for (const JsonNode *item = list->child; item; item = item->next) {
        if (item->kind != JSON_NULL && (item->kind != JSON_OBJECT || !item->child ||
                                        !tree_member(item->child, STR("logprob"))))
            return false;
        any = any || item->kind == JSON_OBJECT;
    }
    for (const JsonNode *item = list->child; any && item; item = item->next) {
        const JsonNode *own = item->kind == JSON_OBJECT ? item->child : NULL;
        double id = (double)NAN;
        if (own && !number_of_text(own->key, &id))
            id = token_text_id(walk->set, own->key);
        add_token(walk, own ? value_of(tree_member(own, STR("logprob"))) : (double)NAN, id);
    }
    return any;
}

// The most probable tokens of a row of logits, which ends in the total of all; the log-probability
// of `next` in *value, of the most probable token where the row has none of that number.
static void take_row(Walk *walk, const JsonNode *row, double next, double *value)
{
    size_t count = tree_count(row), at = 0;
    TokenChoice *all = ARENA_ARRAY(walk->scratch, TokenChoice, count);
    double most = -(double)INFINITY, total = 0;
    for (const JsonNode *item = row->child; item; item = item->next, at++) {
        all[at] = (TokenChoice){(int64_t)at, value_of(item)};
        most = all[at].value > most ? all[at].value : most;
    }
    for (size_t i = 0; i < count; i++)
        total += exp(all[i].value - most);
    for (size_t i = 0; i < count; i++)
        all[i].value -= most + log(total);
    bool known = next >= 0 && next < (double)count;
    *value = known ? all[(size_t)next].value : (double)NAN;
    if (isfinite(total))
        qsort(all, count, sizeof *all, by_probability);
    *value = known || !count ? *value : all[0].value;
    token_add_choices(walk->set, all, count, walk->arena);
}

// {"tokens": [2, 577], "logits": [[…], […]]}: row i is of the token after token i.
static bool take_logits(Walk *walk, const JsonNode *object)
{
    const JsonNode *rows = tree_member(object, STR("logits"));
    const JsonNode *ids = tree_member(object, STR("tokens"));
    while (rows && rows->kind == JSON_LIST && tree_count(rows) == 1 && rows->child->child &&
           rows->child->child->kind == JSON_LIST)
        rows = rows->child;  // a batch of one
    if (!rows || rows->kind != JSON_LIST || !rows->child || rows->child->kind != JSON_LIST ||
        !is_number(rows->child->child))
        return false;
    const JsonNode *id = ids && ids->kind == JSON_LIST ? ids->child : NULL;
    for (const JsonNode *row = rows->child; row; row = row->next) {
        double value = (double)NAN;
        const JsonNode *next = id ? id->next : NULL;
        take_row(walk, row, next ? value_of(next) : -1, &value);
        add_token(walk, value, id ? id_of(walk, id) : (double)NAN);
        id = next;
    }
    end_sample(walk);
    return true;
}

// Numbers of a list, and of the lists in it a row each.
static bool take_list(Walk *walk, const JsonNode *list, TokenField field)
{
    TokenList *out = &walk->fields[field];
    bool nested = list->child && list->child->kind == JSON_LIST;
    for (const JsonNode *item = list->child; item; item = item->next) {
        bool text = item->kind == JSON_STRING && field == FIELD_IDS;
        if ((item->kind == JSON_LIST) != nested || item->kind == JSON_OBJECT ||
            (item->kind == JSON_STRING && !text))
            return false;
        if (nested && !take_list(walk, item, field))
            return false;
        if (!nested)
            token_list_add(out, text ? id_of(walk, item) : value_of(item), walk->scratch);
    }
    if (!nested)
        token_list_end_row(out, walk->scratch);
    return true;
}

static bool is_value(TokenField field)
{
    return field == FIELD_GENERATION || field == FIELD_TRAINING;
}

// {"rollout_log_probs": [-0.02, …], "tokens": [100, …], "response_length": 20}
static bool take_named(Walk *walk, const JsonNode *object)
{
    bool values = false;
    const JsonNode *taken[FIELD_COUNT] = {NULL};
    for (const JsonNode *member = object->child; member; member = member->next) {
        TokenField field = token_field_of(walk->ask, member->key);
        bool one = field == FIELD_LENGTH || field == FIELD_SAMPLE_MASK || field == FIELD_RESPONSE;
        if (field >= FIELD_SAMPLE || walk->fields[field].row_count)
            continue;
        taken[field] = member;
        if (one && is_number(member)) {
            token_list_add(&walk->fields[field], value_of(member), walk->scratch);
            token_list_end_row(&walk->fields[field], walk->scratch);
        } else if (member->kind != JSON_LIST || !take_list(walk, member, field)) {
            walk->fields[field].count = walk->fields[field].row_count = 0;
        }
        values = values || (is_value(field) && walk->fields[field].count > 0);
    }
    token_key_sample(walk->set, STR(""));
    for (const JsonNode *member = object->child; values && member; member = member->next) {
        TokenField field = token_field_of(walk->ask, member->key);
        if (field == FIELD_SAMPLE || field == FIELD_INDEX)
            token_key_sample(walk->set, member->text);
        size_t count = is_number(member) ? 1 : 0;
        for (const JsonNode *item = member->child; item; item = item->next)
            count += is_number(item);
        if (count && (field == FIELD_COUNT || (is_value(field) && taken[field] != member)))
            token_add_other(walk->set, member->key, count, walk->arena);
    }
    if (values)
        token_add_samples(walk->set, walk->ask, walk->fields, walk->path, walk->line, walk->arena,
                          walk->notices);
    empty_fields(walk);
    return values;
}

static bool take_tokens(Walk *walk, const JsonNode *list)
{
    bool named = str_find(list->key, STR("logprobs"), 0) != SIZE_MAX;
    bool taken = take_objects(walk, list) ||
                 (named && (take_triples(walk, list) || take_candidates(walk, list)));
    if (taken)
        end_sample(walk);
    return taken;
}

static bool is_answer(const JsonNode *node, const JsonNode *list)
{
    return node->kind == JSON_OBJECT &&
           ((list && str_equal(list->key, STR("choices"))) || tree_member(node, STR("meta_info")));
}

// Nothing after `top_` is a token of the text: these are those that it could have been.
static void walk_tree(Walk *walk, const JsonNode *node, const JsonNode *list)
{
    size_t before = walk->set->sample_count;
    if (str_find(node->key, STR("top_"), 0) != SIZE_MAX ||
        (node->kind == JSON_LIST && take_tokens(walk, node)))
        return;
    if (node->kind == JSON_OBJECT && (take_logits(walk, node) || take_named(walk, node)))
        return;
    for (const JsonNode *child = node->child; child; child = child->next)
        if (child->kind == JSON_LIST || child->kind == JSON_OBJECT)
            walk_tree(walk, child, node->kind == JSON_LIST ? node : NULL);
    if (walk->set->sample_count > before || !is_answer(node, list))
        return;
    notices_partial(walk->notices, WHERE_LINE(walk->path, walk->line), "%s",
                    tr("an answer without log-probabilities: ask the server for them"));
    token_add_missing(walk->set, walk->arena);
}

void token_read_node(const char *path, uint64_t line, const JsonNode *root, const TokenAsk *ask,
                     Arena *arena, TokenSet *out, Notices *notices)
{
    Arena *scratch = arena_new();
    Walk walk = {.set = out,
                 .ask = ask,
                 .path = path,
                 .line = line,
                 .arena = arena,
                 .scratch = scratch,
                 .notices = notices};
    walk_tree(&walk, root, NULL);
    arena_release(scratch);
}

bool token_tree_is(Str text)
{
    enum { LOOK = 1 << 16 };
    static const char *const keys[] = {
        "\"choices\"", "\"meta_info\"",       "\"completion_probabilities\"",
        "\"details\"", "\"prompt_logprobs\"", "\"logits\"",
        "\"samples\""};
    Str start = str_slice(text, 0, LOOK);
    size_t feed = str_find_char(start, '\n', 0);
    bool whole = feed != SIZE_MAX && str_trim(str_slice(start, 0, feed)).size == 1;
    bool found = whole || str_starts(str_trim(start), STR("["));
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !found; i++)
        found = str_find(start, str_of(keys[i]), 0) != SIZE_MAX;
    return found;
}

// One value over all lines, else one a line.
bool token_read_tree(const char *path, Str text, const TokenAsk *ask, Arena *arena, TokenSet *out,
                     Notices *notices)
{
    uint64_t number = 0;
    for (size_t at = 0; at < text.size;) {
        size_t feed = str_find_char(text, '\n', at);
        size_t end = feed == SIZE_MAX ? text.size : feed;
        Str line = str_trim(str_slice(text, at, end));
        Arena *scratch = arena_new();
        JsonTree tree;
        number++;
        bool good = line.size == 0 || tree_parse(line, scratch, &tree);
        if (!good && number == 1 && tree_parse(text, scratch, &tree)) {
            token_read_node(path, number, tree.root, ask, arena, out, notices);
            end = text.size;
        } else if (!good) {
            notices_partial(notices, WHERE_LINE(path, number), "%s",
                            tr("the line is no JSON value and is skipped"));
            token_add_missing(out, arena);
        } else if (line.size) {
            size_t before = out->sample_count;
            token_read_node(path, number, tree.root, ask, arena, out, notices);
            if (out->sample_count == before) {
                notices_partial(notices, WHERE_LINE(path, number), "%s",
                                tr("the line has no log-probabilities and is skipped"));
                token_add_missing(out, arena);
            }
        }
        arena_release(scratch);
        at = end + 1;
    }
    return out->count > 0;
}
