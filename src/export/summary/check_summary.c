// SPDX-License-Identifier: Apache-2.0
#include "export/summary/check_summary.h"

#include "export/summary/history_json.h"
#include "export/summary/summary.h"

static void write_break(JsonWriter *json, const LawBreak *it)
{
    json_object_flat(json);
    summary_int(json, "step", it->step);
    summary_int(json, "rank", it->rank);
    if (it->other >= 0)
        summary_int(json, "other_rank", it->other);
    summary_name(json, "what", it->what);
    summary_str(json, "text", it->text);
    json_object_end(json);
}

static void write_law(JsonWriter *json, const LawResult *it)
{
    json_object(json);
    summary_str(json, "name", str_of(it->law->name));
    summary_str(json, "verdict", str_of(law_state_key(it->state)));
    json_bool(json_key(json, "possible"), it->possible);
    if (it->follows)
        summary_str(json, "follows", str_of(it->follows->law->name));
    summary_int(json, "checked", (int64_t)it->checked);
    summary_int(json, "broken", (int64_t)it->broken);
    summary_int(json, "open", (int64_t)it->open);
    summary_name(json, "why", it->why);
    json_array(json_key(json, "evidence"));
    for (size_t i = 0; i < it->break_count; i++)
        write_break(json, &it->breaks[i]);
    json_array_end(json);
    json_object_end(json);
}

static void write_layout(JsonWriter *json, const RankLayout *layout)
{
    json_object(json_key(json, "layout"));
    json_bool(json_key(json, "given"), layout->given);
    summary_int(json, "pipeline", layout->pipeline);
    json_array(json_key(json, "ranks"));
    for (size_t i = 0; i < layout->count; i++) {
        const RankPlace *it = &layout->places[i];
        json_object_flat(json);
        summary_int(json, "rank", it->rank);
        summary_int(json, "copies", it->copies == GROUP_UNKNOWN ? INT64_MIN : (int64_t)it->copies);
        summary_int(json, "shares", it->shares == GROUP_UNKNOWN ? INT64_MIN : (int64_t)it->shares);
        json_object_end(json);
    }
    json_array_end(json);
    json_object_end(json);
}

static void write_expects(JsonWriter *json, const Evidence *of)
{
    json_array(json_key(json, "expects"));
    for (size_t i = 0; i < of->expects->all->count; i++) {
        json_object_flat(json);
        summary_str(json, "expect", of->expects->all->items[i].text);
        summary_name(json, "from", of->expects->all->items[i].source);
        summary_int(json, "checked", (int64_t)of->expects->tally[i].checked);
        json_object_end(json);
    }
    json_array_end(json);
}

void check_summary_write(const void *facts, Sink *out)
{
    const CheckView *view = facts;
    JsonWriter json;
    const size_t *states = view->results->states;
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.check/1",
                                 .version = view->version,
                                 .status = states[LAW_BROKEN]  ? "error"
                                           : states[LAW_HOLDS] ? "pass"
                                                               : "no data",
                                 .verdict = &view->verdict},
                  out);
    summary_str(&json, "dump", view->path);
    summary_int(&json, "dumps", (int64_t)view->files);
    summary_int(&json, "steps", (int64_t)view->steps);
    write_layout(&json, view->evidence->layout);
    write_expects(&json, view->evidence);
    json_object_flat(json_key(&json, "counts"));
    for (int i = 0; i < LAW_STATES; i++)
        summary_int(&json, law_state_key((LawState)i), (int64_t)states[i]);
    json_object_end(&json);
    json_array(json_key(&json, "invariants"));
    for (size_t i = 0; i < view->results->count; i++)
        write_law(&json, &view->results->items[i]);
    json_array_end(&json);
    if (view->history)
        history_json(&json, view->history);
    summary_end(&json, view->notices);
}
