// SPDX-License-Identifier: Apache-2.0
#include "read/settings/mapping_file.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/words.h"
#include "read/settings/yaml_tree.h"

// What is being read, for messages.
typedef struct Reader {
    const char *path;
    Arena *arena;
    Notices *notices;
    Error *err;
} Reader;

static bool wrong_kind(const Reader *read, const YamlNode *node, const char *expected)
{
    return error_set(read->err, ERR_INPUT, WHERE_LINE(read->path, node ? node->line : 1),
                     tr("expected %s, found %s"), expected,
                     node ? yaml_kind_text(node) : tr("nothing"));
}

static bool read_pair(const Reader *read, const YamlNode *node, NamePair *out)
{
    if (node->kind != YAML_IS_TEXT)
        return wrong_kind(read, node, tr("a name"));
    *out = (NamePair){
        .target = str_trim(node->key), .golden = str_trim(node->text), .line = node->line};
    return true;
}

// Items are placed from the last to the first.
static void place_item(NamePlaces *places, Str name, uint32_t item, Arena *arena)
{
    places->names = places->names ? places->names : names_new(arena);
    NameId id = names_add(places->names, name);
    uint32_t *first = &ARRAY_REACH(arena, places->first, places->first_room, id)[id];
    ARRAY_REACH(arena, places->next, places->next_room, item)[item] = *first;
    *first = item + 1;
}

// The first item of that name that does not stand before `from`; SIZE_MAX: none.
static size_t find_place_from(const NamePlaces *places, Str name, uint32_t from)
{
    NameId id = places->names ? names_find(places->names, name) : NAME_NONE;
    uint32_t at = id ? places->first[id] : 0;
    while (at && at - 1 < from)
        at = places->next[at - 1];
    return at ? at - 1 : SIZE_MAX;
}

static size_t find_place(const NamePlaces *places, Str name)
{
    return find_place_from(places, name, 0);
}

static void add_part(NameMapping *mapping, Str target, uint32_t item, size_t *count)
{
    uint32_t part = target.size ? fragments_add(mapping->parts, target) : UINT32_MAX;
    if (part == *count)
        mapping->item_of_part[(*count)++] = item;
}

static void index_names(NameMapping *mapping, Arena *arena)
{
    size_t parts = 0;
    mapping->parts = fragments_new(arena);
    mapping->item_of_part = ARENA_ARRAY(arena, uint32_t, mapping->count + 1);
    for (uint32_t i = 0; i < mapping->count; i++) {
        Str target = mapping->items[i].target;
        mapping->longest = target.size > mapping->longest ? target.size : mapping->longest;
        add_part(mapping, target, i, &parts);
    }
    fragments_link(mapping->parts);
    for (size_t i = mapping->count; i-- > 0;)
        place_item(&mapping->by_target, mapping->items[i].target, (uint32_t)i, arena);
}

bool mapping_read_names(const char *path, Arena *arena, NameMapping *out, Notices *notices,
                        Error *err)
{
    Reader read = {path, arena, notices, err};
    YamlNode *root;
    *out = (NameMapping){0};
    if (!yaml_read(path, arena, &root, notices, err))
        return false;
    if (!root || root->kind != YAML_IS_MAP)
        return wrong_kind(&read, root,
                          tr("an object 'name of the target: name of the golden run'"));
    for (const YamlNode *at = root->first; at; at = at->next)
        if (!read_pair(&read, at, ARRAY_PUSH(arena, out)))
            return false;
    index_names(out, arena);
    return true;
}

const NamePair *mapping_find(const NameMapping *mapping, Str target)
{
    size_t at = find_place(&mapping->by_target, target);
    return at != SIZE_MAX ? &mapping->items[at] : NULL;
}

const NamePair *mapping_find_start(const NameMapping *mapping, Str rest)
{
    const NamePair *best = NULL;
    for (size_t end = 0; end < rest.size && end < mapping->longest;) {
        size_t dot = str_find_char(rest, '.', end);
        end = dot == SIZE_MAX ? rest.size : dot;
        const NamePair *found = end ? mapping_find(mapping, str_slice(rest, 0, end)) : NULL;
        best = found ? found : best;
        end++;
    }
    return best;
}

static Str replace_first(Arena *arena, Str text, Str part, Str by)
{
    size_t at = part.size ? str_find(text, part, 0) : SIZE_MAX;
    if (at == SIZE_MAX)
        return text;
    return str_printf(arena, STR_FMT STR_FMT STR_FMT, STR_ARG(str_slice(text, 0, at)), STR_ARG(by),
                      STR_ARG(str_slice(text, at + part.size, text.size)));
}

// Where the module's name ends: at the direction, or at the gradients.
static size_t find_module_end(Str row)
{
    static const char *const ends[] = {".forward.", ".backward.", ".parameters_grad."};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t at = str_find(row, str_of(ends[i]), 0);
        if (at != SIZE_MAX)
            return at;
    }
    return SIZE_MAX;
}

// One target after the other in the order of the file; what one brings in counts for the next ones.
static Str replace_parts(const NameMapping *mapping, Str text, Arena *arena)
{
    FragmentHits hits = {0};
    for (size_t next = 0; next < mapping->count; next++) {
        size_t best = SIZE_MAX;
        fragments_in(mapping->parts, text, arena, &hits);
        for (size_t i = 0; i < hits.count; i++) {
            Str part = mapping->items[mapping->item_of_part[hits.items[i]]].target;
            size_t at = find_place_from(&mapping->by_target, part, (uint32_t)next);
            best = at < best ? at : best;
        }
        if (best == SIZE_MAX)
            return text;
        const NamePair *pair = &mapping->items[best];
        text = replace_first(arena, text, pair->target, pair->golden);
        next = best;
    }
    return text;
}

Str mapping_cell_key(const NameMapping *mapping, Str row, bool substrings, Arena *arena)
{
    row = replace_first(arena, row, STR("Cell"), STR("Module"));
    size_t end = find_module_end(row), dot = str_find_char(row, '.', 0);
    if (end == SIZE_MAX || dot == SIZE_MAX || dot >= end)
        return STR("N/A");
    Str cell = str_slice(row, dot + 1, end), mapped = cell;
    size_t whole = find_place(&mapping->by_target, cell);
    if (whole != SIZE_MAX)
        mapped = mapping->items[whole].golden;
    else if (substrings && mapping->parts)
        mapped = replace_parts(mapping, cell, arena);
    return str_printf(arena, STR_FMT STR_FMT STR_FMT, STR_ARG(str_slice(row, 0, dot + 1)),
                      STR_ARG(mapped), STR_ARG(str_slice(row, end, row.size)));
}

// The keys of a group: as documented, then as msProbe looks them up.
static const struct {
    const char *target, *golden, *target_other, *golden_other;
} group_keys[API_GROUPS] = {
    [API_INPUT] = {"ms_args", "pt_args", "ms_input", "pt_input"},
    [API_OUTPUT] = {"ms_outputs", "pt_outputs", "ms_output", "pt_output"},
    [API_PARAMETERS] = {"ms_parameters", "pt_parameters", "ms_parameter", "pt_parameter"},
    [API_PARAMETERS_GRAD] = {"ms_parameters_grad", "pt_parameters_grad", "ms_parameter_grad",
                             "pt_parameter_grad"},
};

static const YamlNode *find_either(const YamlNode *map, const char *key, const char *other)
{
    const YamlNode *found = yaml_find(map, str_of(key));
    return found ? found : yaml_find(map, str_of(other));
}

static bool check_texts(const Reader *read, const YamlNode *list)
{
    if (list && list->kind != YAML_IS_LIST)
        return wrong_kind(read, list, tr("a list of names"));
    for (const YamlNode *at = list ? list->first : NULL; at; at = at->next)
        if (at->kind != YAML_IS_TEXT)
            return wrong_kind(read, at, tr("a name"));
    return true;
}

// *whole becomes false if the lists differ in length.
static bool read_group(const Reader *read, const YamlNode *object, int group, ApiRule *out,
                       bool *whole)
{
    const YamlNode *target =
        find_either(object, group_keys[group].target, group_keys[group].target_other);
    const YamlNode *golden =
        find_either(object, group_keys[group].golden, group_keys[group].golden_other);
    if (!check_texts(read, target) || !check_texts(read, golden))
        return false;
    size_t count = target ? target->count : 0;
    *whole = *whole && count == (golden ? golden->count : 0);
    if (!*whole || count == 0)
        return true;
    NamePair *pairs = ARENA_ARRAY(read->arena, NamePair, count);
    const YamlNode *b = golden->first;
    size_t i = 0;
    for (const YamlNode *n = target->first; n; n = n->next, b = b->next)
        pairs[i++] = (NamePair){.target = n->text, .golden = b->text, .line = n->line};
    out->groups[group] = pairs;
    out->group_counts[group] = count;
    return true;
}

static bool read_api_name(const Reader *read, const YamlNode *object, const char *key, Str *out)
{
    const YamlNode *name = yaml_find(object, str_of(key));
    if (!name)
        return error_set(read->err, ERR_INPUT, WHERE_LINE(read->path, object->line),
                         tr("the key '%s' is missing"), key);
    if (name->kind != YAML_IS_TEXT)
        return wrong_kind(read, name, tr("the name of an API"));
    *out = str_trim(name->text);
    return true;
}

static bool read_api(const Reader *read, const YamlNode *object, ApiMapping *out)
{
    ApiRule rule = {.line = object->line};
    bool whole = true;
    if (object->kind != YAML_IS_MAP)
        return wrong_kind(read, object, tr("an object with ms_api and pt_api"));
    if (!read_api_name(read, object, "ms_api", &rule.target_api) ||
        !read_api_name(read, object, "pt_api", &rule.golden_api))
        return false;
    for (int group = 0; group < API_GROUPS; group++)
        if (!read_group(read, object, group, &rule, &whole))
            return false;
    if (whole)
        *ARRAY_PUSH(read->arena, out) = rule;
    else
        notices_add(read->notices, NOTICE_WARNING, WHERE_LINE(read->path, object->line), "%s",
                    tr("an API mapping with lists of different lengths is left out"));
    return true;
}

bool mapping_read_apis(const char *path, Arena *arena, ApiMapping *out, Notices *notices,
                       Error *err)
{
    Reader read = {path, arena, notices, err};
    YamlNode *root;
    *out = (ApiMapping){0};
    if (!yaml_read(path, arena, &root, notices, err))
        return false;
    if (!root || root->kind == YAML_IS_TEXT)
        return wrong_kind(&read, root, tr("a list of objects with ms_api and pt_api"));
    bool list = root->kind != YAML_IS_MAP;
    if (!list && !read_api(&read, root, out))
        return false;
    for (const YamlNode *at = list ? root->first : NULL; at; at = at->next)
        if (!read_api(&read, at, out))
            return false;
    for (size_t i = out->count; i-- > 0;)
        place_item(&out->by_target, out->items[i].target_api, (uint32_t)i, arena);
    return true;
}

const ApiRule *mapping_find_api(const ApiMapping *mapping, Str target_api)
{
    size_t at = find_place(&mapping->by_target, target_api);
    return at != SIZE_MAX ? &mapping->items[at] : NULL;
}

static size_t part_count(Str path)
{
    size_t count = 1;
    for (size_t i = 0; i < path.size; i++)
        count += path.data[i] == '.';
    return count;
}

// Longest path first; equal lengths keep the order of the file.
static int compare_lengths(const void *a, const void *b)
{
    const NamePair *one = a, *two = b;
    size_t parts_one = part_count(one->target), parts_two = part_count(two->target);
    if (parts_one != parts_two)
        return parts_one > parts_two ? -1 : 1;
    return (one->line > two->line) - (one->line < two->line);
}

static bool read_layer(const Reader *read, const YamlNode *object, LayerRule *out)
{
    if (object->kind != YAML_IS_MAP)
        return wrong_kind(read, object,
                          tr("an object 'child of the target: child of the golden run'"));
    out->layer = str_equal(object->key, STR("Cell")) ? STR("TopLayer") : str_trim(object->key);
    for (const YamlNode *at = object->first; at; at = at->next) {
        NamePair *pair = ARRAY_PUSH(read->arena, out);
        if (!read_pair(read, at, pair))
            return false;
        size_t class_at = str_find_char(pair->golden, '(', 0);
        pair->golden = str_trim(str_slice(pair->golden, 0, class_at));
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, compare_lengths);
    out->children = (NameMapping){.items = out->items, .count = out->count};
    index_names(&out->children, read->arena);
    return true;
}

bool mapping_read_layers(const char *path, Arena *arena, LayerMapping *out, Notices *notices,
                         Error *err)
{
    Reader read = {path, arena, notices, err};
    YamlNode *root;
    *out = (LayerMapping){0};
    if (!yaml_read(path, arena, &root, notices, err))
        return false;
    if (!root || root->kind != YAML_IS_MAP)
        return wrong_kind(&read, root, tr("an object with one object for each class of layers"));
    for (const YamlNode *at = root->first; at; at = at->next)
        if (!read_layer(&read, at, ARRAY_PUSH(arena, out)))
            return false;
    for (size_t i = out->count; i-- > 0;)
        place_item(&out->by_layer, out->items[i].layer, (uint32_t)i, arena);
    return true;
}

const LayerRule *mapping_find_layer(const LayerMapping *mapping, Str layer)
{
    size_t at = find_place(&mapping->by_layer, layer);
    return at != SIZE_MAX ? &mapping->items[at] : NULL;
}
