// SPDX-License-Identifier: Apache-2.0
#include "export/history/study_history.h"

#include <math.h>

static double figure_of(const StudyFacts *facts, StudyStage stage)
{
    switch (stage) {
    case STAGE_STEP_ONE:
        return facts->step_one;
    case STAGE_STEP_TWO:
        return facts->step_two;
    case STAGE_LOCAL_NORMS:
        return facts->worst_weight_error;
    case STAGE_LONG_RUN:
        return facts->late_mean;
    default:
        return (double)NAN;
    }
}

static FactState state_of(StageStatus status)
{
    static const FactState states[] = {
        [STAGE_NOT_DONE] = FACT_NONE, [STAGE_PASSED] = FACT_CALM, [STAGE_FAILED] = FACT_BEYOND};
    return states[status];
}

void study_history_facts(const StudyView *view, Arena *arena, HistoryNight *out)
{
    bool failed = study_count(view, STAGE_FAILED) > 0;
    out->state = failed ? FACT_BEYOND : study_count(view, STAGE_PASSED) > 0 ? FACT_CALM : FACT_NONE;
    out->partial = view->verdict.partial;
    for (int i = 0; i < STAGE_COUNT; i++) {
        const StageResult *stage = &view->stages[i];
        double figure = figure_of(&view->facts, (StudyStage)i);
        history_add(out, arena,
                    (HistoryFact){.kind = STR("stage"),
                                  .name = str_of(study_stage_key((StudyStage)i)),
                                  .metric = isnan(figure) ? STR("status") : STR("difference"),
                                  .state = state_of(stage->status),
                                  .value = figure,
                                  .position = i,
                                  .note = stage->number});
    }
    history_sort(out);
}
