// SPDX-License-Identifier: Apache-2.0
// The verdict of a study and its summary.json.
#include "base/words.h"
#include "export/summary/history_json.h"
#include "export/summary/summary.h"
#include "verdict/study_view.h"

static const char *const status_keys[] = {"not done", "passed", "failed"};

static const char *const symptom_keys[] = {
    "unknown", "none",           "overflow or NaN", "first-step difference",
    "spikes",  "long-run drift", "other",
};

static void write_inputs(JsonWriter *json, const StudySection *section)
{
    json_object_flat(json_key(json, "inputs"));
    for (size_t i = 0; i < section->count; i++) {
        const StudyValue *value = &section->items[i];
        json_array_flat(json_key_str(json, value->key));
        for (size_t k = 0; k < value->count; k++)
            json_str(json, value->items[k]);
        json_array_end(json);
    }
    json_object_end(json);
}

static void write_files(JsonWriter *json, const StageResult *stage)
{
    json_array_flat(json_key(json, "figures"));
    for (size_t i = 0; i < stage->figure_count; i++)
        json_str(json, stage->figures[i].name);
    json_array_end(json);
    json_array_flat(json_key(json, "tables"));
    for (size_t i = 0; i < stage->table_count; i++)
        json_str(json, stage->tables[i]->name);
    json_array_end(json);
}

static void write_stage(JsonWriter *json, const StudyView *view, StudyStage stage)
{
    const StageResult *result = &view->stages[stage];
    const StageInfo *info = &result->info;
    json_object(json);
    summary_str(json, "stage", str_of(study_stage_key(stage)));
    summary_str(json, "title", str_of(tr(info->title)));
    summary_str(json, "status", str_of(status_keys[result->status]));
    json_bool(json_key(json, "unreadable"), result->unreadable);
    summary_str(json, "number", result->number);
    summary_str(json, "rule", result->rule);
    summary_str(json, "source", result->source);
    summary_str(json, "verdict", result->verdict.sentence);
    if (result->status == STAGE_NOT_DONE) {
        summary_str(json, "reason", result->reason);
        summary_str(json, "needs", str_of(tr(info->needs)));
        summary_str(json, "collect", str_of(info->collect));
    }
    summary_str(json, "command", result->command);
    write_inputs(json, &view->plan->sections[stage]);
    write_files(json, result);
    json_object_end(json);
}

static void write_symptom(JsonWriter *json, const Symptom *symptom)
{
    json_object(json_key(json, "symptom"));
    summary_str(json, "kind", str_of(symptom_keys[symptom->kind]));
    summary_str(json, "evidence", symptom->evidence);
    summary_int(json, "dump_step", symptom->dump_step >= 0 ? symptom->dump_step : INT64_MIN);
    summary_str(json, "also", symptom->also);
    summary_str(json, "dump", symptom->dump);
    summary_str(json, "place", symptom->place);
    summary_str(json, "certainty", symptom->certainty);
    json_object_end(json);
}

void study_summary_write(const void *facts, Sink *out)
{
    const StudyView *view = facts;
    JsonWriter json;
    const char *status = view->verdict.style == STYLE_ERROR     ? "error"
                         : view->verdict.style == STYLE_NO_DATA ? "no data"
                                                                : "pass";
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.study/1",
                                 .version = view->version,
                                 .status = status,
                                 .verdict = &view->verdict},
                  out);
    json_object_flat(json_key(&json, "counts"));
    summary_int(&json, "passed", (int64_t)study_count(view, STAGE_PASSED));
    summary_int(&json, "failed", (int64_t)study_count(view, STAGE_FAILED));
    summary_int(&json, "not_done", (int64_t)study_count(view, STAGE_NOT_DONE));
    json_object_end(&json);
    write_symptom(&json, &view->symptom);
    json_array(json_key(&json, "stages"));
    for (int i = 0; i < STAGE_COUNT; i++)
        write_stage(&json, view, (StudyStage)i);
    json_array_end(&json);
    if (view->history)
        history_json(&json, view->history);
    summary_end(&json, view->notices);
}
