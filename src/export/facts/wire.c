// SPDX-License-Identifier: Apache-2.0
#include "export/facts/wire.h"

#include <math.h>

#include "base/number.h"

Wire wire_writer(JsonWriter *out)
{
    return (Wire){.out = out};
}

Wire wire_reader(JsonTree *tree, Arena *arena)
{
    return (Wire){.tree = tree, .at = tree->root, .arena = arena};
}

bool wire_reads(const Wire *wire)
{
    return !wire->out;
}

void wire_bad(Wire *wire, const char *key)
{
    if (!wire->bad)
        wire->bad_key = key;
    wire->bad = true;
}

static const JsonNode *member(const Wire *wire, const char *key)
{
    return wire->at ? tree_member(wire->at, str_of(key)) : NULL;
}

// The digits or characters under the key; false where there are none of that kind.
static bool text_of(Wire *wire, const char *key, bool number, Str *out)
{
    const JsonNode *node = member(wire, key);
    if (!node)
        return false;
    JsonKind kind = node->kind;
    bool digits = kind == JSON_INTEGER || kind == JSON_REAL;
    if (kind != JSON_STRING && !(number && digits)) {
        wire_bad(wire, key);
        return false;
    }
    *out = node->text;
    return true;
}

Str wire_str(Wire *wire, const char *key, Str value)
{
    Str text;
    if (wire_reads(wire))
        return text_of(wire, key, false, &text) ? str_copy(wire->arena, text) : (Str){"", 0};
    if (value.size) {
        json_str(json_key(wire->out, key), value);
    }
    return value;
}

int64_t wire_int(Wire *wire, const char *key, int64_t value)
{
    Str text;
    if (wire_reads(wire)) {
        int64_t read = 0;
        if (text_of(wire, key, true, &text) && !str_to_int64(text, &read))
            wire_bad(wire, key);
        return read;
    }
    if (value) {
        json_int(json_key(wire->out, key), value);
    }
    return value;
}

uint64_t wire_uint(Wire *wire, const char *key, uint64_t value)
{
    Str text;
    if (wire_reads(wire)) {
        uint64_t read = 0;
        if (text_of(wire, key, true, &text) && !str_to_uint64(text, &read))
            wire_bad(wire, key);
        return read;
    }
    if (value) {
        json_uint(json_key(wire->out, key), value);
    }
    return value;
}

uint32_t wire_uint32(Wire *wire, const char *key, uint32_t value)
{
    uint64_t read = wire_uint(wire, key, value);
    if (read > UINT32_MAX)
        wire_bad(wire, key);
    return read > UINT32_MAX ? 0 : (uint32_t)read;
}

double wire_number(Wire *wire, const char *key, double value)
{
    Str text;
    if (wire_reads(wire)) {
        double read = 0;
        if (text_of(wire, key, true, &text) && !number_of_text(text, &read))
            wire_bad(wire, key);
        return read;
    }
    if (value != 0 || signbit(value)) {
        json_number(json_key(wire->out, key), value);
    }
    return value;
}

bool wire_bool(Wire *wire, const char *key, bool value)
{
    if (wire_reads(wire)) {
        const JsonNode *node = member(wire, key);
        if (node && node->kind != JSON_BOOL)
            wire_bad(wire, key);
        return node && node->truth;
    }
    if (value) {
        json_bool(json_key(wire->out, key), true);
    }
    return value;
}

int wire_choice(Wire *wire, const char *key, int value, int count)
{
    uint32_t read = wire_uint32(wire, key, (uint32_t)value);
    if (read >= (uint32_t)count) {
        wire_bad(wire, key);
        return 0;
    }
    return (int)read;
}

WireObject wire_open(Wire *wire, const char *key)
{
    WireObject object = {wire->at};
    if (wire_reads(wire)) {
        const JsonNode *node = member(wire, key);
        if (node && node->kind != JSON_OBJECT)
            wire_bad(wire, key);
        wire->at = node && node->kind == JSON_OBJECT ? node : NULL;
    } else {
        json_object(json_key(wire->out, key));
    }
    return object;
}

void wire_close(Wire *wire, const WireObject *object)
{
    if (wire_reads(wire))
        wire->at = object->outer;
    else
        json_object_end(wire->out);
}

WireList wire_list(Wire *wire, const char *key, size_t count)
{
    WireList list = {.outer = wire->at, .count = count};
    if (wire_reads(wire)) {
        const JsonNode *node = member(wire, key);
        if (node && node->kind != JSON_LIST)
            wire_bad(wire, key);
        bool there = node && node->kind == JSON_LIST;
        list.count = there ? tree_count(node) : 0;
        list.next = there ? node->child : NULL;
    } else {
        json_array(json_key(wire->out, key));
    }
    return list;
}

void wire_item(Wire *wire, WireList *list)
{
    if (!wire_reads(wire)) {
        json_object_flat(wire->out);
        return;
    }
    const JsonNode *node = list->next;
    if (node && node->kind != JSON_OBJECT)
        wire_bad(wire, "[]");
    wire->at = node && node->kind == JSON_OBJECT ? node : NULL;
    list->next = node ? node->next : NULL;
}

void wire_item_end(Wire *wire, const WireList *list)
{
    if (wire_reads(wire))
        wire->at = list->outer;
    else
        json_object_end(wire->out);
}

void wire_list_end(Wire *wire, const WireList *list)
{
    if (wire_reads(wire))
        wire->at = list->outer;
    else
        json_array_end(wire->out);
}

Str *wire_texts(Wire *wire, const char *key, Str *items, size_t *count)
{
    WireList list = wire_list(wire, key, *count);
    if (!wire_reads(wire)) {
        for (size_t i = 0; i < *count; i++)
            json_str(wire->out, items[i]);
        wire_list_end(wire, &list);
        return items;
    }
    items = ARENA_ARRAY(wire->arena, Str, list.count);
    *count = list.count;
    for (size_t i = 0; i < list.count; i++, list.next = list.next->next) {
        if (list.next->kind == JSON_STRING)
            items[i] = str_copy(wire->arena, list.next->text);
        else
            wire_bad(wire, key);
    }
    return items;
}
