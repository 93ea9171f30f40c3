// SPDX-License-Identifier: Apache-2.0
// The stages of a study: what each asks, where its limit comes from, what it needs.
#include "verdict/study_view.h"

#include "base/number.h"
#include "base/words.h"
#include "read/known_rows.h"

StageInfo study_stage_info(StudyStage stage, Arena *arena)
{
    KnownRows rows = known_rows("study.table");
    StageInfo info = {"", "", "", "", ""};
    Str key, text;
    bool own = false;
    while (known_rows_next(&rows, &key, &text)) {
        const char **out = str_equal(key, STR("title"))     ? &info.title
                           : str_equal(key, STR("rule"))    ? &info.rule
                           : str_equal(key, STR("source"))  ? &info.source
                           : str_equal(key, STR("needs"))   ? &info.needs
                           : str_equal(key, STR("collect")) ? &info.collect
                                                            : NULL;
        if (str_equal(key, STR("stage")))
            own = str_equal(text, str_of(study_stage_key(stage)));
        else if (own && out)
            *out = str_cstr(arena, text);
    }
    return info;
}

static const StageLimit limits[STAGE_COUNT][STAGE_LIMITS_MAX + 1] = {
    [STAGE_STEP_ONE] = {{"absolute", "STEP1", 0.001}, {"percent", "STEP1-REL", 0.1}},
    [STAGE_LOCAL_NORMS] = {{"percent", "LOCAL-LOOK", 1}},
    [STAGE_STEP_TWO] = {{"absolute", "STEP1", 0.001}, {"percent", "STEP1-REL", 0.1}},
    [STAGE_RATE_ZERO] = {{"loss", "LR0-LOSS", 0.002}, {"grad_norm", "LR0-NORM", 0.05}},
    [STAGE_LONG_RUN] = {{"absolute", "ABSOLUTE", 0}, {"percent", "MEAN", 1}},
};

const StageLimit *study_limit(StudyStage stage, size_t index)
{
    return index < STAGE_LIMITS_MAX && limits[stage][index].key ? &limits[stage][index] : NULL;
}

double study_limit_value(const StageLimit *limit, const StudySection *section)
{
    double value;
    const StudyValue *set = section ? study_value(section, limit->key) : NULL;
    return set && number_of_text(set->items[0], &value) ? value : limit->shipped;
}

Str study_rule(StudyStage stage, const StudySection *section, Arena *arena)
{
    double value[STAGE_LIMITS_MAX] = {0};
    for (size_t i = 0; study_limit(stage, i); i++)
        value[i] = study_limit_value(study_limit(stage, i), section);
    switch (stage) {
    case STAGE_STEP_ONE:
    case STAGE_STEP_TWO:
        return str_printf(arena, tr("the difference is at most %g or %g %%, the larger"), value[0],
                          value[1]);
    case STAGE_LOCAL_NORMS:
        return str_printf(arena, tr("no weight is off by more than %g %%"), value[0]);
    case STAGE_RATE_ZERO:
        return str_printf(arena, tr("mean difference at most %g (loss) and %g (gradient norm)"),
                          value[0], value[1]);
    case STAGE_LONG_RUN:
        if (value[0] == 0)
            return str_printf(arena,
                              tr("no lasting difference beyond %g %%; at most %g %% on average"),
                              value[1], value[1]);
        return str_printf(arena,
                          tr("no lasting difference beyond %g around the 0 axis or %g %%, the "
                             "larger; at most %g %% on average"),
                          value[0], value[1], value[1]);
    default:
        return str_of(tr(study_stage_info(stage, arena).rule));
    }
}

Str study_rule_source(StudyStage stage, const StudySection *section, Arena *arena)
{
    for (size_t i = 0; section && study_limit(stage, i); i++)
        if (study_value(section, study_limit(stage, i)->key))
            return str_of(tr("limit set in study.yaml"));
    return str_of(tr(study_stage_info(stage, arena).source));
}

const char *stage_status_text(StageStatus status)
{
    static const char *const texts[] = {TR("not done"), TR("passed"), TR("failed")};
    return texts[status];
}
