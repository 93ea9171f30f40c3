// SPDX-License-Identifier: Apache-2.0
#include "read/settings/config_items.h"

#include "base/array.h"

static Str normal_key(Str path, Arena *arena)
{
    char *key = str_cstr(arena, path);
    for (char *c = key; *c; c++)
        *c = *c == '-' ? '_' : *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    return (Str){key, path.size};
}

static ConfigPlace *place_of(Config *config, Str text, Arena *arena)
{
    NameId id = names_add(config->tails, text);
    return &ARRAY_REACH(arena, config->places, config->place_count, id)[id];
}

// Under its whole key and all ends of it after a dot.
static void index_item(Config *config, Str key, uint32_t place, Arena *arena)
{
    if (!config->tails)
        config->tails = names_new(arena);
    place_of(config, key, arena)->whole = place;
    Str rest = key;
    for (int depth = 0; depth < CONFIG_DEPTH_MAX; depth++) {
        size_t dot = str_rfind_char(rest, '.');
        if (dot == SIZE_MAX)
            return;
        place_of(config, str_slice(key, dot + 1, key.size), arena)->tail = place;
        rest = str_slice(key, 0, dot);
    }
}

void config_add(Config *config, Arena *arena, ConfigItem item)
{
    if (config->count >= CONFIG_ITEMS_MAX)
        return;
    item.path = str_copy(arena, item.path);
    item.key = normal_key(item.path, arena);
    item.value = str_copy(arena, item.value);
    *ARRAY_PUSH(arena, config) = item;
    if (!item.section)
        index_item(config, item.key, (uint32_t)config->count, arena);
}

bool config_enters(Config *config, Str path, int depth)
{
    bool enters = path.size <= CONFIG_PATH_MAX && depth < CONFIG_DEPTH_MAX;
    config->left_out += !enters;
    return enters;
}

const ConfigItem *config_find(const Config *config, Str key)
{
    NameId id = config->tails ? names_find(config->tails, key) : NAME_NONE;
    if (id == NAME_NONE)
        return NULL;
    ConfigPlace at = config->places[id];
    return &config->items[(at.whole ? at.whole : at.tail) - 1];
}
