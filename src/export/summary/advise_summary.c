// SPDX-License-Identifier: Apache-2.0
// summary.json of `vernier advise`.
#include "export/summary/advise_summary.h"

#include "export/summary/summary.h"

static void write_result(JsonWriter *json, const SkipResult *result)
{
    summary_number(json, "threshold", result->threshold);
    summary_int(json, "count", (int64_t)result->count);
    summary_ints(json, "skipped", result->skipped, result->skipped_count);
    summary_int(json, "abort_at", result->aborts ? result->abort_at : INT64_MIN);
    summary_int(json, "longest_row", (int64_t)result->longest_row);
    summary_int(json, "spikes_caught", (int64_t)result->caught);
}

static void write_suggested(JsonWriter *json, const SkipAdvice *advice)
{
    json_object(json_key(json, "suggested"));
    summary_number(json, "threshold", advice->suggested.threshold);
    summary_int(json, "count", (int64_t)advice->suggested.count);
    summary_number(json, "skipped_share", advice->skipped_share);
    json_object_end(json);
    summary_int(json, "warmup_end", advice->warmup_end);
    summary_number(json, "largest_normal", advice->largest_normal);
    summary_number(json, "smallest_spike", advice->smallest_spike);
    summary_number(json, "robust", advice->robust);
    summary_number(json, "safe", advice->safe);
    summary_number(json, "gap", advice->gap);
    json_bool(json_key(json, "too_short"), advice->too_short);
}

static void write_recorded(JsonWriter *json, const SkipView *view)
{
    json_object(json_key(json, "recorded"));
    summary_number(json, "threshold", view->run->skip_threshold);
    summary_ints(json, "skipped", view->recorded, view->recorded_count);
    json_object_end(json);
}

static void write_name(JsonWriter *json, const char *key, const Checkpoint *checkpoint)
{
    json_key(json, key);
    if (checkpoint)
        json_str(json, checkpoint->name);
    else
        json_null(json);
}

static void write_mark(JsonWriter *json, const HealthMark *mark)
{
    json_object_flat(json);
    summary_str(json, "name", mark->checkpoint->name);
    summary_int(json, "step", mark->has_step ? mark->step : INT64_MIN);
    summary_str(json, "health", mark->checkpoint->healthy ? STR("healthy") : STR("unhealthy"));
    summary_number(json, "value", mark->value);
    json_object_end(json);
}

static void write_health(JsonWriter *json, const HealthFindings *report)
{
    summary_number(json, "threshold", report->threshold);
    json_array_flat(json_key(json, "unhealthy_steps"));
    for (size_t i = 0; i < report->count; i++)
        if (!report->marks[i].checkpoint->healthy && report->marks[i].has_step)
            json_int(json, report->marks[i].step);
    json_array_end(json);
    json_array(json_key(json, "causes"));
    for (size_t i = 0; i < report->cause_count; i++) {
        json_object_flat(json);
        summary_int(json, "step", report->causes[i].step);
        summary_int(json, "rank", report->causes[i].rank < 0 ? INT64_MIN : report->causes[i].rank);
        summary_number(json, "value", report->causes[i].value);
        json_object_end(json);
    }
    json_array_end(json);
    write_name(json, "newest_healthy", report->newest_healthy);
    write_name(json, "newest", report->newest);
    summary_number(json, "suggested_threshold", report->suggested);
    json_array(json_key(json, "checkpoints"));
    for (size_t i = 0; i < report->count; i++)
        write_mark(json, &report->marks[i]);
    json_array_end(json);
}

void advise_summary_write(const void *facts, Sink *out)
{
    const AdviseSummary *summary = facts;
    JsonWriter json;
    summary_begin(
        &json,
        &(SummaryHead){.schema = "vernier.advise/1",
                       .version = summary->version,
                       .status = summary->verdict->style == STYLE_ERROR ? "error" : "pass",
                       .verdict = summary->verdict},
        out);
    if (summary->skip) {
        json_object(json_key(&json, "skip"));
        write_result(&json, &summary->skip->result);
        write_suggested(&json, &summary->skip->advice);
        write_recorded(&json, summary->skip);
        json_object_end(&json);
    }
    if (summary->health) {
        json_object(json_key(&json, "health"));
        write_health(&json, summary->health);
        json_object_end(&json);
    }
    summary_end(&json, summary->notices);
}
