// SPDX-License-Identifier: Apache-2.0
// summary.json of `vernier monitor`, and its alarms as the monitor itself writes them.
#include "export/summary/monitor_summary.h"

#include "export/summary/history_json.h"
#include "export/summary/summary.h"

static void write_run(JsonWriter *json, const MonitorView *view)
{
    const MonitorRun *run = &view->run;
    json_object(json);
    summary_str(json, "name", run->name);
    summary_str(json, "path", str_of(run->path));
    summary_ints(json, "ranks", run->ranks, run->rank_count);
    json_array_flat(json_key(json, "steps"));
    for (size_t i = 0; i < 2 && run->step_count; i++)
        json_int(json, run->steps[i ? run->step_count - 1 : 0]);
    json_array_end(json);
    json_key(json, "overlap");
    if (run->overlap) {
        json_array_flat(json);
        json_int(json, run->overlap_first);
        json_int(json, run->overlap_last);
        json_array_end(json);
    } else {
        json_null(json);
    }
    summary_strs(json, "types", run->types, run->type_count);
    summary_int(json, "names", (int64_t)run->object_count);
    summary_int(json, "series", (int64_t)run->series_count);
    summary_int(json, "quantised_series", (int64_t)view->quantised_series);
    summary_int(json, "files", (int64_t)run->file_count);
    summary_int(json, "rows", (int64_t)run->row_count);
    summary_int(json, "bytes", (int64_t)run->byte_count);
    summary_int(json, "alarms_left_out", (int64_t)view->alarms.left_out);
    json_object_end(json);
}

static void write_alarm(JsonWriter *json, const MonitorRun *run, const Alarm *alarm)
{
    static const char *const levels[] = {"certain", "likely", "weak"};
    json_object_flat(json);
    summary_str(json, "rule", str_of(alarm_rule_name(alarm->rule)));
    summary_str(json, "run", run->name);
    summary_int(json, "rank", alarm->rank);
    summary_str(json, "type", alarm->type);
    summary_int(json, "vpp_stage", alarm->stage);
    summary_str(json, "name", alarm->name);
    summary_int(json, "step", alarm->step);
    summary_int(json, "last_step", alarm->last_step);
    summary_int(json, "micro_step", alarm->micro);
    summary_strs(json, "ops", alarm->ops, alarm->op_count);
    summary_number(json, "ratio", alarm->ratio);
    json_number(json_key(json, "value"), alarm->value);
    summary_number(json, "history", alarm->history);
    summary_str(json, "level", str_of(levels[alarm->level]));
    json_object_end(json);
}

static void write_differences(JsonWriter *json, const MonitorSummary *summary)
{
    json_array(json_key(json, "comparisons"));
    for (size_t i = 0; summary->differences && i < summary->differences->count; i++) {
        const MonitorDifference *difference = &summary->differences->items[i];
        json_object_flat(json);
        summary_str(json, "golden", summary->views->items[0].run.name);
        summary_str(json, "target", summary->views->items[1].run.name);
        summary_str(json, "type", difference->type);
        summary_str(json, "op", difference->op);
        summary_int(json, "series", (int64_t)difference->series);
        summary_int(json, "points", (int64_t)difference->points);
        summary_number(json, "median_ratio", difference->median_ratio);
        summary_number(json, "largest_ratio", difference->largest_ratio);
        summary_str(json, "name", difference->name);
        summary_int(json, "rank", difference->points ? difference->rank : INT64_MIN);
        summary_int(json, "step", difference->points ? difference->step : INT64_MIN);
        summary_int(json, "one_sided_nan", (int64_t)difference->one_sided_nan);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_apart(JsonWriter *json, const MonitorSummary *summary)
{
    const MonitorApart *apart = &summary->views->apart;
    json_key(json, "apart");
    if (!apart->apart) {
        json_null(json);
        return;
    }
    json_object_flat(json);
    summary_int(json, "names", (int64_t)apart->apart);
    summary_int(json, "compared", (int64_t)apart->objects);
    summary_str(json, "type", apart->type);
    summary_str(json, "name", apart->name);
    summary_str(json, "op", apart->op);
    summary_int(json, "vpp_stage", apart->stage);
    summary_number(json, "ratio", apart->ratio);
    summary_int(json, "step", apart->step);
    json_object_end(json);
}

static void write_missing(JsonWriter *json, const MonitorSummary *summary)
{
    json_array(json_key(json, "only_in_one_run"));
    for (size_t i = 0; summary->differences && i < summary->differences->missing_count; i++) {
        const MonitorMissing *missing = &summary->differences->missing[i];
        json_object_flat(json);
        summary_str(json, "run", summary->views->items[missing->in_golden ? 0 : 1].run.name);
        summary_str(json, "type", missing->type);
        summary_str(json, "name", missing->name);
        summary_int(json, "vpp_stage", missing->stage);
        summary_int(json, "names", (int64_t)missing->objects);
        summary_int(json, "ranks", (int64_t)missing->ranks);
        json_object_end(json);
    }
    json_array_end(json);
}

void monitor_summary_write(const void *facts, Sink *out)
{
    const MonitorSummary *summary = facts;
    static const char *const words[MONITOR_STATUS_COUNT] = {
        [MONITOR_QUIET] = "pass",
        [MONITOR_WEAK] = "warning",
        [MONITOR_APART] = "error",
        [MONITOR_ALARM] = "error",
    };
    JsonWriter json;
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.monitor/1",
                                 .version = summary->version,
                                 .status = words[monitor_status(summary->views)],
                                 .verdict = summary->verdict},
                  out);
    json_array(json_key(&json, "runs"));
    for (size_t i = 0; i < summary->views->count; i++)
        write_run(&json, &summary->views->items[i]);
    json_array_end(&json);
    json_array(json_key(&json, "alarms"));
    for (size_t v = 0; v < summary->views->count; v++) {
        const MonitorView *view = &summary->views->items[v];
        for (size_t i = 0; i < view->alarms.count && i < MONITOR_JSON_ALARMS_MAX; i++)
            write_alarm(&json, &view->run, &view->alarms.items[i]);
    }
    json_array_end(&json);
    write_differences(&json, summary);
    write_apart(&json, summary);
    write_missing(&json, summary);
    if (summary->history)
        history_json(&json, summary->history);
    summary_end(&json, summary->notices);
}

// ---- anomaly_analyse.json

static const MonitorAnomaly *recorded_of_rank(const MonitorView *view, int64_t rank)
{
    for (size_t i = 0; i < view->recorded.count; i++)
        if (view->recorded.items[i].rank == rank)
            return &view->recorded.items[i];
    return NULL;
}

static void write_record(JsonWriter *json, const MonitorView *view, const Alarm *alarm,
                         Arena *scratch)
{
    Str tag = alarm_tag(alarm, scratch);
    const MonitorAnomaly *known = recorded_of_rank(view, alarm->rank);
    json_object(json_key(json, str_printf(scratch, STR_FMT "_step_%lld_call_%lld", STR_ARG(tag),
                                          (long long)alarm->step, (long long)alarm->call)
                                   .data));
    summary_int(json, "rank", alarm->rank);
    summary_int(json, "step", alarm->step);
    summary_int(json, "micro_step", 0);
    summary_int(json, "pp_stage", known ? known->pp_stage : -1);
    summary_int(json, "vpp_stage", alarm->stage == MONITOR_NONE ? -1 : alarm->stage);
    summary_int(json, "call_id", alarm->call);
    summary_str(json, "tag_name", tag);
    summary_str(json, "message", alarm_message(alarm, scratch));
    json_array(json_key(json, "group_mates"));
    for (size_t i = 0; known && i < known->mate_count; i++)
        json_int(json, known->mates[i]);
    if (!known)
        json_int(json, alarm->rank);
    json_array_end(json);
    json_object_end(json);
}

void monitor_analyse_write(const MonitorView *view, Sink *out)
{
    Arena *scratch = arena_new();
    JsonWriter json;
    json_writer_init(&json, out);
    json_object(&json);
    for (size_t i = 0; i < view->alarms.count; i++) {
        const Alarm *alarm = &view->alarms.items[i];
        const Alarm *before = i ? &view->alarms.items[i - 1] : NULL;
        // Keys hold no rule: of two rules at one place the first one stays.
        bool same = before && before->rank == alarm->rank && before->step == alarm->step &&
                    before->call == alarm->call && str_equal(before->type, alarm->type) &&
                    str_equal(before->name, alarm->name) && before->stage == alarm->stage &&
                    before->micro == alarm->micro;
        if (!same)
            write_record(&json, view, alarm, scratch);
    }
    json_object_end(&json);
    json_end(&json);
    arena_release(scratch);
}
