// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "layout/study.h"

typedef struct Case {
    StageResult stages[STAGE_COUNT];
    StudyFacts facts;
    Symptom symptom;
    Arena *arena;
} Case;

static void start(Case *at)
{
    *at = (Case){.arena = arena_new()};
    study_facts_init(&at->facts);
}

static SymptomKind judge(Case *at)
{
    study_symptom(at->stages, &at->facts, at->arena, &at->symptom);
    SymptomKind kind = at->symptom.kind;
    arena_release(at->arena);
    return kind;
}

static void nothing_known_is_not_called_healthy(void)
{
    Case at;
    start(&at);
    CHECK(judge(&at) == SYMPTOM_UNKNOWN);
    start(&at);
    at.stages[STAGE_LONG_RUN].status = STAGE_PASSED;
    CHECK(judge(&at) == SYMPTOM_NONE);
    start(&at);
    at.stages[STAGE_CONFIG].status = STAGE_FAILED;
    CHECK(judge(&at) == SYMPTOM_OTHER);
}

static void the_earliest_evidence_names_the_symptom(void)
{
    Case at;
    start(&at);
    at.stages[STAGE_LONG_RUN].status = STAGE_FAILED;
    at.facts.finding = FINDING_OFFSET;
    at.facts.onset = 1019;
    CHECK(judge(&at) == SYMPTOM_DRIFT);
    CHECK(at.symptom.dump_step == 1018);
    start(&at);
    at.stages[STAGE_LONG_RUN].status = at.stages[STAGE_STEP_ONE].status = STAGE_FAILED;
    CHECK(judge(&at) == SYMPTOM_FIRST_STEP);
    CHECK(at.symptom.dump_step == 0 && at.symptom.also.size > 0);
    start(&at);
    at.stages[STAGE_STEP_ONE].status = STAGE_FAILED;
    at.facts.nonfinite_step = 33;
    CHECK(judge(&at) == SYMPTOM_OVERFLOW);
    CHECK(at.symptom.dump_step == 32);
}

static void spikes_count_only_where_golden_has_far_fewer(void)
{
    Case at;
    start(&at);
    at.facts.spikes = 4;
    at.facts.golden_spikes = 1;
    at.facts.spike_peak = 212;
    CHECK(judge(&at) == SYMPTOM_SPIKES);
    CHECK(at.symptom.dump_step == 211);
    start(&at);
    at.facts.spikes = 4;
    at.facts.golden_spikes = 2;
    CHECK(judge(&at) == SYMPTOM_UNKNOWN);
    start(&at);
    at.facts.spikes = 2;
    CHECK(judge(&at) == SYMPTOM_UNKNOWN);
}

static void a_dump_that_shows_the_place_needs_no_further_dump(void)
{
    Case at;
    start(&at);
    at.stages[STAGE_LOCAL_NORMS].status = at.stages[STAGE_DUMPS].status = STAGE_FAILED;
    at.facts.worst_weight = STR("w");
    at.facts.worst_weight_error = 0.04;
    at.facts.divergence = STR("DIVERGES at x");
    at.facts.divergence_place = STR("x");
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(at.symptom.kind == SYMPTOM_FIRST_STEP && at.symptom.dump_step == -1);
    CHECK(str_equal(at.symptom.place, STR("x")));
    arena_release(at.arena);
}

int main(void)
{
    CHECK_RUN(nothing_known_is_not_called_healthy);
    CHECK_RUN(the_earliest_evidence_names_the_symptom);
    CHECK_RUN(spikes_count_only_where_golden_has_far_fewer);
    CHECK_RUN(a_dump_that_shows_the_place_needs_no_further_dump);
    return check_failures != 0;
}
