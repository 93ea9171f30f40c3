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

void config_add(Config *config, Arena *arena, ConfigItem item)
{
    if (config->count >= CONFIG_ITEMS_MAX)
        return;
    item.path = str_copy(arena, item.path);
    item.key = normal_key(item.path, arena);
    item.value = str_copy(arena, item.value);
    *ARRAY_PUSH(arena, config) = item;
}

const ConfigItem *config_find(const Config *config, Str key)
{
    const ConfigItem *found = NULL;
    for (size_t i = 0; i < config->count; i++) {
        const ConfigItem *item = &config->items[i];
        bool whole = str_equal(item->key, key);
        bool tail = item->key.size > key.size && str_ends(item->key, key) &&
                    item->key.data[item->key.size - key.size - 1] == '.';
        if (whole || (tail && !(found && str_equal(found->key, key))))
            found = item;
    }
    return found;
}
