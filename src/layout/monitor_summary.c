// SPDX-License-Identifier: Apache-2.0
#include "layout/monitor_summary.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "layout/history_page.h"

MonitorStatus monitor_status(const MonitorViews *views)
{
    MonitorStatus status = MONITOR_QUIET;
    for (size_t i = 0; i < views->count; i++) {
        const Alarm *first = alarms_first(&views->items[i].alarms);
        if (first && first->level != ALARM_WEAK)
            return MONITOR_ALARM;
        if (first)
            status = MONITOR_WEAK;
    }
    return status;
}

// ---- sentences

// "4.0x", "0.31x", "1.2e+04x": two digits tell how far, more would say how exactly.
static Str ratio_text(double ratio, Arena *arena)
{
    char text[NUMBER_BYTES];
    if (isinf(ratio))
        return str_of(tr("without bound"));
    if (ratio >= 0.95 && ratio < 100) {
        number_fixed(ratio, 1, text);
        return str_printf(arena, "%s%sx", text,
                          str_find_char(str_of(text), '.', 0) == SIZE_MAX ? ".0" : "");
    }
    number_significant(ratio, 2, text);
    return str_printf(arena, "%sx", text);
}

static Str object_text(const Alarm *alarm, Arena *arena)
{
    StrBuf text;
    strbuf_init(&text, arena);
    strbuf_add(&text, alarm->type);
    strbuf_add_char(&text, ' ');
    strbuf_add(&text, alarm->name);
    if (alarm->stage != MONITOR_NONE && alarm->stage > 0)
        strbuf_printf(&text, tr(" (stage %lld)"), (long long)alarm->stage);
    return strbuf_str(&text);
}

static Str what_text(const Alarm *alarm, Arena *arena)
{
    Str object = object_text(alarm, arena);
    Str op = alarm->op_count ? alarm->ops[0] : STR("");
    char number[NUMBER_BYTES], before[NUMBER_BYTES];
    if (alarm->rule == ALARM_SIMILARITY) {
        number_significant(alarm->value, 3, number);
        number_significant(alarm->history, 3, before);
        if (isnan(alarm->history))
            return str_printf(arena, tr("gradient direction of " STR_FMT " agrees by %s only"),
                              STR_ARG(alarm->name), number);
        return str_printf(
            arena, tr("agreement of the gradient direction of " STR_FMT " falls from %s to %s"),
            STR_ARG(alarm->name), before, number);
    }
    if (isnan(alarm->value))
        return str_printf(arena, tr("NaN in " STR_FMT), STR_ARG(object));
    if (isinf(alarm->value))
        return str_printf(arena, tr("infinity in " STR_FMT " of " STR_FMT), STR_ARG(op),
                          STR_ARG(object));
    if (str_equal(op, STR("nans")))
        return str_printf(arena, tr("NaN counted in " STR_FMT), STR_ARG(object));
    Str ratio = ratio_text(alarm->ratio, arena);
    return str_printf(arena, tr(STR_FMT " of " STR_FMT " " STR_FMT " its history"), STR_ARG(op),
                      STR_ARG(object), STR_ARG(ratio));
}

Str monitor_alarm_sentence(const Alarm *alarm, Arena *arena)
{
    Str what = what_text(alarm, arena);
    return str_printf(arena, tr(STR_FMT ", step %lld, rank %lld"), STR_ARG(what),
                      (long long)alarm->step, (long long)alarm->rank);
}

size_t monitor_first_view(const MonitorViews *views)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < views->count; i++) {
        const Alarm *first = alarms_first(&views->items[i].alarms);
        if (first &&
            (best == SIZE_MAX || first->level < alarms_first(&views->items[best].alarms)->level))
            best = i;
    }
    return best == SIZE_MAX ? 0 : best;
}

Str monitor_extent(size_t ranks, size_t steps, size_t names, Arena *arena)
{
    Str rank_text = str_printf(arena, tr_count(ranks, "%zu rank", "%zu ranks"), ranks);
    Str step_text = str_printf(arena, tr_count(steps, "%zu step", "%zu steps"), steps);
    Str name_text = str_printf(arena, tr_count(names, "%zu name", "%zu names"), names);
    return str_printf(arena, tr(STR_FMT " x " STR_FMT ", " STR_FMT), STR_ARG(rank_text),
                      STR_ARG(step_text), STR_ARG(name_text));
}

static Str extent_text(const MonitorViews *views, Arena *arena)
{
    StrBuf text;
    strbuf_init(&text, arena);
    for (size_t i = 0; i < views->count; i++) {
        const MonitorRun *run = &views->items[i].run;
        if (views->count > 1)
            strbuf_printf(&text, "%s" STR_FMT ": ", i ? "; " : "", STR_ARG(run->name));
        strbuf_add(&text,
                   monitor_extent(run->rank_count, run->step_count, run->object_count, arena));
    }
    return strbuf_str(&text);
}

static void quiet_verdict(const MonitorViews *views, Arena *arena, Verdict *out)
{
    size_t weak = 0;
    for (size_t i = 0; i < views->count; i++)
        weak += views->items[i].alarms.count + (size_t)views->items[i].alarms.left_out;
    char count[NUMBER_BYTES];
    number_count(weak, count);
    out->style = weak ? STYLE_WARNING : STYLE_PASS;
    out->word = str_of(tr("QUIET"));
    out->place = STR("");
    out->reason =
        weak
            ? str_printf(
                  arena,
                  tr_count(
                      weak,
                      "%s alarm of the monitor's own rule on another statistic than the norm; no other rule confirms it",
                      "%s alarms of the monitor's own rule on other statistics "
                      "than the norm; no other rule confirms one"),
                  count)
            : str_of(tr("no alarm"));
    out->context = extent_text(views, arena);
    Str rest =
        str_printf(arena, tr(STR_FMT ": " STR_FMT), STR_ARG(out->context), STR_ARG(out->reason));
    out->sentence = summary_sentence(out, rest, arena);
}

void monitor_verdict(const MonitorViews *views, bool partial, Arena *arena, Verdict *out)
{
    *out = (Verdict){.partial = partial};
    if (monitor_status(views) != MONITOR_ALARM) {
        quiet_verdict(views, arena, out);
        return;
    }
    size_t places = 0, index = monitor_first_view(views);
    for (size_t i = 0; i < views->count; i++)
        places += alarms_places(&views->items[i].alarms);
    const MonitorView *view = &views->items[index];
    const Alarm *first = alarms_first(&view->alarms);
    char count[NUMBER_BYTES];
    number_count(places, count);
    Str sentence = monitor_alarm_sentence(first, arena);
    out->style = STYLE_ERROR;
    out->word = str_of(tr("ALARM"));
    out->place = str_printf(arena, tr(STR_FMT ", rank %lld, step %lld"), STR_ARG(first->name),
                            (long long)first->rank, (long long)first->step);
    out->reason = what_text(first, arena);
    Str extent = extent_text(views, arena);
    Str run =
        views->count > 1 ? str_printf(arena, tr(" of " STR_FMT), STR_ARG(view->run.name)) : STR("");
    out->context =
        str_printf(arena, places == 1 ? tr("%s alarm · " STR_FMT) : tr("%s alarms · " STR_FMT),
                   count, STR_ARG(extent));
    Str rest = str_printf(arena,
                          places == 1 ? tr("%s alarm: " STR_FMT STR_FMT)
                                      : tr("%s alarms; first: " STR_FMT STR_FMT),
                          count, STR_ARG(sentence), STR_ARG(run));
    out->sentence = summary_sentence(out, rest, arena);
}

// ---- summary.json

static void write_run(JsonWriter *json, const MonitorView *view)
{
    const MonitorRun *run = &view->run;
    json_object(json);
    summary_str(json, "name", run->name);
    summary_str(json, "path", str_of(run->path));
    json_key(json, "ranks");
    json_array_flat(json);
    for (size_t i = 0; i < run->rank_count; i++)
        json_int(json, run->ranks[i]);
    json_array_end(json);
    json_key(json, "steps");
    json_array_flat(json);
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
    json_key(json, "types");
    json_array_flat(json);
    for (size_t i = 0; i < run->type_count; i++)
        json_str(json, run->types[i]);
    json_array_end(json);
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
    json_key(json, "ops");
    json_array_flat(json);
    for (size_t i = 0; i < alarm->op_count; i++)
        json_str(json, alarm->ops[i]);
    json_array_end(json);
    summary_number(json, "ratio", alarm->ratio);
    json_key(json, "value");
    json_number(json, alarm->value);
    summary_number(json, "history", alarm->history);
    summary_str(json, "level", str_of(levels[alarm->level]));
    json_object_end(json);
}

static void write_differences(JsonWriter *json, const MonitorSummary *summary)
{
    json_key(json, "comparisons");
    json_array(json);
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

static void write_missing(JsonWriter *json, const MonitorSummary *summary)
{
    json_key(json, "only_in_one_run");
    json_array(json);
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

void monitor_summary_write(const MonitorSummary *summary, Sink *out)
{
    static const char *const words[] = {"pass", "warning", "error"};
    JsonWriter json;
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.monitor/1",
                                 .version = summary->version,
                                 .status = words[monitor_status(summary->views)],
                                 .verdict = summary->verdict},
                  out);
    json_key(&json, "runs");
    json_array(&json);
    for (size_t i = 0; i < summary->views->count; i++)
        write_run(&json, &summary->views->items[i]);
    json_array_end(&json);
    json_key(&json, "alarms");
    json_array(&json);
    for (size_t v = 0; v < summary->views->count; v++) {
        const MonitorView *view = &summary->views->items[v];
        for (size_t i = 0; i < view->alarms.count && i < MONITOR_JSON_ALARMS_MAX; i++)
            write_alarm(&json, &view->run, &view->alarms.items[i]);
    }
    json_array_end(&json);
    write_differences(&json, summary);
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
    json_key(json, str_printf(scratch, STR_FMT "_step_%lld_call_%lld", STR_ARG(tag),
                              (long long)alarm->step, (long long)alarm->call)
                       .data);
    json_object(json);
    summary_int(json, "rank", alarm->rank);
    summary_int(json, "step", alarm->step);
    summary_int(json, "micro_step", 0);
    summary_int(json, "pp_stage", known ? known->pp_stage : -1);
    summary_int(json, "vpp_stage", alarm->stage == MONITOR_NONE ? -1 : alarm->stage);
    summary_int(json, "call_id", alarm->call);
    summary_str(json, "tag_name", tag);
    summary_str(json, "message", alarm_message(alarm, scratch));
    json_key(json, "group_mates");
    json_array(json);
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
