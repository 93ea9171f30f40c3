// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/inspect_log.h"

#include "check.h"

static Arena *arena;
static uint64_t bad, bad_line;

static Str table(const char *text)
{
    bad = bad_line = 0;
    return inspect_log_table(str_of(text), arena, &bad, &bad_line);
}

static void the_rank_stands_in_the_name(void)
{
    int64_t rank = -1;
    CHECK(inspect_log_name(STR("nvdlfw_inspect_globalrank-12.log"), &rank) && rank == 12);
    CHECK(!inspect_log_name(STR("nvdlfw_inspect_globalrank-.log"), &rank));
    CHECK(!inspect_log_name(STR("nvdlfw_inspect_globalrank--1.log"), &rank));
    CHECK(!inspect_log_name(STR("nvdlfw_inspect_globalrank-1.txt"), &rank));
    CHECK(!inspect_log_name(STR("other-1.log"), &rank));
}

static void statistics_of_a_layer_and_iteration_are_a_row(void)
{
    CHECK_TEXT(table("INFO - a.fc_weight_max \t iteration=000001 \t value=1.5000\n"
                     "INFO - b_activation_l2_norm iteration=000001 value=2.0000\n"
                     "INFO - a.fc_weight_min iteration=000001 value=-nan\n"
                     "INFO - a.fc_weight_max iteration=000002 value=inf\n"),
               "name,step,scope,max,norm,min\n"
               "a.fc,000001,weight,1.5000,,-nan\n"
               "b,000001,activation,,2.0000,\n"
               "a.fc,000002,weight,inf,,\n");
    CHECK(bad == 0);
}

static void names_and_statistics_may_hold_underscores_and_words_of_tensors(void)
{
    CHECK_TEXT(table("x_output_proj_activation_fp8_scale_inv_min iteration=3 value=1\n"
                     "weight_max iteration=3 value=2\n"
                     "loss_scale iteration=3 value=3\n"
                     "alone iteration=3 value=4\n"
                     "\"q,1\"_wgrad_max iteration=3 value=5\n"),
               "name,step,scope,fp8_scale_inv_min,max,scale,value\n"
               "x_output_proj,3,activation,1,,,\n"
               "weight,3,other,,2,,\n"
               "loss,3,other,,,3,\n"
               "alone,3,other,,,,4\n"
               "\"\"\"q,1\"\"\",3,wgrad,,5,,\n");
}

static void other_lines_are_passed_over_and_what_is_no_number_is_counted(void)
{
    CHECK_TEXT(table("nothing\niteration=1 value=2\nINFO - a_weight_max iteration=x value=1\n"
                     "INFO - a_weight_max iteration=1\n"),
               "");
    table("a_weight_max iteration=1 value=1\na_weight_max iteration=2 value=one\n"
          "a_weight_max iteration=3 value=\na_weight_max iteration=4 value=1.2.3\n");
    CHECK(bad == 2 && bad_line == 2);
}

static void the_last_of_equal_readings_stands(void)
{
    CHECK_TEXT(table("a_weight_max iteration=1 value=1\na_weight_max iteration=1 value=2\n"),
               "name,step,scope,max\na,1,weight,2\n");
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(the_rank_stands_in_the_name);
    CHECK_RUN(statistics_of_a_layer_and_iteration_are_a_row);
    CHECK_RUN(names_and_statistics_may_hold_underscores_and_words_of_tensors);
    CHECK_RUN(other_lines_are_passed_over_and_what_is_no_number_is_counted);
    CHECK_RUN(the_last_of_equal_readings_stands);
    arena_release(arena);
    return CHECK_RESULT;
}
