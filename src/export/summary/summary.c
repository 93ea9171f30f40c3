// SPDX-License-Identifier: Apache-2.0
#include "export/summary/summary.h"

#include <assert.h>
#include <math.h>

#include "export/facts/compare_fields.h"

void summary_str(JsonWriter *json, const char *key, Str text)
{
    json_str(json_key(json, key), text);
}

void summary_name(JsonWriter *json, const char *key, Str text)
{
    if (text.size)
        summary_str(json, key, text);
    else
        json_null(json_key(json, key));
}

void summary_ints(JsonWriter *json, const char *key, const int64_t *items, size_t count)
{
    json_array_flat(json_key(json, key));
    for (size_t i = 0; i < count; i++)
        json_int(json, items[i]);
    json_array_end(json);
}

void summary_strs(JsonWriter *json, const char *key, const Str *items, size_t count)
{
    json_array_flat(json_key(json, key));
    for (size_t i = 0; i < count; i++)
        json_str(json, items[i]);
    json_array_end(json);
}

void summary_number(JsonWriter *json, const char *key, double value)
{
    json_key(json, key);
    if (isnan(value))
        json_null(json);
    else
        json_number(json, value);
}

void summary_int(JsonWriter *json, const char *key, int64_t value)
{
    json_key(json, key);
    if (value == INT64_MIN)
        json_null(json);
    else
        json_int(json, value);
}

void summary_begin(JsonWriter *json, const SummaryHead *head, Sink *out)
{
    json_writer_init(json, out);
    json_object(json);
    summary_str(json, "schema", str_of(head->schema));
    summary_str(json, "version", str_of(head->version));
    summary_str(json, "status", str_of(head->status));
    json_bool(json_key(json, "partial"), head->verdict->partial);
    summary_str(json, "verdict", head->verdict->sentence);
}

void summary_end(JsonWriter *json, const Notices *notices)
{
#ifdef VERNIER_SANITIZED
    assert(account_open(&notices->account) == 0);
#endif
    if (notices->title.size)
        summary_str(json, "title", notices->title);
    json_object_flat(json_key(json, "coverage"));
    fields_tell(&account_fields, &notices->account, json);
    json_object_end(json);
    fields_tell_list(&notice_fields, "problems", notices->items, notices->count, FLAT, json);
    json_object_end(json);
    json_end(json);
}
