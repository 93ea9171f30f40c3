// SPDX-License-Identifier: Apache-2.0
#include "export/summary/compare_summary.h"

#include "compare/origin.h"
#include "export/facts/compare_fields.h"
#include "export/summary/history_json.h"
#include "export/summary/summary.h"

static void write_pair(JsonWriter *json, const CompareSummary *summary, size_t index)
{
    const PairFiles *files = &summary->files[index];
    json_object(json);
    fields_tell(&pair_place_fields, &summary->pairs[index], json);
    summary_str(json, "verdict", summary->verdicts[index].sentence);
    fields_tell(&pair_fields, &summary->pairs[index], json);
    json_object_flat(json_key(json, "files"));
    for (size_t i = 0; i < files->count; i++)
        summary_str(json, files->items[i].format, files->items[i].file);
    json_object_end(json);
    json_object_end(json);
}

static void write_side(JsonWriter *json, const CompareSummary *summary, int side)
{
    const PairFacts *pair = compare_summary_read(summary, side);
    json_object_flat(json_key(json, side == 0 ? "golden" : "target"));
    summary_str(json, "path", side == 0 ? summary->golden_path : summary->target_path);
    json_text(json_key(json, "framework"), pair ? framework_text(pair->framework[side]) : NULL);
    summary_name(json, "level", pair ? pair->level[side] : (Str){"", 0});
    summary_name(json, "task", pair ? pair->task[side] : (Str){"", 0});
    summary_name(json, "dtypes", pair ? pair->dtypes[side] : (Str){"", 0});
    summary_name(json, "versions", pair ? pair->versions[side] : (Str){"", 0});
    json_object_end(json);
}

// Where the floor comes from; null without noise runs.
static void write_noise(JsonWriter *json, const CompareSummary *summary)
{
    json_key(json, "noise_floor");
    if (summary->noise_count == 0) {
        json_null(json);
        return;
    }
    json_object(json);
    summary_int(json, "runs", (int64_t)summary->noise_count);
    json_array(json_key(json, "paths"));
    for (size_t i = 0; i < summary->noise_count; i++)
        json_str(json, summary->noise_paths[i]);
    json_array_end(json);
    json_object_end(json);
}

// The criteria in force, whole, so that a report can be judged without the file.
static void write_criteria(JsonWriter *json, const Criteria *criteria)
{
    json_key(json, "criteria");
    if (!criteria) {
        json_null(json);
        return;
    }
    json_object(json);
    fields_tell(&criteria_fields, criteria, json);
    json_object_end(json);
}

void compare_summary_write(const void *facts, Sink *out)
{
    const CompareSummary *summary = facts;
    JsonWriter json;
    json_writer_init(&json, out);
    json_object(&json);
    json_text(json_key(&json, "schema"), "vernier.compare/1");
    json_text(json_key(&json, "version"), summary->version);
    json_text(json_key(&json, "mode"), compare_mode_word(summary->mode));
    json_text(json_key(&json, "rules"), rules_word(summary->rules));
    json_text(json_key(&json, "status"), status_word(summary->status));
    json_bool(json_key(&json, "partial"), summary->verdict->partial);
    if (summary->strict)
        json_bool(json_key(&json, "strict_differs"), summary->strict_differs);
    summary_str(&json, "verdict", summary->verdict->sentence);
    write_side(&json, summary, 0);
    write_side(&json, summary, 1);
    write_noise(&json, summary);
    write_criteria(&json, summary->criteria);
    json_array(json_key(&json, "pairs"));
    for (size_t i = 0; i < summary->count; i++)
        write_pair(&json, summary, i);
    json_array_end(&json);
    json_key(&json, "origin");
    size_t origin = origin_find(summary->pairs, summary->count);
    if (origin == SIZE_MAX)
        json_null(&json);
    else
        json_uint(&json, origin);
    if (summary->history)
        history_json(&json, summary->history);
    summary_end(&json, summary->notices);
}
