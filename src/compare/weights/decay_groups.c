// SPDX-License-Identifier: Apache-2.0
#include "compare/weights/decay_groups.h"

#include "base/words.h"

enum { DEEP_MOST = 4, GROUPS_MOST = 64, ENTRIES_MOST = 1 << 20 };

typedef struct Group {
    double decay;
    size_t parameters, vectors;  // of them: of one dimension
} Group;

static const PickleValue *member(const PickleValue *dict, const char *key)
{
    for (size_t i = 0; dict->kind == PICKLE_DICT && i + 1 < dict->count; i += 2)
        if (dict->items[i]->kind == PICKLE_TEXT && str_equal(dict->items[i]->text, str_of(key)))
            return dict->items[i + 1];
    return NULL;
}

// The first "param_groups" below; dicts may hold each other, so depth and number are bounded.
static const PickleValue *groups_below(const PickleValue *value, int deep, size_t *left)
{
    const PickleValue *found = NULL;
    if (!value || value->kind != PICKLE_DICT || *left < value->count)
        return NULL;
    *left -= value->count;
    found = member(value, "param_groups");
    if (found && found->kind == PICKLE_LIST)
        return found;
    found = NULL;
    for (size_t i = 0; deep > 0 && i + 1 < value->count && !found; i += 2)
        found = groups_below(value->items[i + 1], deep - 1, left);
    return found;
}

// Whether the state of a parameter is of one dimension: "state.4.exp_avg", "….state.4.exp_avg".
static bool is_vector(const Weights *weights, int64_t parameter, Arena *arena)
{
    Str name = str_printf(arena, "state.%lld.exp_avg", (long long)parameter);
    for (size_t i = 0; i < weights->count; i++)
        if (str_ends(weights->items[i].name, name) &&
            (weights->items[i].name.size == name.size ||
             weights->items[i].name.data[weights->items[i].name.size - name.size - 1] == '.'))
            return weights->items[i].rank <= 1;
    return false;
}

static bool number_of(const PickleValue *value, double *out)
{
    if (!value || (value->kind != PICKLE_REAL && value->kind != PICKLE_INT))
        return false;
    *out = value->kind == PICKLE_REAL ? value->real : (double)value->integer;
    return true;
}

static void add_group(Group *groups, size_t *count, const PickleValue *group,
                      const Weights *weights, Arena *arena)
{
    double decay;
    size_t at = 0;
    const PickleValue *parameters = member(group, "params");
    if (!number_of(member(group, "weight_decay"), &decay) || !parameters ||
        parameters->kind != PICKLE_LIST)
        return;
    while (at < *count && !(groups[at].decay == decay))
        at++;
    if (at == *count && at < GROUPS_MOST)
        groups[(*count)++] = (Group){.decay = decay};
    if (at == *count)
        return;
    groups[at].parameters += parameters->count;
    // Each parameter is looked for among all states.
    bool few = weights->count <= 4096 && parameters->count <= weights->count;
    for (size_t i = 0; few && i < parameters->count; i++)
        if (parameters->items[i]->kind == PICKLE_INT)
            groups[at].vectors += is_vector(weights, parameters->items[i]->integer, arena);
}

Str decay_groups_text(const Weights *weights, Arena *arena)
{
    Group groups[GROUPS_MOST];
    size_t count = 0;
    StrBuf text = strbuf_new(arena);
    Arena *scratch = arena_new();
    for (size_t p = 0; p < weights->part_count; p++) {
        if (weights->parts[p].kind != WEIGHTS_TORCH)
            continue;
        size_t left = ENTRIES_MOST;
        const PickleValue *list =
            groups_below(weights->parts[p].file.torch.content.value, DEEP_MOST, &left);
        for (size_t i = 0; list && i < list->count; i++)
            add_group(groups, &count, list->items[i], weights, scratch);
    }
    for (size_t i = 0; i < count; i++) {
        strbuf_printf(&text, tr("%s%g on %zu"), i ? ", " : "", groups[i].decay,
                      groups[i].parameters);
        if (groups[i].vectors)
            strbuf_printf(&text, tr(" (%zu of one dimension)"), groups[i].vectors);
    }
    arena_release(scratch);
    return strbuf_str(&text);
}
