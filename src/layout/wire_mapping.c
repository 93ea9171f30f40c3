// SPDX-License-Identifier: Apache-2.0
#include "layout/wire_mapping.h"

static void wire_name_pairs(Wire *wire, const char *key, NamePair **items, size_t *count)
{
    WireList list = wire_list(wire, key, *count);
    if (wire_reads(wire)) {
        *items = ARENA_ARRAY(wire->arena, NamePair, list.count);
        *count = list.count;
    }
    for (size_t i = 0; i < list.count; i++) {
        NamePair *pair = &(*items)[i];
        wire_item(wire, &list);
        pair->target = wire_str(wire, "target", pair->target);
        pair->golden = wire_str(wire, "golden", pair->golden);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

void wire_name_mapping(Wire *wire, const char *key, NameMapping *mapping)
{
    wire_name_pairs(wire, key, &mapping->items, &mapping->count);
}

void wire_layer_mapping(Wire *wire, const char *key, LayerMapping *mapping)
{
    WireList list = wire_list(wire, key, mapping->count);
    if (wire_reads(wire)) {
        mapping->items = ARENA_ARRAY(wire->arena, LayerRule, list.count);
        mapping->count = list.count;
    }
    for (size_t i = 0; i < list.count; i++) {
        LayerRule *rule = &mapping->items[i];
        wire_item(wire, &list);
        rule->layer = wire_str(wire, "layer", rule->layer);
        wire_name_pairs(wire, "children", &rule->items, &rule->count);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}
