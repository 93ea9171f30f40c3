// SPDX-License-Identifier: Apache-2.0
// The stages of a study: what each asks, where its limit comes from, what it needs.
#include "verdict/study_view.h"

#include "base/number.h"
#include "base/words.h"

// clang-format off
const StageInfo study_stages[STAGE_COUNT] = {
    [STAGE_CONFIG] = {
        .title  = TR("Checklist of settings"),
        .rule   = TR("no setting that must agree differs"),
        .source = TR("checklist of the accuracy guide"),
        .needs  = TR("the training configuration of both sides: YAML, JSON, shell "
                      "script, or a log that prints its arguments"),
        .collect = "vernier checklist GOLDEN TARGET",
    },
    [STAGE_TOKENS] = {
        .title  = TR("Same data"),
        .rule   = TR("the token ids are equal, element by element"),
        .source = TR("accuracy guide: align data first"),
        .needs  = TR("the token ids of the first steps of both runs as .npy or .pt"),
        .collect = "numpy.save('tokens.npy', input_ids)",
    },
    [STAGE_WEIGHTS] = {
        .title  = TR("Same initial weights"),
        .rule   = TR("every weight is equal bit for bit, or but for the rounding of its "
                      "dtype"),
        .source = TR("accuracy guide: align weights first"),
        .needs  = TR("the checkpoint that each side starts from"),
        .collect = "vernier compare golden.safetensors target.safetensors",
    },
    [STAGE_STEP_ONE] = {
        .title  = TR("Loss of step 1"),
        .source = TR("chosen: rate-0 losses of the guide's case differ by 0.001"),
        .needs  = TR("a log from step 1 of both runs: same weights and data, dropout "
                      "off, deterministic"),
        .collect = "--log-interval 1 | callbacks: MFLossMonitor, per_print_times: 1",
    },
    [STAGE_LOCAL_NORMS] = {
        .title  = TR("Local norms of step 1"),
        .source = TR("chosen; an embedding off by some per cent was the cause in the "
                      "guide's case"),
        .needs  = TR("the gradient norm of each weight at step 1 from both runs"),
        .collect = "monitor_config: monitor_on: True, local_norm_format: ['log'] | "
                   "wg_distribution: true",
    },
    [STAGE_STEP_TWO] = {
        .title  = TR("Loss of step 2"),
        .source = TR("chosen: rate-0 losses of the guide's case differ by 0.001"),
        .needs  = TR("the log of step 1 for one step more: it shows the optimizer"),
        .collect = "--train-iters 2 | runner_config: sink_size: 1",
    },
    [STAGE_RATE_ZERO] = {
        .title  = TR("Learning rate 0"),
        .source = TR("guide's case: about 0.001 and 0.05, both judged fine"),
        .needs  = TR("logs of about 1,000 steps of both runs with learning rate 0"),
        .collect = "--lr 0 --min-lr 0 | lr_schedule: learning_rate: 0.0",
    },
    [STAGE_LONG_RUN] = {
        .title  = TR("Long run"),
        .source = TR("guide's case: within 0.03 over 10,000 steps; 1 %: comparison guide"),
        .needs  = TR("logs of some thousand steps of both runs"),
        .collect = "vernier curves golden.log target.log",
    },
    [STAGE_NOISE] = {
        .title  = TR("Against the noise of golden"),
        .rule   = TR("within 3 sigma of repeated golden runs: at least 95 %; "
                     "no lasting difference"),
        .source = TR("chosen; the guide draws the target between two golden runs"),
        .needs  = TR("one or more further logs of the golden configuration with determinism off"),
        .collect = "vernier curves golden.log target.log --noise golden2.log",
    },
    [STAGE_SCENARIOS] = {
        .title  = TR("Ladder of configurations"),
        .rule   = TR("the losses of every experiment agree with those of golden"),
        .source = TR("accuracy guide: from one card at learning rate 0 to the cluster"),
        .needs  = TR("a table of experiments with settings and the logs of both sides"),
        .collect = "experiment,cards,lr,tp,pp,golden,target",
    },
    [STAGE_DUMPS] = {
        .title  = TR("Layer by layer"),
        .rule   = TR("no operator diverges beyond its floor"),
        .source = TR("rules vernier: vernier help rules"),
        .needs  = TR("dumps of one step from both runs"),
        .collect = "{\"task\": \"statistics\", \"level\": \"mix\", \"step\": [0], "
                   "\"rank\": []}",
    },
    [STAGE_CHECK] = {
        .title  = TR("What must hold in one run"),
        .rule   = TR("no invariant is broken in the target"),
        .source = TR("the table of invariants: vernier help checks"),
        .needs  = TR("dumps of some steps and all ranks, checkpoints or the monitor's folder of "
                      "the target"),
        .collect = "{\"task\": \"statistics\", \"level\": \"mix\", \"step\": [0, 1], "
                   "\"rank\": []}",
    },
    [STAGE_MONITOR] = {
        .title  = TR("Monitor"),
        .rule   = TR("no alarm in the target"),
        .source = TR("alarm rules of the monitor, replayed: docs/monitor.md"),
        .needs  = TR("the monitor's folder of the target, better of both runs"),
        .collect = "{\"wg_distribution\": true, \"format\": \"csv\", \"ops\": "
                   "[\"norm\"]}",
    },
    [STAGE_SKIP] = {
        .title  = TR("Skipping data"),
        .rule   = TR("the threshold does not end the run"),
        .source = TR("rule of the trainer: at or above the threshold, so often in a row"),
        .needs  = TR("a training log of the target with its gradient norm"),
        .collect = "vernier advise skip train.log",
    },
    [STAGE_HEALTH] = {
        .title  = TR("Health of checkpoints"),
        .rule   = TR("no checkpoint is marked unhealthy"),
        .source = TR("mark of the trainer: embedding norm at or above its threshold"),
        .needs  = TR("health_ckpts.json of the target, and logs with embedding norms"),
        .collect = "use_checkpoint_health_monitor: True",
    },
    [STAGE_EVALUATION] = {
        .title  = TR("Scores of an evaluation"),
        .rule   = TR("no score differs by more than 1 %"),
        .source = TR("chosen: the guide's limit of the loss is 1 %"),
        .needs  = TR("the results of lm-evaluation-harness of both sides"),
        .collect = "lm_eval --output_path results/",
    },
};
// clang-format on

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
        return str_of(tr(study_stages[stage].rule));
    }
}

Str study_rule_source(StudyStage stage, const StudySection *section)
{
    for (size_t i = 0; section && study_limit(stage, i); i++)
        if (study_value(section, study_limit(stage, i)->key))
            return str_of(tr("limit set in study.yaml"));
    return str_of(tr(study_stages[stage].source));
}

const char *stage_status_text(StageStatus status)
{
    static const char *const texts[] = {TR("not done"), TR("passed"), TR("failed")};
    return texts[status];
}
