// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/monitor_scan.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/sink.h"
#include "check.h"
#include "trend/monitor/alarm_msprobe.h"
#include "trend/monitor/monitor_probe.h"

// Trees are written by the tests themselves, below the working folder.

typedef struct Fixture {
    Arena *arena;
    Notices notices;
    MonitorTrees trees;
    MonitorRun run;
    Alarms alarms;
    Error err;
    bool good;
} Fixture;

static void write_text(const char *folder, const char *name, const char *text)
{
    Error err;
    Arena *arena = arena_new();
    CHECK(folder_make(folder, &err));
    Sink *sink = sink_file(path_join(arena, folder, str_of(name)), &err);
    CHECK(sink != NULL);
    sink_text(sink, text);
    CHECK(sink_commit(sink, &err));
    arena_release(arena);
}

static Fixture scan_selected(const char *path, MonitorSelect select)
{
    Fixture f = {.arena = arena_new()};
    notices_init(&f.notices, f.arena);
    MonitorRules rules = monitor_rules_default();
    f.good = monitor_find(path, f.arena, &f.trees, &f.notices, &f.err);
    if (f.good)
        f.good = monitor_scan(&f.trees.items[0], &select, &rules, f.arena, &f.run, &f.alarms,
                              &f.notices, &f.err);
    return f;
}

static Fixture scan(const char *path)
{
    return scan_selected(path, (MonitorSelect){.jobs = 3});
}

static const MonitorSeries *series_named(const Fixture *f, const char *type, const char *name)
{
    for (size_t i = 0; i < f->run.series_count; i++)
        if (str_equal(monitor_series_type(&f->run, &f->run.series[i]), str_of(type)) &&
            str_equal(monitor_series_name(&f->run, &f->run.series[i]), str_of(name)))
            return &f->run.series[i];
    return NULL;
}

static double value_of(const Fixture *f, const char *type, const char *name, int64_t step)
{
    const MonitorSeries *series = series_named(f, type, name);
    for (size_t i = 0; series && i < series->count; i++)
        if (f->run.steps[series->points[i].step] == step)
            return series->points[i].value;
    return monitor_absent();
}

static bool has_notice(const Fixture *f, const char *part, uint64_t line)
{
    for (size_t i = 0; i < f->notices.count; i++)
        if (str_find(f->notices.items[i].text, str_of(part), 0) != SIZE_MAX &&
            (line == 0 || f->notices.items[i].line == line))
            return true;
    return false;
}

static void first_generation_is_read_with_its_micro_steps(void)
{
    write_text("scan/first/May06_15-00-01-rank3-0c77d1e4", "actv_0-9.csv",
               "vpp_stage,name,step,micro_step,norm,mean,shape,dtype\n"
               "0,layers.0.mlp.input,0,0,1.5,0.1,\"[2, 3]\",torch.bfloat16\n"
               "0,layers.0.mlp.input,0,1,nan,0.1,\"[2, 3]\",torch.bfloat16\n"
               "0,layers.0.mlp.input,1,0,1e-05,0.1,[2],torch.bfloat16\n");
    Fixture f = scan("scan/first");
    CHECK(f.good);
    CHECK(f.run.series_count == 2 && f.run.step_count == 2 && f.run.ranks[0] == 3);
    CHECK(value_of(&f, "actv", "layers.0.mlp.input", 0) == 1.5);
    CHECK(value_of(&f, "actv", "layers.0.mlp.input", 1) == 1e-05);
    CHECK(f.alarms.count == 1 && f.alarms.items[0].rule == ALARM_NAN);
    CHECK(f.alarms.count == 1 && f.alarms.items[0].micro == 1);
    arena_release(f.arena);
}

static void a_later_start_replaces_what_comes_after_its_first_step(void)
{
    write_text("scan/again/May06_16-00-00-rank0-aaaa0001", "grad_reduced_0-9.csv",
               "vpp_stage,name,step,norm\n0,w,0,1\n0,w,1,1.1\n0,w,2,1.2\n0,w,3,9\n");
    write_text("scan/again/May06_18-00-00-rank0-aaaa0000", "grad_reduced_0-9.csv",
               "vpp_stage,name,step,norm\n0,w,1,2\n0,w,2,2.1\n");
    Fixture f = scan("scan/again");
    CHECK(f.good && f.run.overlap && f.run.overlap_first == 1 && f.run.overlap_last == 2);
    CHECK(value_of(&f, "grad_reduced", "w", 0) == 1);
    CHECK(value_of(&f, "grad_reduced", "w", 1) == 2);
    CHECK(monitor_is_absent(value_of(&f, "grad_reduced", "w", 3)));
    CHECK(f.alarms.count == 0);  // step 3 was an alarm of the first start, and is no more
    arena_release(f.arena);
}

static void bad_rows_cost_only_themselves(void)
{
    write_text(
        "scan/bad/May06_16-00-00-rank0-aaaa0001", "grad_reduced_0-9.csv",
        "vpp_stage,name,step,norm\n0,w,0,1\n0,w,1\n0,w,2,oops\n0,w,3,1.5,7\n0,w,4,2\n0,w,5,2");
    Fixture f = scan("scan/bad");
    CHECK(f.good);
    CHECK(value_of(&f, "grad_reduced", "w", 4) == 2);
    CHECK(monitor_is_absent(value_of(&f, "grad_reduced", "w", 5)));
    CHECK(has_notice(&f, "2 rows do not fit", 3));
    CHECK(has_notice(&f, "1 cell is no number", 4));
    CHECK(has_notice(&f, "last line has no end", 7));
    arena_release(f.arena);
}

static void shifted_communication_rows_are_understood(void)
{
    write_text("scan/shifted/May06_16-00-00-rank0-aaaa0001", "other_0-0.csv",
               "vpp_stage,name,step,norm,nans\nall_reduce,3.5,0,0,7.25,0\nbroadcast,1.5,0,0\n"
               "0,layers.0.w,0,0.71,0\n");
    Fixture f = scan("scan/shifted");
    CHECK(value_of(&f, "other", "all_reduce", 0) == 3.5);
    CHECK(value_of(&f, "other", "broadcast", 0) == 1.5);
    CHECK(value_of(&f, "other", "layers.0.w", 0) == 0.71);
    arena_release(f.arena);
}

static void legacy_rows_hold_inputs_and_outputs(void)
{
    write_text("scan/legacy/Dec03_21-34-40-rank0-00ff00ff", "actv_0-0.csv",
               "vpp_stage,module_name,step,input.norm,output.norm,input.mean,output.mean\n"
               "0,layers.0,0,12.5,,0.001,0.002\n");
    Fixture f = scan("scan/legacy");
    CHECK(value_of(&f, "actv", "layers.0.input", 0) == 12.5);
    CHECK(isnan(value_of(&f, "actv", "layers.0.output", 0)));
    CHECK(f.alarms.count == 1 && f.alarms.items[0].rule == ALARM_NAN);
    arena_release(f.arena);
}

static void second_generation_has_scopes_and_carriage_returns(void)
{
    write_text("scan/second/rank_1", "weight_grad_step0-4.csv",
               "vpp_stage,step,module_name,scope,micro_step,min,max,mean,norm,nans\r\n"
               "0,0,0:layers.0.w,unreduced,1,-1,1,0.0003974537395843574,0.5,0.0\r\n"
               "0,0,0:layers.0.w,reduced,2,-1,1,0.1,0.25,0.0\r\n");
    write_text("scan/second/rank_1", "cc_step0-4.csv",
               "vpp_stage,step,module_name,scope,norm,nans\r\n"
               ",0,all_reduce/rank0/post_0,comm,7.25,0.0\r\n-1,1,all_reduce/rank0/"
               "post_0,comm,7.5,0.0\r\n");
    Fixture f = scan("scan/second");
    CHECK(f.good && f.run.type_count == 3);
    CHECK(value_of(&f, "grad_unreduced", "0:layers.0.w", 0) == 0.5);
    CHECK(value_of(&f, "grad_reduced", "0:layers.0.w", 0) == 0.25);
    CHECK(value_of(&f, "comm", "all_reduce/rank0/post_0", 1) == 7.5);
    const MonitorSeries *series = series_named(&f, "comm", "all_reduce/rank0/post_0");
    CHECK(series && series->count == 2 && series->object.stage == MONITOR_NONE);
    arena_release(f.arena);
}

static void a_part_without_a_header_takes_that_of_its_main_file(void)
{
    const char *folder = "scan/parts/May06_16-00-00-rank0-aaaa0001";
    write_text(folder, "grad_reduced_0-0.csv", "vpp_stage,name,step,mean,norm\n0,a,0,1,2\n");
    write_text(folder, "grad_reduced_0-0_part_1.csv", "0,b,0,3,4\n");
    Fixture f = scan("scan/parts");
    CHECK(value_of(&f, "grad_reduced", "b", 0) == 4);
    arena_release(f.arena);
}

static void a_folder_without_monitor_files_is_refused_with_a_hint(void)
{
    write_text("scan/none", "notes.txt", "nothing\n");
    Fixture f = scan("scan/none");
    CHECK(!f.good && f.err.kind == ERR_INPUT && f.err.hint[0] != '\0');
    arena_release(f.arena);
}

static void the_same_rows_in_one_file_or_two_give_the_same_series(void)
{
    const char *head = "vpp_stage,name,step,norm\n";
    write_text("scan/one/May06_16-00-00-rank0-a", "grad_reduced_0-3.csv",
               "vpp_stage,name,step,norm\n0,w,0,1\n0,v,0,5\n0,w,1,9\n0,v,1,5\n");
    write_text("scan/two/May06_16-00-00-rank0-a", "grad_reduced_0-0.csv",
               "vpp_stage,name,step,norm\n0,w,0,1\n0,v,0,5\n");
    write_text("scan/two/May06_16-00-00-rank0-a", "grad_reduced_1-1.csv",
               "vpp_stage,name,step,norm\n0,w,1,9\n0,v,1,5\n");
    (void)head;
    Fixture one = scan("scan/one"), two = scan("scan/two");
    CHECK(one.run.series_count == two.run.series_count);
    CHECK(one.alarms.count == 1 && two.alarms.count == 1);
    CHECK(value_of(&two, "grad_reduced", "w", 1) == 9);
    arena_release(one.arena);
    arena_release(two.arena);
}

static void of_equal_steps_in_one_file_the_last_counts(void)
{
    write_text("scan/equal/May06_16-00-00-rank0-a", "grad_reduced_0-9.csv",
               "vpp_stage,name,step,norm\n0,w,0,1\n0,w,1,nan\n0,w,2,3\n0,w,1,2\n0,w,1,2.5\n");
    Fixture f = scan("scan/equal");
    const MonitorSeries *series = series_named(&f, "grad_reduced", "w");
    CHECK(f.good && series && series->count == 3);
    CHECK(value_of(&f, "grad_reduced", "w", 1) == 2.5 && value_of(&f, "grad_reduced", "w", 2) == 3);
    CHECK(f.run.overlap && f.run.overlap_first == 1 && f.run.overlap_last == 1);
    CHECK(f.alarms.count == 0);  // the value that raised one is no more
    arena_release(f.arena);
}

static void a_count_of_nans_is_an_alarm_where_no_statistic_is_one(void)
{
    write_text("scan/nans/May06_16-00-00-rank0-a", "grad_reduced_0-9.csv",
               "vpp_stage,name,step,norm,nans\n0,w,0,1,0\n0,w,1,1,3\n0,w,2,nan,5\n");
    Fixture f = scan("scan/nans");
    CHECK(f.good && f.alarms.count == 2);
    const Alarm *counted = &f.alarms.items[0], *seen = &f.alarms.items[1];
    CHECK(f.alarms.count == 2 && counted->step == 1 && counted->value == 3);
    CHECK(f.alarms.count == 2 && counted->op_count == 1);
    CHECK_TEXT(counted->ops[0], "nans");
    CHECK(f.alarms.count == 2 && seen->step == 2 && seen->rule == ALARM_NAN);
    CHECK(f.alarms.count == 2 && seen->op_count == 1);
    arena_release(f.arena);
}

// A mean that jumps between 0 and 1.5 in every second row; how often the monitor's rule fires on
// it.
static Fixture scan_jumps(const char *folder, const char *digits, size_t *fired)
{
    enum { ROWS = 2600 };
    Arena *arena = arena_new();
    StrBuf text;
    MsprobeAlarmState state = {0};
    MonitorRules rules = monitor_rules_default();
    text = strbuf_new(arena);
    *fired = 0;
    strbuf_add(&text, STR("vpp_stage,name,step,norm,mean\n"));
    for (int i = 0; i < ROWS; i++) {
        OriginalHit hit;
        strbuf_printf(&text, "0,w,%d,1,%s\n", i, i % 2 ? digits : "0.0");
        *fired += msprobe_alarm_step(&rules, &state, i % 2 * 1.5, true, &hit);
    }
    write_text(str_cstr(arena, str_printf(arena, "%s/May06_16-00-00-rank0-a", folder)),
               "grad_reduced_0-2599.csv", str_cstr(arena, strbuf_str(&text)));
    Fixture f = scan(folder);
    CHECK(f.good);
    arena_release(arena);
    return f;
}

static void weak_alarms_past_the_limit_are_only_counted(void)
{
    size_t fired;
    Fixture f = scan_jumps("scan/weak", "1.500000", &fired);
    CHECK(fired > 1100);
    CHECK(f.alarms.count == 1000 && f.alarms.left_out == fired - 1000);
    alarms_rank(&f.alarms);
    CHECK(f.alarms.items[0].level == ALARM_WEAK);
    arena_release(f.arena);
    // With one decimal everything stands on few units: nothing is judged, and nothing is left out.
    f = scan_jumps("scan/coarse", "1.5", &fired);
    CHECK(f.alarms.count == 0 && f.alarms.left_out == 0);
    arena_release(f.arena);
}

static void a_selection_that_fits_nothing_is_an_error_and_not_quiet(void)
{
    NumberRange far[] = {{900, 999}};
    const NumberList nowhere = {.items = far, .count = 1};
    Str types[] = {STR("actv")};
    const MonitorSelect selects[] = {
        {.jobs = 1, .steps = &nowhere},
        {.jobs = 1, .ranks = &nowhere},
        {.jobs = 1, .types = types, .type_count = 1},
    };
    static const char *const folders[] = {"scan/one", "scan/scopes"};
    write_text("scan/scopes/rank_0", "weight_grad_step0-0.csv",
               "vpp_stage,step,module_name,scope,min,norm\r\n0,0,0:w,reduced,-1,0.25\r\n");
    for (size_t i = 0; i < 6; i++) {
        Fixture f = scan_selected(folders[i / 3], selects[i % 3]);
        CHECK(!f.good && f.err.kind == ERR_INPUT);
        CHECK_TEXT(str_of(f.err.text), "no row has the steps, ranks and types that are asked for");
        CHECK(f.err.hint[0]);
        arena_release(f.arena);
    }
    Fixture f = scan_selected("scan/one", (MonitorSelect){.jobs = 1, .stat = STR("mood")});
    CHECK(!f.good && f.err.kind == ERR_INPUT);
    CHECK_TEXT(str_of(f.err.text), "no file has the statistic 'mood'");
    arena_release(f.arena);
}

static void of_the_second_generation_only_wanted_scopes_are_read(void)
{
    write_text("scan/scopes/rank_0", "weight_grad_step0-0.csv",
               "vpp_stage,step,module_name,scope,min,norm\r\n"
               "0,0,0:w,unreduced,-1,nan\r\n0,0,0:w,reduced,-1,0.25\r\n");
    Str types[] = {STR("grad_reduced")};
    Fixture f =
        scan_selected("scan/scopes", (MonitorSelect){.jobs = 1, .types = types, .type_count = 1});
    CHECK(f.good && f.run.series_count == 1 && f.alarms.count == 0);
    CHECK(value_of(&f, "grad_reduced", "0:w", 0) == 0.25);
    arena_release(f.arena);
}

static void a_statistic_that_is_asked_for_replaces_the_norm(void)
{
    write_text("scan/stat/May06_16-00-00-rank0-a", "grad_reduced_0-0.csv",
               "vpp_stage,name,step,nans,max,norm\n0,w,0,0,4,1\n");
    write_text("scan/stat/May06_16-00-00-rank0-a", "actv_0-0.csv",
               "vpp_stage,name,step,micro_step,nans,max\n0,x,0,0,0,7\n");
    Fixture f = scan("scan/stat");
    CHECK(value_of(&f, "grad_reduced", "w", 0) == 1);
    CHECK(value_of(&f, "actv", "x", 0) == 7);  // no norm there: the first that is no count
    arena_release(f.arena);
    f = scan_selected("scan/stat", (MonitorSelect){.jobs = 1, .stat = STR("max")});
    CHECK(f.run.series_count == 2 && value_of(&f, "grad_reduced", "w", 0) == 4);
    arena_release(f.arena);
    f = scan_selected("scan/stat", (MonitorSelect){.jobs = 1, .all_stats = true});
    CHECK(f.run.series_count == 5);
    arena_release(f.arena);
}

static void a_file_without_the_needed_columns_costs_only_itself(void)
{
    write_text("scan/columns/May06_16-00-00-rank0-a", "actv_0-0.csv", "who,knows\n1,2\n");
    write_text("scan/columns/May06_16-00-00-rank0-a", "grad_reduced_0-0.csv",
               "vpp_stage,name,step,norm\n0,w,0,1\n");
    Fixture f = scan("scan/columns");
    CHECK(f.good && f.run.series_count == 1 && f.notices.count == 1);
    CHECK(notices_any_partial(&f.notices) && f.notices.items[0].line == 1);
    CHECK(f.notices.count && str_ends(f.notices.items[0].file, STR("actv_0-0.csv")));
    arena_release(f.arena);
}

static void the_sample_tree_gives_the_recorded_alarms(void)
{
    const char *path = SHARED_DIR "/data/curves/monitor/monitor_output";
    if (file_kind(path) != FILE_FOLDER)
        CHECK_SKIP("the sample set");
    Fixture f = scan(path);
    CHECK(f.good && f.run.rank_count == 4 && f.run.step_count == 30 && f.run.type_count == 8);
    MonitorAnomalies recorded = {0};
    const MonitorTree *tree = &f.trees.items[0];
    for (size_t i = 0; i < tree->anomalies.count; i++)
        CHECK(monitor_anomalies_read(tree->anomalies.items[i].path, f.arena, &recorded, &f.notices,
                                     &f.err));
    CHECK(recorded.count == f.alarms.count);
    for (size_t i = 0; i < recorded.count; i++) {
        bool found = false;
        for (size_t j = 0; j < f.alarms.count; j++)
            found = found ||
                    (str_equal(alarm_tag(&f.alarms.items[j], f.arena), recorded.items[i].tag) &&
                     f.alarms.items[j].step == recorded.items[i].step &&
                     f.alarms.items[j].call == recorded.items[i].call &&
                     str_equal(str_of(alarm_rule_name(f.alarms.items[j].rule)),
                               recorded.items[i].rule));
        CHECK(found);
    }
    arena_release(f.arena);
}

static void names_have_layers_and_tails(void)
{
    CHECK(monitor_layer(STR("module.decoder.layers.12.mlp.w")) == 12);
    CHECK(monitor_layer(STR("transformer.h.3.ln_1.weight")) == 3);
    CHECK(monitor_layer(STR("embedding.weight")) == -1);
    CHECK_TEXT(monitor_tail(STR("module.encoder.layers.0.mlp.w")), "layers.0.mlp.w");
    CHECK_TEXT(monitor_tail(STR("embedding.weight")), "embedding.weight");
}

static void numbers_are_read_by_the_stated_rule(void)
{
    double value;
    CHECK(monitor_number(STR("tensor(1., device='npu:0')"), &value) && value == 1);
    CHECK(monitor_number(STR("[44.3]"), &value) && value == 44.3);
    CHECK(monitor_number(STR("-1.#INF"), &value) && isinf(value) && value < 0);
    CHECK(monitor_number(STR("NaN"), &value) && isnan(value) && !monitor_is_absent(value));
    CHECK(monitor_number(STR("None"), &value) && monitor_is_absent(value));
    CHECK(monitor_number(STR(""), &value) && monitor_is_absent(value));
    CHECK(!monitor_number(STR("1,5"), &value));
}

int main(void)
{
    CHECK_RUN(first_generation_is_read_with_its_micro_steps);
    CHECK_RUN(a_later_start_replaces_what_comes_after_its_first_step);
    CHECK_RUN(bad_rows_cost_only_themselves);
    CHECK_RUN(shifted_communication_rows_are_understood);
    CHECK_RUN(legacy_rows_hold_inputs_and_outputs);
    CHECK_RUN(second_generation_has_scopes_and_carriage_returns);
    CHECK_RUN(a_part_without_a_header_takes_that_of_its_main_file);
    CHECK_RUN(a_folder_without_monitor_files_is_refused_with_a_hint);
    CHECK_RUN(the_same_rows_in_one_file_or_two_give_the_same_series);
    CHECK_RUN(of_equal_steps_in_one_file_the_last_counts);
    CHECK_RUN(a_count_of_nans_is_an_alarm_where_no_statistic_is_one);
    CHECK_RUN(weak_alarms_past_the_limit_are_only_counted);
    CHECK_RUN(of_the_second_generation_only_wanted_scopes_are_read);
    CHECK_RUN(a_selection_that_fits_nothing_is_an_error_and_not_quiet);
    CHECK_RUN(a_statistic_that_is_asked_for_replaces_the_norm);
    CHECK_RUN(a_file_without_the_needed_columns_costs_only_itself);
    CHECK_RUN_SHARED(the_sample_tree_gives_the_recorded_alarms);
    CHECK_RUN(names_have_layers_and_tails);
    CHECK_RUN(numbers_are_read_by_the_stated_rule);
    return CHECK_RESULT;
}
