// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "check.h"
#include "trend/curves/curve_rules.h"
#include "verdict/study_view.h"

static const TrendRule *rule_called(const char *name)
{
    for (size_t i = 0; i < trend_rule_count; i++)
        if (strcmp(trend_rules[i].command, "curves") == 0 && strcmp(trend_rules[i].id, name) == 0)
            return &trend_rules[i];
    return NULL;
}

// The study, `vernier help rules` and --limits speak of the same limits, but for the absolute
// one of a long run, which the study gives in units of the loss.
static void the_limits_of_stages_are_those_of_the_curves(void)
{
    size_t limits = 0;
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        const StageLimit *limit;
        for (size_t i = 0; (limit = study_limit((StudyStage)stage, i)) != NULL; i++, limits++) {
            const TrendRule *rule = rule_called(limit->name);
            CHECK(rule && rule->limit);
            double unit = rule && strcmp(rule->unit, "%") == 0 ? 100 : 1;
            bool own = strcmp(limit->name, "ABSOLUTE") == 0;
            CHECK(own || (rule && fabs(unit * *rule->limit - limit->shipped) < 1e-12));
        }
    }
    CHECK(limits == 9);
}

static void every_curve_limit_of_help_rules_can_be_set(void)
{
    Arena *arena = arena_new();
    Error err;
    for (size_t i = 0; i < trend_rule_count; i++) {
        const TrendRule *rule = &trend_rules[i];
        const char *at = (const char *)rule->limit, *from = (const char *)&curve_limits;
        if (at < from || at >= from + sizeof curve_limits)
            continue;
        CurveLimits limits = curve_limits;
        CHECK(curve_limits_read(str_printf(arena, "%s=7", rule->id), arena, &limits, &err));
        double set = *(const double *)((const char *)&limits + (at - from));
        CHECK(fabs(set - (strcmp(rule->unit, "%") == 0 ? 0.07 : 7)) < 1e-12);
    }
    arena_release(arena);
}

static void a_rule_shows_the_limits_in_force(void)
{
    Arena *arena = arena_new();
    Str number = STR("0.25");
    StudyValue set = {.key = STR("absolute"), .items = &number, .count = 1};
    StudySection section = {.given = true, .items = &set, .count = 1};
    CHECK_TEXT(
        study_rule(STAGE_LONG_RUN, &section, arena),
        "no lasting difference beyond 0.25 around the 0 axis or 1 %, the larger; at most 1 % "
        "on average");
    CHECK_TEXT(study_rule(STAGE_LONG_RUN, NULL, arena),
               "no lasting difference beyond 1 %; at most 1 % on average");
    CHECK_TEXT(study_rule_source(STAGE_LONG_RUN, &section, arena), "limit set in study.yaml");
    CHECK_TEXT(study_rule(STAGE_TOKENS, NULL, arena),
               "the token ids are equal, element by element");
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(the_limits_of_stages_are_those_of_the_curves);
    CHECK_RUN(every_curve_limit_of_help_rules_can_be_set);
    CHECK_RUN(a_rule_shows_the_limits_in_force);
    return CHECK_RESULT;
}
