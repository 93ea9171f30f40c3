// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/monitor_files.h"

#include "base/file.h"
#include "base/sink.h"
#include "check.h"
#include "read/monitor/grad_probe.h"
#include "read/monitor/monitor_side.h"

// Which files belong to a monitored run, and the small files beside its series.

static Arena *arena;
static Notices notices;
static Error err;

static const char *write_text(const char *folder, const char *name, const char *text)
{
    CHECK(folder_make(folder, &err));
    const char *path = path_join(arena, folder, str_of(name));
    Sink *sink = sink_file(path, &err);
    CHECK(sink != NULL);
    sink_text(sink, text);
    CHECK(sink_commit(sink, &err));
    return path;
}

static MonitorTrees find(const char *path)
{
    MonitorTrees trees = {0};
    notices_init(&notices, arena);
    CHECK(monitor_find(path, arena, &trees, &notices, &err));
    return trees;
}

#define ROWS "vpp_stage,name,step,norm\n0,w,0,1\n"

static void december_comes_before_january_and_that_is_said(void)
{
    write_text("find/year/Jan02_00-10-00-rank0-00000001", "grad_reduced_8-9.csv", ROWS);
    write_text("find/year/Dec31_23-50-00-rank0-00000002", "grad_reduced_0-9.csv", ROWS);
    write_text("find/year/Mar01_00-10-00-rank0-00000000", "grad_reduced_9-9.csv", ROWS);
    MonitorTrees trees = find("find/year");
    const MonitorFiles *files = &trees.items[0].series;
    CHECK(trees.count == 1 && files->count == 3);
    CHECK(files->items[0].start == 0 && files->items[0].first == 0 && files->items[0].last == 9);
    CHECK(files->items[1].start == 1 && files->items[1].first == 8);
    CHECK(files->items[2].start == 2 && files->items[2].first == 9);
    CHECK(notices.count == 1 &&
          str_starts(notices.items[0].text, STR("time tags of December and January")));
}

static void without_both_months_the_tags_order_by_month_day_and_time(void)
{
    write_text("find/order/May10_01-00-00-rank0-00000000", "grad_reduced_3-3.csv", ROWS);
    write_text("find/order/May09_23-59-59-rank0-ffffffff", "grad_reduced_2-2.csv", ROWS);
    write_text("find/order/Apr30_23-59-59-rank0-ffffffff", "grad_reduced_1-1.csv", ROWS);
    // A day that no calendar of this year has, and tags that are none.
    write_text("find/order/Feb29_12-00-00-rank0-00000000", "grad_reduced_0-0.csv", ROWS);
    write_text("find/order/Now29_12-00-00-rank1-00000000", "grad_reduced_0-0.csv", ROWS);
    write_text("find/order/x-rank2-00000000", "grad_reduced_0-0.csv", ROWS);
    write_text("find/order/May1x_12-00-00-rank3-00000000", "grad_reduced_0-0.csv", ROWS);
    MonitorTrees trees = find("find/order");
    const MonitorFiles *files = &trees.items[0].series;
    CHECK(files->count == 7 && notices.count == 0);
    for (size_t i = 0; i < 4; i++)
        CHECK(files->items[i].first == (int64_t)i && files->items[i].start == i);
    for (size_t i = 4; i < 7; i++)
        CHECK(files->items[i].rank == (int64_t)i - 3 && files->items[i].start == 0);
}

static void names_that_are_no_series_are_passed_over(void)
{
    const char *folder = "find/names/rank_3";
    write_text(folder, "weight_grad_step5-9.csv", ROWS);
    write_text(folder, "optimizer.csv", ROWS);
    write_text(folder, "notes.csv", ROWS);
    write_text(folder, "table_1.csv", ROWS);
    write_text(folder, "table_1-.csv", ROWS);
    write_text(folder, "table_1-2x.csv", ROWS);
    write_text(folder, "actv_0-9_part_x.csv", ROWS);
    MonitorTrees trees = find("find/names");
    const MonitorFiles *files = &trees.items[0].series;
    CHECK(files->count == 2);
    CHECK_TEXT(files->items[0].kind, "optimizer");
    CHECK_TEXT(files->items[1].kind, "weight_grad");
    CHECK(files->items[1].first == 5 && files->items[1].last == 9 && files->items[1].rank == 3);
}

static void runs_below_one_folder_are_found_in_natural_order(void)
{
    write_text("find/runs/run10/rank0", "grad_summary_4.csv", "param_name,norm\nw,1\n");
    write_text("find/runs/run9/rank0", "similarities.csv", "step,0,1\nw,1,0.9\n");
    write_text("find/runs/run9/rank0/step3", "w.npy", "");
    write_text("find/runs/run9/rank0/step3", "w.png", "");
    write_text("find/runs/run2/rank_0", "module.csv", ROWS);
    write_text("find/runs/run2", "config.json", "{}");
    MonitorTrees trees = find("find/runs");
    CHECK(trees.count == 3);
    CHECK_TEXT(str_of(trees.items[0].base), "find/runs/run2");
    CHECK_TEXT(str_of(trees.items[1].base), "find/runs/run9");
    CHECK_TEXT(str_of(trees.items[2].base), "find/runs/run10");
    CHECK_TEXT(str_of(trees.items[0].config), "find/runs/run2/config.json");
    CHECK(trees.items[1].config == NULL && trees.items[1].similarities.count == 1);
    CHECK(trees.items[2].summaries.count == 1 && trees.items[2].summaries.items[0].step == 4);
}

static void alarms_of_the_monitor_are_found_by_rank(void)
{
    write_text("find/alarms/May06_15-00-01-rank0-b2f0e6a1", "grad_reduced_0-9.csv", ROWS);
    write_text("find/alarms/anomaly_detected/rank2", "anomaly.json", "{}");
    write_text("find/alarms/anomaly_detected/rank11", "anomaly.json", "{}");
    write_text("find/alarms/anomaly_detected/rank3", "other.json", "{}");
    write_text("find/alarms/anomaly_detected", "anomaly_analyse.json", "{}");
    MonitorTrees trees = find("find/alarms");
    const MonitorSides *sides = &trees.items[0].anomalies;
    CHECK(trees.count == 1 && sides->count == 2);
    CHECK(sides->items[0].rank + sides->items[1].rank == 13);
}

static void an_alarm_says_its_rule_statistic_and_mates_in_words(void)
{
    const char *path = write_text(
        "find/side", "anomaly.json",
        "{\"a_step_23_call_7\": {\"rank\": 1, \"step\": 23, \"micro_step\": 0, \"pp_stage\": 2,"
        " \"vpp_stage\": 0, \"call_id\": 7, \"tag_name\": \"0:w/rank1/post_grad\","
        " \"message\": \"Rule AnomalyNan reports anomaly signal in ('0:w/rank1/post_grad', 'norm')"
        " at step 23, current value nan, history mean 0.5.\", \"group_mates\": [0, 1, \"x\"]},"
        " \"b\": {\"tag_name\": \"x\", \"step\": 1, \"message\": \"\", \"group_mates\": []},"
        " \"c\": {\"tag_name\": \"x\"}, \"d\": {\"step\": 4}, \"e\": 5}");
    MonitorAnomalies anomalies = {0};
    notices_init(&notices, arena);
    CHECK(monitor_anomalies_read(path, arena, &anomalies, &notices, &err));
    CHECK(anomalies.count == 2 && notices_any_partial(&notices) && notices.items[0].count == 3);
    const MonitorAnomaly *first = &anomalies.items[0];
    CHECK_TEXT(first->rule, "AnomalyNan");
    CHECK_TEXT(first->op, "norm");
    CHECK(first->rank == 1 && first->step == 23 && first->call == 7 && first->pp_stage == 2);
    CHECK(first->mate_count == 2 && first->mates[1] == 1);
    CHECK(anomalies.items[1].rule.size == 0 && anomalies.items[1].mate_count == 0);
    CHECK(anomalies.items[1].rank == -1);
    path = write_text("find/side", "list.json", "[{\"tag_name\": \"x\", \"step\": 1}]");
    CHECK(monitor_anomalies_read(path, arena, &anomalies, &notices, &err));
    CHECK(anomalies.count == 3 && anomalies.items[2].key.size == 0);
}

static void rules_keep_their_order_and_unknown_ones_are_left_out(void)
{
    const char *path = write_text(
        "find/side", "config.json",
        "{\"ndigits\": 12, \"alert\": {\"rules\": [{\"rule_name\": \"AnomalyTurbulence\", \"args\":"
        " {\"threshold\": 0.25}}, {\"rule_name\": \"AnomalyMood\"}, {}, {\"rule_name\": "
        "\"AnomalyNan\"}, {\"rule_name\": \"AnomalyNan\", \"args\": {\"threshold\": 1e10}}]}}");
    MonitorRules rules = monitor_rules_default();
    CHECK(rules.count == 2 && !rules.from_config && rules.decimals == -1);
    CHECK(monitor_rules_read(path, &rules, &err));
    CHECK(rules.count == 3 && rules.from_config && rules.decimals == 12);
    CHECK(rules.items[0].turbulence && rules.items[0].threshold == 0.25);
    CHECK(!rules.items[1].turbulence && !rules.items[1].has_threshold);
    CHECK(!rules.items[2].turbulence && rules.items[2].threshold == 1e10);
    path = write_text("find/side", "broken.json", "{\"ndigits\": 12, ");
    CHECK(!monitor_rules_read(path, &rules, &err) && err.byte == 15 && rules.count == 3);
    CHECK(!monitor_rules_read("find/side/none.json", &rules, &err) && err.kind == ERR_INPUT);
}

static void stacks_need_their_two_columns(void)
{
    MonitorStacks stacks = {0};
    notices_init(&notices, arena);
    const char *path = write_text("find/side", "stack_info.csv",
                                  "module_name,stack_info\nlayers.0,\"file a, line 1\n\nx = 2\"\n");
    CHECK(monitor_stacks_read(path, arena, &stacks, &notices, &err));
    CHECK(stacks.count == 1);
    CHECK_TEXT(stacks.items[0].text, "file a, line 1\n\nx = 2");
    path = write_text("find/side", "stack_info.csv", "module,stack\na,b\n");
    CHECK(!monitor_stacks_read(path, arena, &stacks, &notices, &err) && err.line == 1);
    CHECK_TEXT(str_of(err.text), "expected the columns module_name and stack_info");
    CHECK(!monitor_stacks_read("find/side/none.csv", arena, &stacks, &notices, &err));
}

static void tables_of_the_gradient_probe_are_read_with_their_bad_cells_named(void)
{
    ProbeValues values = {0};
    notices_init(&notices, arena);
    MonitorSide side = {.rank = 3, .step = 7};
    side.path = write_text("find/side", "similarities.csv",
                           "step,0,note,1\nw,1.0,x,0.875\nv,bad,x,\nsummary,0.5,x,0.25\n");
    CHECK(grad_probe_similarities(&side, arena, &values, &notices, &err));
    CHECK(values.count == 4 && values.items[1].step == 1 && values.items[1].value == 0.875);
    CHECK_TEXT(values.items[2].name, "summary");
    CHECK(values.items[2].rank == 3);
    CHECK(notices.count == 1 && notices.items[0].line == 3 && notices.items[0].partial);
    side.path = write_text("find/side", "grad_summary_7.csv",
                           "param_name,MD5,max,min,norm,shape\nw,ab,1,0,0.5,\"[2, 3]\"\nv,ab\n");
    values.count = 0;
    CHECK(grad_probe_norms(&side, arena, &values, &notices, &err));
    CHECK(values.count == 1 && values.items[0].step == 7 && values.items[0].value == 0.5);
}

static void tables_of_the_gradient_probe_need_their_header(void)
{
    ProbeValues values = {0};
    notices_init(&notices, arena);
    MonitorSide side = {.path = write_text("find/side", "wrong.csv", "name,0,1\nw,1,1\n")};
    CHECK(!grad_probe_similarities(&side, arena, &values, &notices, &err) && err.line == 1);
    CHECK_TEXT(str_of(err.text), "expected a first row 'step,0,1,…'");
    CHECK(!grad_probe_norms(&side, arena, &values, &notices, &err) && err.line == 1);
    CHECK_TEXT(str_of(err.text), "expected the columns param_name and norm");
    side.path = "find/side/none.csv";
    CHECK(!grad_probe_similarities(&side, arena, &values, &notices, &err));
    CHECK(!grad_probe_norms(&side, arena, &values, &notices, &err) && values.count == 0);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(december_comes_before_january_and_that_is_said);
    CHECK_RUN(without_both_months_the_tags_order_by_month_day_and_time);
    CHECK_RUN(names_that_are_no_series_are_passed_over);
    CHECK_RUN(runs_below_one_folder_are_found_in_natural_order);
    CHECK_RUN(alarms_of_the_monitor_are_found_by_rank);
    CHECK_RUN(an_alarm_says_its_rule_statistic_and_mates_in_words);
    CHECK_RUN(rules_keep_their_order_and_unknown_ones_are_left_out);
    CHECK_RUN(stacks_need_their_two_columns);
    CHECK_RUN(tables_of_the_gradient_probe_are_read_with_their_bad_cells_named);
    CHECK_RUN(tables_of_the_gradient_probe_need_their_header);
    arena_release(arena);
    return CHECK_RESULT;
}
