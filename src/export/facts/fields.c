// SPDX-License-Identifier: Apache-2.0
#include "export/facts/fields.h"

#include <math.h>
#include <string.h>

static const void *member(const Field *field, const void *record)
{
    return (const char *)record + field->at;
}

// Pointers of any type are read and set by their bytes.
static void *pointer_at(const void *at)
{
    void *out;
    memcpy(&out, at, sizeof out);
    return out;
}

static size_t count_of(const Field *field, const void *record)
{
    const char *at = (const char *)record + field->count_at;
    uint32_t small;
    size_t count;
    if (field->count_size == 0)
        return field->limit;
    if (field->count_size == sizeof count) {
        memcpy(&count, at, sizeof count);
        return count;
    }
    memcpy(&small, at, sizeof small);
    return small;
}

static void set_count(const Field *field, void *record, size_t count)
{
    char *at = (char *)record + field->count_at;
    uint32_t small = (uint32_t)count;
    if (field->count_size == sizeof count)
        memcpy(at, &count, sizeof count);
    else if (field->count_size)
        memcpy(at, &small, sizeof small);
}

static const void *item_at(const Field *field, const void *record, size_t index)
{
    const void *at = member(field, record);
    const char *items = field->kind == FIELD_ROW ? at : pointer_at(at);
    return items + index * field->fields->size;
}

static unsigned choice_at(const void *at)
{
    unsigned value;
    memcpy(&value, at, sizeof value);
    return value;
}

// ---- summary.json

static bool is_absent(const Field *field, const void *record)
{
    const void *at = member(field, record);
    switch (field->kind) {
    case FIELD_STR:
        return ((const Str *)at)->size == 0;
    case FIELD_TEXT:
    case FIELD_OTHER:
        return !pointer_at(at);
    case FIELD_NUMBER:
        return isnan(*(const double *)at);
    case FIELD_BOOL:
        return !*(const bool *)at;
    case FIELD_INT:
        return *(const int64_t *)at < 0;
    case FIELD_UINT:
        return *(const uint64_t *)at == 0;
    case FIELD_UINT32:
    case FIELD_CHOICE:
        return choice_at(at) == 0;
    case FIELD_RECORD:
        return is_absent(&field->fields->items[0], at);
    default:
        return false;
    }
}

static void tell_number(const Field *field, double value, JsonWriter *json)
{
    if (field->rules & AT_LEAST_0 && value < 0)
        value = 0;
    if (isnan(value) && !(field->rules & TELL_NAN))
        json_null(json);
    else
        json_number(json, value);
}

static void tell_plain(const Field *field, const void *at, JsonWriter *json)
{
    switch (field->kind) {
    case FIELD_STR:
        json_str(json, *(const Str *)at);
        break;
    case FIELD_TEXT:
        json_text(json, pointer_at(at));
        break;
    case FIELD_NUMBER:
        tell_number(field, *(const double *)at, json);
        break;
    case FIELD_FLOAT:
        tell_number(field, (double)*(const float *)at, json);
        break;
    case FIELD_BOOL:
        json_bool(json, *(const bool *)at);
        break;
    case FIELD_INT:
        if (*(const int64_t *)at == INT64_MIN)
            json_null(json);
        else
            json_int(json, *(const int64_t *)at);
        break;
    case FIELD_SMALL:
        json_int(json, *(const int *)at);
        break;
    case FIELD_UINT:
        json_uint(json, *(const uint64_t *)at);
        break;
    case FIELD_UINT32:
        json_uint(json, choice_at(at));
        break;
    default:
        json_text(json, field->word(choice_at(at)));
    }
}

static void open_array(const Field *field, JsonWriter *json)
{
    if (field->rules & FLAT)
        json_array_flat(json);
    else
        json_array(json);
}

static void tell_record(const Fields *fields, const void *record, unsigned rules, JsonWriter *json)
{
    if (rules & FLAT)
        json_object_flat(json);
    else
        json_object(json);
    fields_tell(fields, record, json);
    json_object_end(json);
}

static void tell_items(const Field *field, const void *record, JsonWriter *json)
{
    size_t count = count_of(field, record);
    const void *at = member(field, record);
    const Str *texts = field->kind == FIELD_TEXTS ? pointer_at(at) : NULL;
    bool records = field->kind == FIELD_LIST || field->kind == FIELD_ROW;
    if (records)
        json_array(json);
    else
        open_array(field, json);
    for (size_t i = 0; i < count; i++) {
        if (texts)
            json_str(json, texts[i]);
        else if (!(field->rules & OMIT_ABSENT &&
                   is_absent(&field->fields->items[0], item_at(field, record, i))))
            tell_record(field->fields, item_at(field, record, i), field->rules, json);
    }
    json_array_end(json);
}

static void tell_field(const Field *field, const void *record, JsonWriter *json)
{
    const void *at = member(field, record);
    switch (field->kind) {
    case FIELD_RECORD:
        tell_record(field->fields, at, field->rules, json);
        break;
    case FIELD_OTHER:
        if (pointer_at(at))
            tell_record(field->fields, pointer_at(at), field->rules, json);
        else
            json_null(json);
        break;
    case FIELD_TEXTS:
    case FIELD_LIST:
    case FIELD_ROW:
        tell_items(field, record, json);
        break;
    default:
        tell_plain(field, at, json);
    }
}

void fields_tell(const Fields *fields, const void *record, JsonWriter *json)
{
    for (size_t i = 0; i < fields->count; i++) {
        const Field *field = &fields->items[i];
        bool list = field->kind == FIELD_LIST || field->kind == FIELD_ROW;
        if (field->rules & SHARD_ONLY)
            continue;
        if (field->kind == FIELD_CODE) {
            field->tell(json, record);
            continue;
        }
        if (field->rules & INLINE) {
            const void *at = member(field, record);
            fields_tell(field->fields, field->kind == FIELD_OTHER ? pointer_at(at) : at, json);
            continue;
        }
        bool absent = !list && is_absent(field, record);
        if (absent && field->rules & OMIT_ABSENT)
            continue;
        json_key(json, field->key);
        if (absent && field->rules & NULL_ABSENT)
            json_null(json);
        else
            tell_field(field, record, json);
    }
}

void fields_tell_list(const Fields *fields, const char *key, const void *items, size_t count,
                      unsigned rules, JsonWriter *json)
{
    json_array(json_key(json, key));
    for (size_t i = 0; i < count; i++)
        tell_record(fields, (const char *)items + i * fields->size, rules, json);
    json_array_end(json);
}

// ---- shards

static double walk_number(const Field *field, double value, Wire *wire)
{
    double read = wire_number(wire, field->key, value);
    if (!(field->rules & COORDINATE) || !wire_reads(wire) || fabs(read) < 1e9)
        return read;
    wire_bad(wire, field->key);
    return 0;
}

static void walk_plain(const Field *field, void *at, Wire *wire)
{
    unsigned choice;
    switch (field->kind) {
    case FIELD_STR:
        *(Str *)at = wire_str(wire, field->key, *(Str *)at);
        break;
    case FIELD_TEXT: {
        Str text = wire_str(wire, field->key, str_of(pointer_at(at)));
        if (wire_reads(wire))
            memcpy(at, &(const char *){str_cstr(wire->arena, text)}, sizeof(char *));
        break;
    }
    case FIELD_NUMBER:
        *(double *)at = walk_number(field, *(double *)at, wire);
        break;
    case FIELD_FLOAT:
        *(float *)at = (float)walk_number(field, (double)*(float *)at, wire);
        break;
    case FIELD_BOOL:
        *(bool *)at = wire_bool(wire, field->key, *(bool *)at);
        break;
    case FIELD_INT:
        *(int64_t *)at = wire_int(wire, field->key, *(int64_t *)at);
        break;
    case FIELD_UINT:
        *(uint64_t *)at = wire_uint(wire, field->key, *(uint64_t *)at);
        break;
    case FIELD_UINT32:
        *(uint32_t *)at = wire_uint32(wire, field->key, *(uint32_t *)at);
        break;
    case FIELD_SMALL:
        *(int *)at = wire_choice(wire, field->key, *(int *)at, (int)field->limit);
        break;
    case FIELD_BYTE:
        *(uint8_t *)at = (uint8_t)wire_choice(wire, field->key, *(uint8_t *)at, (int)field->limit);
        break;
    default:
        choice = (unsigned)wire_choice(wire, field->key, (int)choice_at(at), (int)field->limit);
        memcpy(at, &choice, sizeof choice);
    }
}

static void walk_texts(const Field *field, void *record, void *at, Wire *wire)
{
    size_t count = count_of(field, record);
    Str *items = wire_texts(wire, field->key, pointer_at(at), &count);
    if (count > field->limit) {
        wire_bad(wire, field->key);
        count = 0;
    }
    if (!wire_reads(wire))
        return;
    memcpy(at, &items, sizeof items);
    set_count(field, record, count);
}

static void walk_items(const Field *field, void *record, void *at, Wire *wire)
{
    WireList list = wire_list(wire, field->key, count_of(field, record));
    if (wire_reads(wire) && list.count > field->limit) {
        wire_bad(wire, field->key);
        list.count = 0;
    }
    if (wire_reads(wire) && field->kind == FIELD_LIST) {
        void *items = arena_alloc(wire->arena, list.count * field->fields->size);
        memcpy(at, &items, sizeof items);
    }
    if (wire_reads(wire))
        set_count(field, record, list.count);
    char *items = field->kind == FIELD_ROW ? at : pointer_at(at);
    for (size_t i = 0; i < list.count; i++) {
        wire_item(wire, &list);
        fields_walk(field->fields, items + i * field->fields->size, wire);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

static void walk_record(const Field *field, void *at, Wire *wire)
{
    bool other = field->kind == FIELD_OTHER;
    if (other && !wire_reads(wire) && !pointer_at(at))
        return;
    WireObject object = wire_open(wire, field->key);
    if (!other && wire_reads(wire) && !wire->at)
        wire_bad(wire, field->key);
    if (other && wire_reads(wire) && wire->at) {
        void *made = arena_alloc(wire->arena, field->fields->size);
        memcpy(at, &made, sizeof made);
    }
    void *to = other ? pointer_at(at) : at;
    if (to)
        fields_walk(field->fields, to, wire);
    wire_close(wire, &object);
}

void fields_walk(const Fields *fields, void *record, Wire *wire)
{
    for (size_t i = 0; i < fields->count; i++) {
        const Field *field = &fields->items[i];
        void *at = (char *)record + field->at;
        if (field->rules & SUMMARY_ONLY)
            continue;
        switch (field->kind) {
        case FIELD_TEXTS:
            walk_texts(field, record, at, wire);
            break;
        case FIELD_LIST:
        case FIELD_ROW:
            walk_items(field, record, at, wire);
            break;
        case FIELD_RECORD:
        case FIELD_OTHER:
            walk_record(field, at, wire);
            break;
        case FIELD_CODE:
            field->walk(wire, field->key, at);
            break;
        default:
            walk_plain(field, at, wire);
        }
    }
}

// ---- history

bool fields_remember(const Fields *fields, const void *record, HistoryFact fact, Arena *arena,
                     HistoryNight *out)
{
    bool any = false;
    for (size_t i = 0; i < fields->count; i++) {
        const Field *field = &fields->items[i];
        if (!(field->rules & IN_HISTORY))
            continue;
        const void *at = member(field, record);
        fact.metric = str_of(field->key);
        fact.value = field->kind == FIELD_NUMBER ? *(const double *)at
                     : field->kind == FIELD_UINT ? (double)*(const uint64_t *)at
                                                 : (double)choice_at(at);
        if (isnan(fact.value))
            continue;
        history_add(out, arena, fact);
        any = true;
    }
    return any;
}
