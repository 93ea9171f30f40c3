// SPDX-License-Identifier: Apache-2.0
// summary.json of `vernier compare --runs`.
#include "export/summary/runs_summary.h"

#include "export/summary/summary.h"
#include "verdict/runs_born.h"

static void write_layers(JsonWriter *json, const RunsView *report, const RunFacts *run)
{
    json_array(json_key(json, "layers"));
    for (size_t i = 0; run->layers && i < report->layer_count; i++) {
        const RunLayer *layer = &run->layers[i];
        if (!layer->leaves)
            continue;
        json_object_flat(json);
        summary_str(json, "name", report->layers[i]);
        summary_str(json, "status", str_of(status_word(layer->status)));
        json_bool(json_key(json, "first"), layer->first);
        json_bool(json_key(json, "starts"), layer->starts);
        summary_number(json, "error", layer->error);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_leave(JsonWriter *json, const char *key, const RunLeave *first)
{
    json_key(json, key);
    if (!first->leaves) {
        json_null(json);
        return;
    }
    json_object_flat(json);
    summary_int(json, "step", first->step);
    if (first->stage.size)
        summary_str(json, "stage", first->stage);
    summary_int(json, "rank", first->rank);
    summary_str(json, "op", first->op);
    summary_str(json, "module", first->module);
    summary_str(json, "slot", first->slot);
    summary_int(json, "position", first->position);
    summary_str(json, "status", str_of(status_word(first->status)));
    json_bool(json_key(json, "inputs_same"), first->inputs_same);
    summary_number(json, "error_in", first->error_in < 0 ? 0 : first->error_in);
    summary_number(json, "error_out", first->error_out < 0 ? 0 : first->error_out);
    json_object_end(json);
}

static void write_run(JsonWriter *json, const RunsView *report, const RunFacts *run)
{
    json_object(json);
    summary_str(json, "path", run->path);
    summary_str(json, "label", run->label);
    summary_str(json, "status", str_of(status_word(run->failed ? STATUS_NO_DATA : run->status)));
    json_bool(json_key(json, "identical"), !run->failed && !run->first.leaves);
    summary_int(json, "group", run->failed ? INT64_MIN : (int64_t)run->group);
    summary_int(json, "differing_ops", (int64_t)run->differing);
    write_leave(json, "first", &run->first);
    write_leave(json, "beyond", &run->beyond);
    write_layers(json, report, run);
    json_object_end(json);
}

static void write_born(JsonWriter *json, const RunsView *report)
{
    Arena *scratch = arena_new();
    BornPlaces born;
    runs_born(report, scratch, &born);
    json_array(json_key(json, "born"));
    for (size_t i = 0; i < born.count; i++) {
        json_object_flat(json);
        summary_str(json, "place", born.items[i].name);
        summary_int(json, "runs", (int64_t)born.items[i].runs);
        summary_str(json, "op", born.items[i].op);
        summary_number(json, "error", born.items[i].largest);
        json_object_end(json);
    }
    json_array_end(json);
    arena_release(scratch);
}

// The arguments with which the spread becomes the noise of another comparison.
static void write_noise(JsonWriter *json, const RunsView *report)
{
    json_key(json, "noise");
    if (report->common == SIZE_MAX) {
        json_null(json);
        return;
    }
    json_object(json);
    summary_str(json, "golden", report->runs[report->common].path);
    json_array(json_key(json, "runs"));
    for (size_t i = 0; i < report->count; i++)
        if (report->runs[i].first.leaves)
            json_str(json, report->runs[i].path);
    json_array_end(json);
    summary_number(json, "largest", runs_tally(report).largest);
    json_object_end(json);
}

void runs_summary_write(const void *facts, Sink *out)
{
    const RunsView *report = facts;
    JsonWriter json;
    RunsTally tally = runs_tally(report);
    SummaryHead head = {.schema = "vernier.runs/1",
                        .version = report->version,
                        .status = status_word(runs_status(report)),
                        .verdict = &report->verdict};
    summary_begin(&json, &head, out);
    json_key(&json, "common");
    if (report->common == SIZE_MAX)
        json_null(&json);
    else
        json_str(&json, report->runs[report->common].path);
    summary_int(&json, "identical", (int64_t)tally.identical);
    summary_int(&json, "parting", (int64_t)tally.parting);
    json_array(json_key(&json, "runs"));
    for (size_t i = 0; i < report->count; i++)
        write_run(&json, report, &report->runs[i]);
    json_array_end(&json);
    write_born(&json, report);
    write_noise(&json, report);
    summary_end(&json, report->notices);
}
