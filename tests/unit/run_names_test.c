// SPDX-License-Identifier: Apache-2.0
#include "read/dump/run_names.h"

#include "check.h"

static size_t pair[2];

static bool are_runs(Str a, Str b, Str c)
{
    Str names[] = {a, b, c};
    return run_names_pair(names, c.size ? 3 : 2, pair);
}

static void sides_of_a_comparison_are_runs_golden_first(void)
{
    CHECK(are_runs(STR("golden"), STR("target"), STR("")) && pair[0] == 0 && pair[1] == 1);
    CHECK(are_runs(STR("NPU"), STR("gpu_run1"), STR("")) && pair[0] == 1 && pair[1] == 0);
    CHECK(are_runs(STR("bench"), STR("mine"), STR("")) && pair[0] == 0 && pair[1] == 1);
    CHECK(are_runs(STR("a"), STR("target_bf16"), STR("")) && pair[0] == 0 && pair[1] == 1);
    CHECK(are_runs(STR("run1"), STR("run2"), STR("run3")) && pair[0] == 0 && pair[1] == 1);
    CHECK(are_runs(STR("after"), STR("before"), STR("between")) && pair[0] == 1 && pair[1] == 0);
}

static void every_other_name_is_a_stage(void)
{
    CHECK(!are_runs(STR("generate"), STR("update_actor"), STR("")));
    CHECK(!are_runs(STR("compute_old_log_prob"), STR("target_critic"), STR("ref")));
    CHECK(!are_runs(STR("actor_update"), STR("golden"), STR("")));
    CHECK(!are_runs(STR("a"), STR("b"), STR("")));
    CHECK(!are_runs(STR("1"), STR("2"), STR("")));
    Str one = STR("golden");
    CHECK(!run_names_pair(&one, 1, pair) && !run_names_pair(&one, 0, pair));
}

int main(void)
{
    CHECK_RUN(sides_of_a_comparison_are_runs_golden_first);
    CHECK_RUN(every_other_name_is_a_stage);
    return CHECK_RESULT;
}
