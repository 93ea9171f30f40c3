// SPDX-License-Identifier: Apache-2.0
#include "layout/summary.h"

#include <math.h>

#include "base/utf8.h"
#include "base/words.h"

enum { WORD_COLUMNS = 8 };

void summary_str(JsonWriter *json, const char *key, Str text)
{
    json_key(json, key);
    json_str(json, text);
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
    json_key(json, "partial");
    json_bool(json, head->verdict->partial);
    summary_str(json, "verdict", head->verdict->sentence);
}

static void write_problem(JsonWriter *json, const Notice *notice)
{
    static const char *const levels[] = {"info", "warning", "error"};
    json_object_flat(json);
    summary_str(json, "level", str_of(levels[notice->level]));
    summary_str(json, "file", notice->file);
    summary_int(json, "line", notice->line ? (int64_t)notice->line : INT64_MIN);
    summary_int(json, "byte", notice->byte >= 0 ? notice->byte : INT64_MIN);
    summary_str(json, "text", notice->text);
    json_key(json, "count");
    json_uint(json, notice->count);
    json_object_end(json);
}

void summary_end(JsonWriter *json, const Notices *notices)
{
    json_key(json, "problems");
    json_array(json);
    for (size_t i = 0; i < notices->count; i++)
        write_problem(json, &notices->items[i]);
    json_array_end(json);
    json_object_end(json);
    json_end(json);
}

Str summary_sentence(const Verdict *verdict, Str rest, Arena *arena)
{
    int columns = 0;
    for (size_t at = 0; at < verdict->word.size;)
        columns += utf8_columns(utf8_next(verdict->word, &at));
    int pad = columns < WORD_COLUMNS ? WORD_COLUMNS - columns : 0;
    return str_printf(arena, "%s%s" STR_FMT "%*s  " STR_FMT, verdict->partial ? tr("PARTIAL") : "",
                      verdict->partial ? " " : "", STR_ARG(verdict->word), pad, "", STR_ARG(rest));
}
