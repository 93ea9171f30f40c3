// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "verdict/study_view.h"

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

static bool says(Str text, const char *part)
{
    return str_find(text, str_of(part), 0) != SIZE_MAX;
}

static void a_nan_is_placed_as_surely_as_it_was_seen(void)
{
    Case at;
    start(&at);
    at.facts.nan_origin = STR("NaN is born in Functional.softmax.0");
    at.facts.nan_place = STR("Functional.softmax.0");
    at.facts.nan_step = 7;
    at.facts.nonfinite_step = 33;
    at.facts.alarm_is_nan = true;
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(at.symptom.kind == SYMPTOM_OVERFLOW && at.symptom.dump_step == 7);
    CHECK_TEXT(at.symptom.place, "Functional.softmax.0");
    CHECK(says(at.symptom.certainty, "certain"));
    at.facts.nan_origin = STR("");
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(at.symptom.dump_step == 32 && says(at.symptom.evidence, "no number at log step 33"));
    at.facts.nonfinite_step = -1;
    at.facts.overflow_step = 12;
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(at.symptom.dump_step == 11 && says(at.symptom.evidence, "overflow at step 12"));
    at.facts.overflow_step = -1;
    at.facts.alarm = STR("NaN in grad_reduced w");
    at.facts.alarm_step = 4;
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(at.symptom.kind == SYMPTOM_OVERFLOW && at.symptom.dump_step == 4);
    CHECK(says(at.symptom.certainty, "seen by the monitor"));
    arena_release(at.arena);
}

// The decision table of the guide, row by row.
static void the_second_step_points_at_what_the_first_left_open(void)
{
    Case at;
    start(&at);
    at.stages[STAGE_STEP_TWO].status = STAGE_FAILED;
    at.facts.step_two = 0.25;
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(at.symptom.kind == SYMPTOM_FIRST_STEP && says(at.symptom.place, "backward pass or"));
    CHECK(says(at.symptom.evidence, "step 2 differ by 0.25"));
    at.stages[STAGE_LOCAL_NORMS].status = STAGE_PASSED;
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(says(at.symptom.place, "the optimizer or the learning rate"));
    at.stages[STAGE_STEP_TWO].status = STAGE_PASSED;
    at.stages[STAGE_DUMPS].status = STAGE_FAILED;
    at.facts.divergence = STR("DIVERGES at x");
    at.facts.divergence_place = STR("x");
    at.facts.settings = STR("lr, eps");
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK_TEXT(at.symptom.evidence, "DIVERGES at x");
    CHECK_TEXT(at.symptom.place, "x; first make these settings equal: lr, eps");
    arena_release(at.arena);
}

static void spikes_and_drifts_name_what_to_dump(void)
{
    Case at;
    start(&at);
    at.facts.spikes = 5;
    at.facts.spike_peak = 100;
    at.facts.spike_of_norm = true;
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(at.symptom.kind == SYMPTOM_SPIKES && says(at.symptom.dump, "backward, statistics"));
    CHECK(says(at.symptom.place, "the gradients or the update"));
    at.facts.spike_of_norm = false;
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(says(at.symptom.dump, "forward, statistics") && says(at.symptom.place, "activations"));
    arena_release(at.arena);
    start(&at);
    at.stages[STAGE_NOISE].status = STAGE_FAILED;
    at.facts.finding = FINDING_DIVERGING;
    at.facts.late_mean = 0.5;
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(at.symptom.kind == SYMPTOM_DRIFT && says(at.symptom.evidence, "a growing difference"));
    CHECK(says(at.symptom.place, "overflow near them") && says(at.symptom.dump, "none yet"));
    at.facts.finding = FINDING_OUTSIDE;
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(says(at.symptom.evidence, "a difference beyond tolerance"));
    CHECK(says(at.symptom.place, "optimizer parameters"));
    arena_release(at.arena);
}

static void settings_that_differ_stand_before_what_no_curve_shows(void)
{
    Case at;
    start(&at);
    at.stages[STAGE_CONFIG].status = STAGE_FAILED;
    at.facts.settings = STR("lr");
    study_symptom(at.stages, &at.facts, at.arena, &at.symptom);
    CHECK(at.symptom.kind == SYMPTOM_OTHER);
    CHECK_TEXT(at.symptom.place, "the stages that fail; first make these settings equal: lr");
    arena_release(at.arena);
}

int main(void)
{
    CHECK_RUN(nothing_known_is_not_called_healthy);
    CHECK_RUN(the_earliest_evidence_names_the_symptom);
    CHECK_RUN(spikes_count_only_where_golden_has_far_fewer);
    CHECK_RUN(a_dump_that_shows_the_place_needs_no_further_dump);
    CHECK_RUN(a_nan_is_placed_as_surely_as_it_was_seen);
    CHECK_RUN(the_second_step_points_at_what_the_first_left_open);
    CHECK_RUN(spikes_and_drifts_name_what_to_dump);
    CHECK_RUN(settings_that_differ_stand_before_what_no_curve_shows);
    return CHECK_RESULT;
}
